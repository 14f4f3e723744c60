#!/usr/bin/env python3
"""A Bumble GATT central on any controller that checks a peripheral with the bench service (bench.py).

    central.py tcp-client:127.0.0.1:PORT --all
    central.py tcp-client:127.0.0.1:PORT scan connect mtu discover read
    central.py tcp-client:127.0.0.1:PORT --all --without phy,rssi,data-length

Prints {"event": "ready"}, one object per check, {"check": NAME, "ok": true, "detail": ..., "ms": ...}, and at the end
{"event": "end", "passed": N, "failed": [...]}; the exit status is 0 if no check failed. `--list` lists the checks.

Checks run in the order of the list, not of the command line. `scan` and `connect` run for every other
check, `discover` for those that need it; they are reported as separate checks.
"""

import argparse
import asyncio
import inspect
import os
import struct
import sys
import time

from bumble import att, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic
from bumble.host import Host
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.pairing import PairingConfig

import bench
from session import emit, open_controller, run

Properties = Characteristic.Properties
GATT_SERVICE_CHANGED = UUID('2A05')
DATABASE_HASH = UUID('2B2A')
CCCD = UUID('2902')


class Failure(Exception):
    """The failure of a check."""


def require(condition, message):
    if not condition:
        raise Failure(message)


def hexadecimal(value):
    return bytes(value).hex()


