#!/usr/bin/env python3
"""A Bumble GATT peripheral on any controller.

    peripheral.py tcp-client:127.0.0.1:PORT

Heart rate, battery, device information, the bench service (bench.py), and a credit-based channel that echoes its
data. Prints {"event": "ready", ...}, then one object for each event: connected, disconnected, mtu, parameters,
phy, dataLength, encryption, subscription, written, notified, indicated, channelOpened, channelClosed.

Commands on its input, each answered by {"event": "done", "command": ...} or {"event": "error", ...}:

    notify COUNT SIZE           notifications on 05 and 0A, to subscribers
    indicate COUNT SIZE         indications on 06 and 0A; done when all are confirmed
    heart-rate BPM              one heart rate notification
    battery PERCENT             sets the battery level and notifies it
    update-parameters MIN MAX LATENCY TIMEOUT [l2cap|ll]    milliseconds, connection events
    add-service, remove-service adds or removes the last service, with Service Changed
    peer-name                   as a client: reads the name (2A00) of the central's own server
    exchange-mtu SIZE           as a client: exchanges the MTU
    counters                    the counters of 03
    disconnect                  ends all connections
    quit
"""

import argparse
import asyncio
import struct
import time

from bumble import hci, data_types
from bumble.att import Attribute
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.host import Host
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.pairing import PairingConfig

import bench
from session import emit, open_controller, run

Properties = Characteristic.Properties
READABLE, WRITEABLE = Attribute.READABLE, Attribute.WRITEABLE
BODY_LOCATION_CHEST = bytes([1])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('controller', help='HCI transport: tcp-client:HOST:PORT, unix:PATH, ...')
    parser.add_argument('--name', default='Bumble Bench')
    parser.add_argument('--address', default='F2:00:00:00:00:01', help='own static random address')
    parser.add_argument('--public', action='store_true', help='advertise with the public address instead')
    parser.add_argument('--advertising', choices=('legacy', 'extended'), default='legacy', help='kind of PDUs')
    parser.add_argument('--advertising-octets', type=int, default=0, help='manufacturer data, for long advertisements')
    parser.add_argument('--interval', type=float, default=50, help='advertising interval in ms')
    parser.add_argument('--mtu', type=int, default=517, help='largest ATT MTU that the server takes')
    parser.add_argument('--heart-rate-period', type=float, default=0.5, help='seconds between heart rates, 0 for none')
    return parser.parse_args()


