#!/usr/bin/env python3
"""Either end of a measurement on Bumble's host, for the referee of Benchmarks (described in its README.md).

    measure.py srv tcp:PORT
    measure.py cli tcp:PORT LABEL READS OPERATIONS READ NOTIFY SINK CONTROL STATS

srv prints HANDLES and the last five arguments of cli. cli connects to the second host of the referee and prints a line
for each measurement, in the format of the floor and of harald-bench. The transport must be a stream: `unix-client:PATH`
and Bumble's other stream transports work too.
"""

import asyncio
import os
import resource
import struct
import sys
import time

from bumble import hci
from bumble.att import Attribute
from bumble.core import UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host

from bumble.transport import open_transport

SERVER = 'C6:55:44:33:22:02'
MTU = 247
READ_VALUE = bytes(20)
MARK, NOTIFY, QUIT = 1, 3, 9
CONTROL = struct.Struct('<BHI')
# User and system time in microseconds, octets and values received on FFF3, voluntary context switches.
STATISTICS = struct.Struct('<QQQII')
# The number of packets in Bumble's queue before waiting for the controller.
BATCH = 64

Properties = Characteristic.Properties


class Usage:
    """The usage of this process since the mark: microseconds of processor time, and voluntary context switches."""

    def __init__(self):
        self.mark()

    def mark(self):
        self._start = self._now()

    def since(self):
        return tuple(now - start for now, start in zip(self._now(), self._start))

    @staticmethod
    def _now():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return int(usage.ru_utime * 1e6), int(usage.ru_stime * 1e6), usage.ru_nvcsw


async def open_device(name, transport):
    # The referee links by public address, so this is also the identity.
    device = Device(config=DeviceConfiguration(name=name), host=Host(transport.source, transport.sink))
    device.gatt_server.max_mtu = MTU
    await device.power_on()
    return device


class Server:
    """The service FFF0 and its behaviour."""

    def __init__(self):
        self.usage = Usage()
        self.sink_octets = self.sink_count = 0
        self.ended = asyncio.Event()
        self.task = None
        readable, writeable = Attribute.READABLE, Attribute.WRITEABLE
        self.notifying = Characteristic('FFF2', Properties.NOTIFY, Attribute.Permissions(0), b'')
        self.characteristics = [
            Characteristic('FFF1', Properties.READ, readable, READ_VALUE),
            self.notifying,
            Characteristic(
                'FFF3', Properties.WRITE_WITHOUT_RESPONSE, writeable, CharacteristicValue(write=self._take)),
            Characteristic('FFF4', Properties.WRITE, writeable, CharacteristicValue(write=self._control)),
            Characteristic('FFF5', Properties.READ, readable, CharacteristicValue(read=self._statistics)),
        ]

    def _take(self, _connection, value):
        self.sink_count += 1
        self.sink_octets += len(value)

    def _statistics(self, _connection):
        user, system, switches = self.usage.since()
        return STATISTICS.pack(user, system, self.sink_octets, self.sink_count, switches)

    def _control(self, connection, value):
        operation, size, count = CONTROL.unpack(bytes(value))
        if operation == MARK:
            self.usage.mark()
            self.sink_octets = self.sink_count = 0
        elif operation == NOTIFY:
            self.task = asyncio.create_task(self._notify(connection, bytes([0xAA]) * size, count))
        elif operation == QUIT:
            self.task = asyncio.create_task(self._quit(connection))

    async def _notify(self, connection, value, count):
        for sent in range(1, count + 1):
            await connection.device.notify_subscriber(connection, self.notifying, value)
            if sent % BATCH == 0:
                await connection.drain()

    async def _quit(self, connection):
        await asyncio.sleep(0)  # the response is created after the write
        await connection.drain()
        self.ended.set()


async def serve(transport):
    device = await open_device('bench', transport)
    server = Server()
    device.add_service(Service('FFF0', server.characteristics))
    print('HANDLES', *(characteristic.handle for characteristic in server.characteristics), flush=True)
    device.on('connection', lambda connection: connection.on('disconnection', lambda _: server.ended.set()))
    await device.start_advertising(own_address_type=hci.OwnAddressType.PUBLIC)
    await server.ended.wait()