class Central:
    """The checks, each a method `check_...`, in the order in which they run."""

    def __init__(self, device, options):
        self.device = device
        self.options = options
        self.address = None
        self.connection = None
        self.peer = None

    # Shared by the checks

    def characteristic(self, uuid, place=0):
        found = self.peer.get_characteristics_by_uuid(uuid)
        require(len(found) > place, f'no characteristic {uuid} was discovered')
        return found[place]

    async def control(self, kind, *numbers):
        await self.peer.write_value(
            self.characteristic(bench.CONTROL), bench.command(kind, *numbers), with_response=True)

    async def event(self, name, start=None):
        """Starts an operation and waits for an event of the connection; returns the event's arguments."""
        future = asyncio.get_running_loop().create_future()

        def happened(*arguments):
            if not future.done():
                future.set_result(arguments)

        self.connection.on(name, happened)
        try:
            if start is not None:
                await start()
            return await self.connection.cancel_on_disconnection(future)
        finally:
            self.connection.remove_listener(name, happened)

    async def refused(self, work, *codes):
        """Runs an ATT operation that the server must refuse with one of the codes."""
        try:
            await work
        except att.ATT_Error as error:
            require(error.error_code in codes, f'refused with {error.error_code:#04x} instead of {codes}')
            return error.error_code
        raise Failure('was not refused')

    async def series(self, characteristic, kind, count, size, prefer_notify=True):
        """Subscribes, requests a series, checks every value and its order, and unsubscribes."""
        values = asyncio.Queue()
        await self.peer.subscribe(characteristic, values.put_nowait, prefer_notify)
        await self.control(kind, count, size)
        for index in range(count):
            value = bytes(await values.get())
            require(value == bench.pattern(index, size), f'value {index} is {hexadecimal(value)}')
        await self.peer.unsubscribe(characteristic, values.put_nowait)
        require(values.empty(), f'{values.qsize()} values too many')
        return f'{count} of {size} octets'

    # The checks

    async def check_scan(self):
        found = asyncio.get_running_loop().create_future()
        complete, shortened = AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME

        def on_advertisement(advertisement):
            name = advertisement.data.get(complete) or advertisement.data.get(shortened)
            address = str(advertisement.address).split('/')[0]
            wanted = address == self.options.peer.upper() if self.options.peer else name == self.options.name
            if wanted and not found.done():
                found.set_result(advertisement)

        self.device.on('advertisement', on_advertisement)
        await self.device.start_scanning(active=True, filter_duplicates=False)
        try:
            advertisement = await found
        finally:
            await self.device.stop_scanning()
            self.device.remove_listener('advertisement', on_advertisement)
        self.address = advertisement.address
        require(advertisement.is_connectable, 'the advertisement is not connectable')
        return f'{advertisement.address} rssi {advertisement.rssi}'

    async def check_connect(self):
        preferences = ConnectionParametersPreferences(
            connection_interval_min=self.options.interval, connection_interval_max=self.options.interval)
        self.connection = await self.device.connect(
            self.address, own_address_type=hci.OwnAddressType.RANDOM, timeout=self.options.timeout,
            connection_parameters_preferences={hci.Phy.LE_1M: preferences})
        self.connection.on('disconnection', lambda reason: emit('disconnected', reason=int(reason)))
        self.peer = Peer(self.connection)
        return f'interval {self.connection.parameters.connection_interval} ms'

    async def check_mtu(self):
        mtu = await self.peer.request_mtu(self.options.mtu)
        require(23 < mtu <= self.options.mtu, f'the MTU is {mtu}')
        return mtu

    async def check_discover(self):
        await self.peer.discover_services()
        found = {service.uuid: service for service in self.peer.services}
        for uuid in (UUID('1800'), UUID('1801'), UUID('180D'), UUID('180F'), UUID('180A'), bench.SERVICE):
            require(uuid in found, f'no service {uuid}')
        for service in self.peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()
        read, write, notify, indicate = Properties.READ, Properties.WRITE, Properties.NOTIFY, Properties.INDICATE
        expected = [
            (bench.READ, read), (bench.READ_WRITE, read | write), (bench.SINK, Properties.WRITE_WITHOUT_RESPONSE),
            (bench.COUNTERS, read), (bench.NOTIFY, notify), (bench.INDICATE, indicate), (bench.ENCRYPTED, read | write),
            (bench.LONG, read), (bench.CONTROL, write), (bench.EITHER, notify | indicate), (bench.TWIN, read),
            (bench.TWIN, read),
        ]
        offered = found[bench.SERVICE].characteristics
        require([(c.uuid, c.properties) for c in offered] == expected,
                f'the bench service has {[(str(c.uuid), str(c.properties)) for c in offered]}')
        for uuid, wanted in (
                (bench.READ_WRITE, {UUID('2901'), bench.NOTE}), (bench.NOTIFY, {CCCD}), (bench.READ, set())):
            have = {descriptor.type for descriptor in self.characteristic(uuid).descriptors}
            require(have == wanted, f'{uuid} has the descriptors {have}')
        characteristics = [c for service in self.peer.services for c in service.characteristics]
        return (f'{len(found)} services, {len(characteristics)} characteristics, '
                f'{sum(len(c.descriptors) for c in characteristics)} descriptors')

    async def check_included(self):
        service, = self.peer.get_services_by_uuid(bench.SERVICE)
        included = await self.peer.discover_included_services(service)
        require([each.uuid for each in included] == [UUID('180A')],
                f'included are {[str(each.uuid) for each in included]}')

    async def check_name(self):
        name = bytes(await self.peer.read_value(self.characteristic(UUID('2A00')))).decode()
        require(not self.options.name or name == self.options.name, f'the name is {name!r}')
        return name

    async def check_read(self):
        value = bytes(await self.peer.read_value(self.characteristic(bench.READ)))
        require(value == bench.READ_VALUE, f'read {hexadecimal(value)}')

    async def check_twins(self):
        values = [bytes(await self.peer.read_value(self.characteristic(bench.TWIN, place))) for place in (0, 1)]
        require(values == [b'\x01', b'\x02'], f'read {values}')

    async def check_long_read(self):
        value = bytes(await self.peer.read_value(self.characteristic(bench.LONG)))
        require(value == bench.LONG_VALUE, f'read {len(value)} octets: {hexadecimal(value)}')

    async def check_read_by_uuid(self):
        values = await self.peer.read_characteristics_by_uuid(UUID('2A19'))
        require(len(values) == 1 and len(values[0]) == 1 and values[0][0] <= 100, f'read {values}')

    async def check_read_multiple(self):
        handles = [self.characteristic(uuid).handle for uuid in (bench.READ, bench.COUNTERS)]
        response = await self.peer.gatt_client.send_request(att.ATT_Read_Multiple_Request(set_of_handles=handles))
        require(isinstance(response, att.ATT_Read_Multiple_Response), f'answered by {response}')
        require(response.set_of_values[:20] == bench.READ_VALUE and len(response.set_of_values) == 32,
                f'read {hexadecimal(response.set_of_values)}')

    async def check_read_multiple_variable(self):
        handles = [self.characteristic(uuid).handle for uuid in (bench.READ, bench.COUNTERS)]
        request = att.ATT_Read_Multiple_Variable_Request(set_of_handles=handles)
        response = await self.peer.gatt_client.send_request(request)
        require(isinstance(response, att.ATT_Read_Multiple_Variable_Response), f'answered by {response}')
        values = [bytes(value) for _, value in response.length_value_tuple_list]
        require(values[0] == bench.READ_VALUE and len(values[1]) == 12, f'read {values}')

    async def check_write(self):
        target = self.characteristic(bench.READ_WRITE)
        for length in (0, 1, 20):
            value = os.urandom(length)
            await self.peer.write_value(target, value, with_response=True)
            read = bytes(await self.peer.read_value(target))
            require(read == value, f'wrote {value.hex()}, read {read.hex()}')

    async def check_long_write(self):
        target = self.characteristic(bench.READ_WRITE)
        value = os.urandom(512)
        await self.peer.gatt_client.write_long_value(target.handle, value)
        read = bytes(await self.peer.read_value(target))
        difference = next((i for i, (a, b) in enumerate(zip(read, value)) if a != b), min(len(read), 512))
        require(read == value, f'read {len(read)} octets, the first difference is at {difference}')

    async def check_write_command(self):
        count, size = 200, 20
        await self.control(bench.Control.RESET_COUNTERS)
        sink = self.characteristic(bench.SINK)
        for index in range(count):
            await self.peer.write_value(sink, bench.pattern(index, size), with_response=False)
            if index % 32 == 31:
                await self.connection.drain()
        # The read follows the commands on the same bearer, so its value counts all of them.
        counters = struct.unpack('<III', bytes(await self.peer.read_value(self.characteristic(bench.COUNTERS))))
        require(counters == (count, count * size, 0), f'commands, octets, disordered: {counters}')
        return f'{count} of {size} octets'

    async def check_notify(self):
        await self.series(self.characteristic(bench.NOTIFY), bench.Control.NOTIFY, 50, 20)
        return await self.series(
            self.characteristic(bench.NOTIFY), bench.Control.NOTIFY, 20, min(self.connection.att_mtu - 3, 512))

    async def check_indicate(self):
        return await self.series(self.characteristic(bench.INDICATE), bench.Control.INDICATE, 10, 20)

    async def check_either(self):
        characteristic = self.characteristic(bench.EITHER)
        await self.series(characteristic, bench.Control.NOTIFY, 5, 20)
        return await self.series(characteristic, bench.Control.INDICATE, 5, 20, prefer_notify=False)

    async def check_heart_rate(self):
        values = asyncio.Queue()
        characteristic = self.characteristic(UUID('2A37'))
        await self.peer.subscribe(characteristic, values.put_nowait)
        value = bytes(await values.get())
        await self.peer.unsubscribe(characteristic, values.put_nowait)
        require(len(value) >= 2, f'received {value.hex()}')
        return f'{value[1]} beats a minute'

    async def check_descriptors(self):
        target = self.characteristic(bench.READ_WRITE)
        description = bytes(await self.peer.read_value(target.get_descriptor(UUID('2901'))))
        require(description == bench.USER_DESCRIPTION, f'2901 is {description}')
        note, value = target.get_descriptor(bench.NOTE), os.urandom(16)
        await self.peer.write_value(note, value, with_response=True)
        read = bytes(await self.peer.read_value(note))
        require(read == value, f'wrote {value.hex()}, read {read.hex()}')

    async def check_encrypted(self):
        code = await self.refused(
            self.peer.read_value(self.characteristic(bench.ENCRYPTED)), att.ErrorCode.INSUFFICIENT_ENCRYPTION,
            att.ErrorCode.INSUFFICIENT_AUTHENTICATION)
        return f'refused with {code:#04x}'

    async def check_errors(self):
        peer, codes = self.peer, att.ErrorCode
        await self.refused(peer.read_value(0xFFF0), codes.INVALID_HANDLE)
        await self.refused(peer.write_value(0xFFF0, b'1', with_response=True), codes.INVALID_HANDLE)
        if 'permissions' in self.options.strict:
            await self.refused(peer.read_value(self.characteristic(bench.SINK)), codes.READ_NOT_PERMITTED)
            await self.refused(
                peer.write_value(self.characteristic(bench.READ), b'1', with_response=True), codes.WRITE_NOT_PERMITTED)
        long = self.characteristic(bench.LONG).handle
        response = await peer.gatt_client.send_request(
            att.ATT_Read_Blob_Request(attribute_handle=long, value_offset=600))
        require(getattr(response, 'error_code', None) == codes.INVALID_OFFSET, f'a blob past the end gives {response}')

    async def check_channel(self):
        channel = await self.connection.create_l2cap_channel(
            LeCreditBasedChannelSpec(psm=bench.CHANNEL_PSM, mtu=2048, mps=100, max_credits=4))
        received, arrived = bytearray(), asyncio.Event()

        def sink(sdu):
            received.extend(sdu)
            arrived.set()

        channel.sink = sink
        # One octet, one whole SDU, then more than the credits of both sides can carry at once.
        for sdus in ([1], [1000], [333] * 30):
            sent = b''.join(os.urandom(length) for length in sdus)
            received.clear()
            place = 0
            for length in sdus:
                channel.write(sent[place:place + length])
                place += length
            while len(received) < len(sent):
                arrived.clear()
                await self.connection.cancel_on_disconnection(arrived.wait())
            require(received == sent, 'other octets came back')
        await channel.disconnect()
        return '10991 octets echoed'

    async def check_features(self):
        return hex(await self.connection.get_remote_le_features())

    async def check_rssi(self):
        rssi = await self.connection.get_rssi()
        require(-127 <= rssi <= 20, f'RSSI {rssi}')
        return rssi

    async def check_data_length(self):
        await self.event('connection_data_length_change', lambda: self.connection.set_data_length(251, 2120))
        length = self.connection.data_length
        require(length.max_tx_octets == 251, f'{length}')
        return str(length)

    async def check_phy(self):
        async def change():
            await self.connection.set_phy(tx_phys=[hci.Phy.LE_2M], rx_phys=[hci.Phy.LE_2M])

        phy, = await self.event('connection_phy_update', change)
        require((phy.tx_phy, phy.rx_phy) == (hci.Phy.LE_2M, hci.Phy.LE_2M), f'{phy}')

    async def check_parameters(self):
        await self.connection.update_parameters(30, 30, 2, 1000)
        now = self.connection.parameters
        require((now.connection_interval, now.peripheral_latency, now.supervision_timeout) == (30, 2, 1000), f'{now}')
        return str(now)

    async def check_peripheral_parameters(self):
        # 15 ms and 2 s, requested by the peripheral; Bumble's host accepts automatically.
        await self.event(
            'connection_parameters_update',
            lambda: self.control(bench.Control.REQUEST_PARAMETERS, 12, 12, 0, 200))
        now = self.connection.parameters
        require((now.connection_interval, now.peripheral_latency, now.supervision_timeout) == (15, 0, 2000), f'{now}')
        return str(now)

    async def check_service_changed(self):
        changes = asyncio.Queue()
        characteristic = self.characteristic(GATT_SERVICE_CHANGED)
        before, = await self.peer.read_characteristics_by_uuid(DATABASE_HASH)
        await self.peer.subscribe(characteristic, changes.put_nowait, prefer_notify=False)
        await self.control(bench.Control.ADD_SERVICE)
        start, end = struct.unpack('<HH', bytes(await changes.get()))
        await self.peer.unsubscribe(characteristic, changes.put_nowait)
        added = await self.peer.discover_service(bench.ADDED_SERVICE)
        require(len(added) == 1, 'the added service was not found')
        require(start <= added[0].handle <= end, f'changed are {start} to {end}, the service is at {added[0].handle}')
        after, = await self.peer.read_characteristics_by_uuid(DATABASE_HASH)
        require(before != after and len(after) == 16, f'the hash was {hexadecimal(before)} and is {hexadecimal(after)}')

    async def check_peer_disconnect(self):
        orders = []

        async def order():
            # The response to this write may be lost with the link, so wait for the end of the link instead.
            orders.append(asyncio.ensure_future(self.control(bench.Control.DISCONNECT)))

        await self.event('disconnection', order)
        await asyncio.wait(orders)
        await self.check_connect()
        await self.check_discover()

    async def check_disconnect(self):
        await self.connection.disconnect()
        self.connection = self.peer = None

    async def check_reconnect(self):
        await self.check_connect()
        await self.check_discover()
        await self.check_read()
        await self.check_disconnect()


