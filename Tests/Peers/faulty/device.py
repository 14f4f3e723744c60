"""What a device is, and how it runs on Bumble's host."""

import asyncio
import dataclasses
import struct
import zlib
from collections.abc import Callable

from bumble import hci
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from .server import Client, Server

ATT_CID, LE_SIGNALLING_CID, SMP_CID = 0x04, 0x05, 0x06
# Signalling: requests to a peripheral without channels, and packets that are responses or reports.
COMMAND_REJECT, DISCONNECTION, CHANNEL, CHANNELS, RECONFIGURATION = 0x01, 0x06, 0x14, 0x17, 0x19
NO_QUESTIONS = (COMMAND_REJECT, 0x07, 0x13, 0x15, 0x16, 0x18, 0x1A)
PAIRING_REQUEST, PAIRING_FAILED, PAIRING_PUBLIC_KEY = 0x01, 0x05, 0x0C
SMP_LENGTHS = {0x01: 7, 0x03: 17, 0x04: 17, 0x05: 2, 0x06: 17, 0x07: 11, 0x08: 17, 0x09: 8, 0x0A: 17, 0x0C: 65,
               0x0D: 17, 0x0E: 2}
SMP_INVALID_PARAMETERS, SMP_KEY_SIZE, SMP_UNSPECIFIED, SMP_DHKEY_FAILED = 0x0A, 0x06, 0x08, 0x0B
SMP_NOT_SUPPORTED = 0x05


@dataclasses.dataclass
class Definition:
    """All that makes up a device. A fault changes one thing of it."""

    title: str  # Device Name
    appearance: int
    services: list
    advertisement: bytes
    response: bytes = b''
    interval: float = 100  # of advertising, in milliseconds
    server: type = Server
    changes: list[Callable] = dataclasses.field(default_factory=list)  # change(server), after handles are given
    ticks: list[Callable] = dataclasses.field(default_factory=list)  # tick(server), each half second
    arrivals: list[Callable] = dataclasses.field(default_factory=list)  # arrival(running, connection)
    host: type | None = None  # the class of the running device, `Running` if none
    address: Callable | None = None  # another kind of address, made of the static one
    pairable: bool = True
    # Both ways are right by the specification; clean devices differ in them.
    says_not_long: bool = False
    rejects_reserved: bool = False

    def service(self, name):
        return next(each for each in self.services if each.uuid == name)


class User(PairingDelegate):
    """No display and no keys: pairing is Just Works."""

    def __init__(self, pairable):
        super().__init__(io_capability=PairingDelegate.NO_OUTPUT_NO_INPUT)
        self.pairable = pairable

    async def accept(self):
        return self.pairable


def static_address(name):
    """A static random address of a device's own."""
    number = zlib.crc32(name.encode())
    return hci.Address(f'F3:{number >> 24:02X}:{number >> 16 & 255:02X}:{number >> 8 & 255:02X}:{number & 255:02X}:01')


def address_of(name, definition):
    """The address that the device of that name begins with."""
    own = static_address(name)
    return definition.address(own) if definition.address else own