class Client:
    """The measurements."""

    def __init__(self, label, handles):
        self.label = label
        self.read, self.notify, self.sink, self.control, self.stats = handles
        self.usage = Usage()
        self.left = 0
        self.octets = 0
        self.all_came = asyncio.Event()

    async def connect(self, device):
        self.connection = await device.connect(
            hci.Address(SERVER, hci.Address.PUBLIC_DEVICE_ADDRESS), own_address_type=hci.OwnAddressType.PUBLIC)
        peer = Peer(self.connection)
        self.client = peer.gatt_client
        await peer.request_mtu(MTU)
        await peer.discover_service(UUID('FFF0'))
        for service in peer.services:
            await service.discover_characteristics()
        characteristic, = (
            each for each in peer.get_characteristics_by_uuid(UUID('FFF2')) if each.handle == self.notify)
        await peer.subscribe(characteristic, self._notified)

    def _notified(self, value):
        self.octets += len(value)
        self.left -= 1
        if self.left == 0:
            self.all_came.set()

    async def _order(self, operation, size=0, count=0):
        await self.client.write_value(self.control, CONTROL.pack(operation, size, count), with_response=True)

    async def _reads(self, count, size):
        for _ in range(count):
            await self.client.read_value(self.read, no_long_read=True)
        self.octets = count * size

    async def _notifications(self, count, size):
        self.left = count
        self.all_came.clear()
        await self._order(NOTIFY, size, count)
        await self.all_came.wait()

    async def _writes(self, count, size):
        value = bytes([0x55]) * size
        for sent in range(1, count + 1):
            await self.client.write_value(self.sink, value)
            if sent % BATCH == 0:
                await self.connection.drain()
        self.octets = count * size

    async def measure(self, name, work, count, size):
        await self._order(MARK)
        self.usage.mark()
        self.octets = 0
        start = time.monotonic()
        await work(self, count, size)
        client, seconds = self.usage.since(), time.monotonic() - start
        user, system, octets, sink_count, switches = STATISTICS.unpack(
            await self.client.read_value(self.stats, no_long_read=True))
        if work is Client._writes:
            # Writes without response end when the server has received them.
            seconds, self.octets = time.monotonic() - start, octets
            if sink_count != count:
                print(self.label, 'LOST', count - sink_count)
        print(f'{self.label} {name}{size} n={count} rate={count / seconds:.0f}/s us={seconds / count * 1e6:.2f}',
              f'cli_cpu_us={processor(client[:2], count)} srv_cpu_us={processor((user, system), count)}',
              f'MBps={self.octets / seconds / 1e6:.2f}',
              f'cli_csw={client[2] / count:.2f} srv_csw={switches / count:.2f}', flush=True)

    async def run(self, reads, operations):
        await self.measure('read', Client._reads, reads, len(READ_VALUE))
        for name, work in (('notify', Client._notifications), ('wwr', Client._writes)):
            for size in (20, 244):
                await self.measure(name, work, operations, size)
        await self._order(QUIT)


def processor(times, count):
    user, system = (each / count for each in times)
    return f'{user + system:.2f} (u{user:.2f} s{system:.2f})'


async def measure(transport, label, reads, operations, *handles):
    client = Client(label, [int(handle) for handle in handles])
    await client.connect(await open_device('bench client', transport))
    await client.run(int(reads), int(operations))


async def main(role, address, *rest):
    scheme, _, place = address.partition(':')
    name = f'tcp-client:127.0.0.1:{place}' if scheme == 'tcp' else address
    async with await open_transport(name) as transport:
        work = asyncio.ensure_future(serve(transport) if role == 'srv' else measure(transport, *rest))
        lost = transport.source.terminated
        await asyncio.wait({work, lost}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise SystemExit('measure.py: the controller is gone')
        work.result()
        sys.stdout.flush()
        # Bumble's tasks still wait for packets: exit without them.
        os._exit(0)


if __name__ == '__main__':
    if (sys.argv[1:2], len(sys.argv)) not in ((['srv'], 3), (['cli'], 11)):
        print(__doc__, file=sys.stdout if '--help' in sys.argv else sys.stderr)
        sys.exit(0 if '--help' in sys.argv else 64)
    asyncio.run(main(*sys.argv[1:]))