CHECKS = [name.removeprefix('check_').replace('_', '-')
          for name, method in vars(Central).items()
          if name.startswith('check_') and inspect.iscoroutinefunction(method)]
# The prerequisites of each check.
NEEDS_NOTHING = {'scan'}
NEEDS_LINK = {'connect': ['scan'], 'mtu': ['scan', 'connect'], 'discover': ['scan', 'connect'],
              'features': ['scan', 'connect'], 'rssi': ['scan', 'connect'], 'data-length': ['scan', 'connect'],
              'phy': ['scan', 'connect'], 'parameters': ['scan', 'connect'], 'channel': ['scan', 'connect'],
              'disconnect': ['scan', 'connect'], 'reconnect': ['scan', 'connect', 'disconnect']}
NEEDS_ATTRIBUTES = ['scan', 'connect', 'discover']


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('controller', nargs='?', help='HCI transport: tcp-client:HOST:PORT, unix:PATH, ...')
    parser.add_argument('checks', nargs='*', help='names of checks')
    parser.add_argument('--all', action='store_true', help='every check')
    parser.add_argument('--without', default='', help='names of checks to leave out, separated by commas')
    parser.add_argument('--list', action='store_true', help='print the names of the checks')
    parser.add_argument('--name', default='Bumble Bench', help="the peripheral's name")
    parser.add_argument('--peer', help="the peripheral's address, instead of its name")
    parser.add_argument('--address', default='F1:00:00:00:00:01', help='own static random address')
    parser.add_argument('--mtu', type=int, default=247, help='MTU to ask for')
    parser.add_argument('--interval', type=float, default=7.5, help='connection interval in ms')
    parser.add_argument('--timeout', type=float, default=15, help='seconds for each check')
    parser.add_argument('--strict', default='',
                        help='`permissions`: reads and writes against the properties must fail too, '
                             "which Bumble's own server does not do")
    options = parser.parse_args()
    if options.list:
        print('\n'.join(CHECKS))
        sys.exit(0)
    if not options.controller:
        parser.error('name the transport of a controller')
    unknown = (set(options.checks) | set(filter(None, options.without.split(',')))) - set(CHECKS)
    if unknown:
        parser.error(f'no such check: {", ".join(sorted(unknown))}; see --list')
    return options