class Sink:
    """Counts the writes to characteristic 03."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.commands = self.octets = self.disordered = 0

    def take(self, value):
        index, = struct.unpack_from('<I', value.ljust(4, b'\0'))
        self.disordered += index != self.commands
        self.commands += 1
        self.octets += len(value)

    def encoded(self):
        return struct.pack('<III', self.commands, self.octets, self.disordered)


class Bench:
    """The services and their behaviour."""

    def __init__(self, device):
        self.device = device
        self.sink = Sink()
        self.values = {'rw': b'hello', 'note': b'note', 'secret': b'secret', 'battery': bytes([87])}
        self.heart_rate = 60
        self.added = []
        self.tasks = set()
        self._build()

    def _stored(self, key):
        def write(_connection, value):
            self.values[key] = bytes(value)
            emit('written', value=key, hex=bytes(value).hex(), length=len(value))

        return CharacteristicValue(read=lambda _: self.values[key], write=write)

    def _build(self):
        self.measurement = Characteristic('2A37', Properties.NOTIFY, Attribute.Permissions(0), b'')
        self.level = Characteristic(
            '2A19', Properties.READ | Properties.NOTIFY, READABLE,
            CharacteristicValue(read=lambda _: self.values['battery']))
        information = Service('180A', [
            Characteristic('2A29', Properties.READ, READABLE, b'Bumble'),
            Characteristic('2A24', Properties.READ, READABLE, b'Bench 1'),
            Characteristic('2A25', Properties.READ, READABLE, b'0001'),
        ])
        self.notifying = Characteristic(bench.NOTIFY, Properties.NOTIFY, Attribute.Permissions(0), b'')
        self.indicating = Characteristic(bench.INDICATE, Properties.INDICATE, Attribute.Permissions(0), b'')
        self.either = Characteristic(
            bench.EITHER, Properties.NOTIFY | Properties.INDICATE, Attribute.Permissions(0), b'')
        encrypted = Attribute.READ_REQUIRES_ENCRYPTION | Attribute.WRITE_REQUIRES_ENCRYPTION
        readwrite = Properties.READ | Properties.WRITE
        self.device.add_services([
            Service('180D', [
                self.measurement,
                Characteristic('2A38', Properties.READ, READABLE, BODY_LOCATION_CHEST),
                Characteristic('2A39', Properties.WRITE, WRITEABLE, CharacteristicValue(write=self._energy_reset)),
            ]),
            Service('180F', [self.level]),
            information,
            Service(bench.SERVICE, [
                Characteristic(bench.READ, Properties.READ, READABLE, bench.READ_VALUE),
                Characteristic(bench.READ_WRITE, readwrite, READABLE | WRITEABLE, self._stored('rw'), [
                    Descriptor('2901', READABLE, bench.USER_DESCRIPTION),
                    Descriptor(bench.NOTE, READABLE | WRITEABLE, self._stored('note')),
                ]),
                Characteristic(
                    bench.SINK, Properties.WRITE_WITHOUT_RESPONSE, WRITEABLE,
                    CharacteristicValue(write=lambda _, value: self.sink.take(bytes(value)))),
                Characteristic(
                    bench.COUNTERS, Properties.READ, READABLE, CharacteristicValue(read=lambda _: self.sink.encoded())),
                self.notifying,
                self.indicating,
                Characteristic(bench.ENCRYPTED, readwrite, READABLE | WRITEABLE | encrypted, self._stored('secret')),
                Characteristic(bench.LONG, Properties.READ, READABLE, bench.LONG_VALUE),
                Characteristic(bench.CONTROL, Properties.WRITE, WRITEABLE, CharacteristicValue(write=self._control)),
                self.either,
                Characteristic(bench.TWIN, Properties.READ, READABLE, b'\x01'),
                Characteristic(bench.TWIN, Properties.READ, READABLE, b'\x02'),
            ], included_services=[information]),
        ])

    def _energy_reset(self, _connection, value):
        emit('written', value='energy', hex=bytes(value).hex(), length=len(value))

    def _control(self, connection, value):
        kind = bench.Control(value[0])
        numbers = struct.unpack(f'<{(len(value) - 1) // 2}H', bytes(value[1:]))
        match kind:
            case bench.Control.RESET_COUNTERS:
                self.sink.reset()
            case bench.Control.NOTIFY:
                self._start(self.notify(*numbers))
            case bench.Control.INDICATE:
                self._start(self.indicate(*numbers))
            case bench.Control.REQUEST_PARAMETERS:
                low, high, latency, timeout = numbers
                self._start(
                    connection.update_parameters(low * 1.25, high * 1.25, latency, timeout * 10, use_l2cap=True))
            case bench.Control.ADD_SERVICE:
                self._start(self.add_service())
            case bench.Control.DISCONNECT:
                self._start(self.end(connection))

    async def disconnect_when_sent(self, connection):
        # The response to the command is sent first: a controller may drop queued data when it disconnects.
        await connection.drain()
        await connection.disconnect()

    def _start(self, work):
        async def body():
            try:
                await work
            except Exception as error:
                emit('failed', message=f'{type(error).__name__}: {error}')

        task = asyncio.create_task(body())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def notify(self, count, size):
        start = time.monotonic()
        for index in range(count):
            for characteristic in (self.notifying, self.either):
                await self.device.notify_subscribers(characteristic, bench.pattern(index, size))
            if index % 64 == 63:
                await asyncio.gather(*(connection.drain() for connection in self.device.connections.values()))
        emit('notified', count=count, size=size, seconds=round(time.monotonic() - start, 3))

    async def indicate(self, count, size):
        start = time.monotonic()
        for index in range(count):
            for characteristic in (self.indicating, self.either):
                await self.device.indicate_subscribers(characteristic, bench.pattern(index, size))
        emit('indicated', count=count, size=size, seconds=round(time.monotonic() - start, 3))

    async def end(self, connection):
        # A controller drops queued data of a link that its host ends, including the response to this command.
        await connection.drain()
        await connection.disconnect()

    async def beat(self, rate):
        # Flags: 16-bit RR intervals, contact detected; then the rate, then one RR interval in 1/1024 s.
        self.heart_rate = rate
        await self.device.notify_subscribers(
            self.measurement, struct.pack('<BBH', 0b00010110, rate, int(60 / rate * 1024)))

    async def beats(self, period):
        while True:
            await asyncio.sleep(period)
            await self.beat(60 + (self.heart_rate - 59) % 60)

    async def set_battery(self, percent):
        self.values['battery'] = bytes([percent])
        await self.device.notify_subscribers(self.level, self.values['battery'])

    async def add_service(self):
        service = Service(bench.ADDED_SERVICE, [Characteristic(bench.ADDED_VALUE, Properties.READ, READABLE, b'new')])
        self.device.add_service(service)
        self.added.append(service)
        await self._service_changed(service)

    async def remove_service(self):
        # Bumble has no removal. The service is the last one, so its attributes are the end of the list.
        service = self.added.pop()
        server = self.device.gatt_server
        server.services.remove(service)
        del server.attributes[service.handle - 1:]
        for handle in [handle for handle in server.attributes_by_handle if handle >= service.handle]:
            del server.attributes_by_handle[handle]
        await self._service_changed(service)

    async def _service_changed(self, service):
        await self.device.indicate_subscribers(
            self.device.gatt_service.service_changed_characteristic,
            struct.pack('<HH', service.handle, service.end_group_handle))


def watch(device, mtu_name='mtu'):
    """Prints the events of connections."""

    def parameters_of(connection):
        values = connection.parameters
        return {
            'interval': values.connection_interval, 'latency': values.peripheral_latency,
            'timeout': values.supervision_timeout,
        }

    def on_connection(connection):
        handle = connection.handle
        emit('connected', connection=handle, peer=connection.peer_address, **parameters_of(connection))
        connection.on('disconnection', lambda reason: emit('disconnected', connection=handle, reason=int(reason)))
        connection.on('connection_att_mtu_update', lambda: emit(mtu_name, connection=handle, value=connection.att_mtu))
        connection.on(
            'connection_parameters_update', lambda: emit('parameters', connection=handle, **parameters_of(connection)))
        connection.on(
            'connection_phy_update',
            lambda phy: emit('phy', connection=handle, transmit=int(phy.tx_phy), receive=int(phy.rx_phy)))
        connection.on(
            'connection_data_length_change',
            lambda: emit('dataLength', connection=handle, transmit=connection.data_length.max_tx_octets,
                         receive=connection.data_length.max_rx_octets))
        connection.on(
            'connection_encryption_change',
            lambda: emit('encryption', connection=handle, encrypted=bool(connection.is_encrypted)))

    device.on('connection', on_connection)
    device.on('characteristic_subscription', lambda bearer, characteristic, notify, indicate: emit(
        'subscription', uuid=characteristic.uuid.to_hex_str('-'), notify=notify, indicate=indicate))


def open_echo(device, psm):
    """Serves a credit-based channel that echoes each SDU."""

    def on_channel(channel):
        emit('channelOpened', psm=psm, mtu=channel.peer_mtu, mps=channel.peer_mps)
        channel.sink = lambda sdu: channel.write(bytes(sdu))
        channel.on('close', lambda: emit('channelClosed', psm=psm))

    device.create_l2cap_server(LeCreditBasedChannelSpec(psm=psm, mtu=2048, mps=247, max_credits=16), handler=on_channel)


async def advertise(device, options):
    advertisement = bytes(AdvertisingData([
        data_types.Flags(
            AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE | AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED),
        data_types.IncompleteListOf16BitServiceUUIDs([UUID('180D'), UUID('180F')]),
        data_types.CompleteLocalName(options.name),
        *([data_types.ManufacturerSpecificData(
            0xFFFF, bytes(index & 0xFF for index in range(options.advertising_octets)))]
          if options.advertising_octets else []),
    ]))
    response = bytes(AdvertisingData([data_types.IncompleteListOf128BitServiceUUIDs([bench.SERVICE])]))
    own = hci.OwnAddressType.PUBLIC if options.public else hci.OwnAddressType.RANDOM
    if options.advertising == 'legacy':
        await device.start_advertising(
            auto_restart=True, own_address_type=own, advertising_data=advertisement, scan_response_data=response,
            advertising_interval_min=options.interval, advertising_interval_max=options.interval)
    else:
        await device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(
                own_address_type=own,
                advertising_event_properties=AdvertisingEventProperties(is_connectable=True, is_scannable=False),
                primary_advertising_interval_min=options.interval, primary_advertising_interval_max=options.interval),
            advertising_data=advertisement, auto_start=True, auto_restart=True)


async def main(session, options):
    async with await open_controller(options.controller) as transport:
        address = hci.Address(options.address)
        # By default Bumble distributes its public address as identity, even while it uses a random one.
        configuration = DeviceConfiguration(name=options.name, address=address, irk=(bytes(address) * 3)[:16])
        device = Device(config=configuration, host=Host(transport.source, transport.sink))
        device.pairing_config_factory = lambda _: PairingConfig(identity_address_type=PairingConfig.AddressType.RANDOM)
        device.gatt_server.max_mtu = options.mtu
        services = Bench(device)
        watch(device)
        open_echo(device, bench.CHANNEL_PSM)
        await device.power_on()
        await advertise(device, options)
        if options.heart_rate_period:
            services._start(services.beats(options.heart_rate_period))
        transport.source.terminated.add_done_callback(lambda _: (emit('controllerLost'), session.end()))

        def connections():
            return list(device.connections.values())

        async def update_parameters(low, high, latency, timeout, way='l2cap'):
            await connections()[-1].update_parameters(
                float(low), float(high), int(latency), float(timeout), use_l2cap=way == 'l2cap')

        async def peer_name():
            values = await Peer(connections()[-1]).read_characteristics_by_uuid(UUID('2A00'))
            return {'name': bytes(values[0]).decode() if values else None}

        async def exchange_mtu(size):
            return {'value': await Peer(connections()[-1]).request_mtu(int(size))}

        async def disconnect():
            for connection in connections():
                await connection.disconnect()

        emit('ready', name=options.name,
             address=str(device.public_address if options.public else device.random_address),
             aclLength=device.host.le_acl_packet_queue.max_packet_size)
        await session.serve({
            'notify': lambda count, size: services.notify(int(count), int(size)),
            'indicate': lambda count, size: services.indicate(int(count), int(size)),
            'heart-rate': lambda rate: services.beat(int(rate)),
            'battery': lambda percent: services.set_battery(int(percent)),
            'update-parameters': update_parameters,
            'add-service': services.add_service,
            'remove-service': services.remove_service,
            'peer-name': peer_name,
            'exchange-mtu': exchange_mtu,
            'counters': lambda: {
                'commands': services.sink.commands, 'octets': services.sink.octets,
                'disordered': services.sink.disordered},
            'disconnect': disconnect,
        })
    return 0


if __name__ == '__main__':
    chosen = arguments()
    run(lambda session: main(session, chosen))