class Running:
    """A device on a controller."""

    def __init__(self, definition, source, sink, address):
        self.definition = definition
        self.address = address
        configuration = DeviceConfiguration(
            name=definition.title, address=address, irk=(bytes(address) * 3)[:16], gap_service_enabled=False,
            gatt_service_enabled=False, l2cap_extended_features=())
        self.device = device = Device(config=configuration, host=Host(source, sink))
        device.keystore = MemoryKeyStore()
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=self.user(),
            identity_address_type=PairingConfig.AddressType.RANDOM)
        self.server = definition.server(definition, self.transmit)
        self.clients = {}  # by the handle of the connection
        self.tasks = set()
        self.advertising = asyncio.Lock()
        manager = device.l2cap_channel_manager
        manager.register_fixed_channel(ATT_CID, self.on_att)
        self._next_pdu, manager.on_pdu = manager.on_pdu, self.on_pdu
        self._send_pdu, device.host.send_l2cap_pdu = device.host.send_l2cap_pdu, self.send_pdu
        device.on('connection', self.on_connection)

    def user(self):
        return User(self.definition.pairable)

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        self.start_task(self.tick())

    def start_task(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def stop(self):
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def advertise(self):
        # One at a time: two at once would each create an advertising set, and Bumble removes only the last one.
        async with self.advertising:
            await self.device.start_advertising(
                own_address_type=hci.OwnAddressType.RANDOM, advertising_data=self.definition.advertisement,
                scan_response_data=self.definition.response, advertising_interval_min=self.definition.interval,
                advertising_interval_max=self.definition.interval)

    tick_period = 0.5  # seconds

    async def tick(self):
        while True:
            await asyncio.sleep(self.tick_period)
            for work in self.definition.ticks:
                work(self.server)

    # Links

    def on_connection(self, connection):
        client = Client(connection, str(connection.peer_address), lambda: self.start_task(self.hang_up(connection)))
        self.clients[connection.handle] = client
        self.server.connected(client)
        connection.on('pairing', lambda _: self.on_paired(client))
        connection.on('disconnection', lambda _: self.on_disconnection(client, connection.handle))
        # A second client may come while the first one is there.
        self.start_task(self.advertise())
        for arrival in self.definition.arrivals:
            arrival(self, connection)

    async def hang_up(self, connection):
        # A controller drops what still waits for a link that its host ends.
        await connection.drain()
        await connection.disconnect()

    def on_disconnection(self, client, handle):
        self.clients.pop(handle, None)
        self.server.disconnected(client)

    def on_paired(self, client):
        identity = str(client.connection.peer_address)
        session = self.device.smp_manager.sessions.get(client.connection.handle)
        if session is None or session.bonding:
            self.server.paired(client, identity)
        else:
            # Bumble keeps keys also if no bond was requested.
            self.start_task(self.device.keystore.delete(identity))

    # PDUs

    def transmit(self, client, pdu):
        if client.connection.handle in self.clients:
            self.device.send_l2cap_pdu(client.connection.handle, ATT_CID, pdu)

    def send_pdu(self, handle, cid, pdu):
        """All that leaves on L2CAP."""
        self._send_pdu(handle, cid, pdu)

    def on_att(self, handle, pdu):
        if (client := self.clients.get(handle)) is not None:
            self.server.receive(client, bytes(pdu))

    def on_pdu(self, connection, cid, pdu):
        """All that arrives on L2CAP. Bumble handles only the packets that it answers as the specification requires."""
        pdu = bytes(pdu)
        if cid == LE_SIGNALLING_CID:
            self.on_signal(connection, pdu)
        elif cid != SMP_CID or self.pairing_goes_on(connection, pdu):
            self._next_pdu(connection, cid, pdu)

    def on_signal(self, connection, pdu):
        # Never an answer to a reject, nor to what has no identifier.
        if len(pdu) < 2 or pdu[0] in NO_QUESTIONS or pdu[1] == 0:
            return
        right = len(pdu) >= 4 and struct.unpack_from('<H', pdu, 2)[0] == len(pdu) - 4
        code, body = self.signal_answer(pdu[0] if right else None, pdu[4:])
        self.send_pdu(connection.handle, LE_SIGNALLING_CID, struct.pack('<BBH', code, pdu[1], len(body)) + body)

    def signal_answer(self, code, body):
        """Code and body of the answer (Core 5.4 Vol 3, Part A, 4)."""
        if code == DISCONNECTION and len(body) == 4:
            return COMMAND_REJECT, b'\x02\x00' + body  # invalid CID
        if code == CHANNEL and len(body) == 10:
            return CHANNEL + 1, bytes(8) + b'\x02\x00'  # SPSM not supported
        if code == CHANNELS and len(body) >= 10 and len(body) % 2 == 0:
            return CHANNELS + 1, bytes(6) + b'\x02\x00'
        if code == RECONFIGURATION and len(body) >= 6 and len(body) % 2 == 0:
            return RECONFIGURATION + 1, b'\x03\x00'  # no such channel
        return COMMAND_REJECT, bytes(2)  # not understood

    def fail_pairing(self, connection, reason):
        self.device.smp_manager.sessions.pop(connection.handle, None)
        self.send_pdu(connection.handle, SMP_CID, bytes([PAIRING_FAILED, reason]))
        return False

    def pairing_goes_on(self, connection, pdu):
        """Whether a pairing command is one that Bumble answers rightly; the others are answered here."""
        manager = self.device.smp_manager
        if not pdu or pdu[0] not in SMP_LENGTHS:
            return False  # reserved codes are ignored
        session = manager.sessions.get(connection.handle)
        if pdu[0] == PAIRING_FAILED:
            return session is not None
        if len(pdu) != SMP_LENGTHS[pdu[0]]:
            return self.fail_pairing(connection, SMP_INVALID_PARAMETERS)
        if pdu[0] == PAIRING_REQUEST:
            capability, out_of_band, size = pdu[1], pdu[2], pdu[4]
            if capability > 4 or out_of_band > 1 or not 7 <= size <= 16:
                return self.fail_pairing(connection, SMP_INVALID_PARAMETERS)
            if size < 16:
                return self.fail_pairing(connection, SMP_KEY_SIZE)
            client = self.clients.get(connection.handle)
            if client is not None and client.identity in self.server.bonds and not connection.is_encrypted:
                # It may be another device: its bond is kept.
                return self.fail_pairing(connection, SMP_NOT_SUPPORTED)
            manager.sessions.pop(connection.handle, None)
            manager._ecc_key = None  # a key of its own for each pairing
            return True
        if session is None:
            return self.fail_pairing(connection, SMP_UNSPECIFIED)
        if pdu[0] == PAIRING_PUBLIC_KEY and pdu[1:33] == manager.ecc_key.x[::-1]:
            return self.fail_pairing(connection, SMP_DHKEY_FAILED)
        return True