def selection(options):
    wanted = set(CHECKS if options.all else options.checks)
    for check in list(wanted):
        wanted.update([] if check in NEEDS_NOTHING else NEEDS_LINK.get(check, NEEDS_ATTRIBUTES))
    return [check for check in CHECKS if check in wanted and check not in options.without.split(',')]


async def main(session, options):
    failed, passed = [], 0
    async with await open_controller(options.controller) as transport:
        address = hci.Address(options.address)
        configuration = DeviceConfiguration(name='Bumble Central', address=address, irk=(bytes(address) * 3)[:16])
        device = Device(config=configuration, host=Host(transport.source, transport.sink))
        device.pairing_config_factory = lambda _: PairingConfig(identity_address_type=PairingConfig.AddressType.RANDOM)
        transport.source.terminated.add_done_callback(lambda _: emit('controllerLost'))
        await device.power_on()
        emit('ready', address=str(device.random_address))
        central = Central(device, options)
        for check in selection(options):
            start = time.monotonic()
            try:
                work = getattr(central, 'check_' + check.replace('-', '_'))()
                detail, ok = await asyncio.wait_for(work, options.timeout), True
            except (asyncio.TimeoutError, TimeoutError):
                detail, ok = f'nothing within {options.timeout} s', False
            except (Exception, asyncio.CancelledError) as error:
                if session.ended.is_set():
                    raise
                detail, ok = f'{type(error).__name__}: {error}', False
            milliseconds = round((time.monotonic() - start) * 1000, 1)
            print_check(check, ok, detail, milliseconds)
            passed += ok
            if not ok:
                failed.append(check)
                if check in ('scan', 'connect', 'discover'):
                    break  # no other check can pass
        emit('end', passed=passed, failed=failed)
    return 1 if failed else 0


def print_check(check, ok, detail, milliseconds):
    emit('check', check=check, ok=ok, detail='' if detail is None else detail, ms=milliseconds)


if __name__ == '__main__':
    chosen = arguments()
    run(lambda session: main(session, chosen))
