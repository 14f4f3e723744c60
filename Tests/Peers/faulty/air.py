"""An air of Bumble's for the self test, and centrals on it that speak raw PDUs."""

import asyncio
import struct
import time

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.link import LocalLink
from bumble.ll import AdvInd
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

from .device import ATT_CID, LE_SIGNALLING_CID, SMP_CID

NOT_EXTENDED = ~(hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING)
QUICK = 0.2  # seconds without a packet that show that there is no answer; one takes a few milliseconds


class Link(LocalLink):
    """Bumble's link, and what was advertised on it: data, scan response and interval."""

    def __init__(self):
        super().__init__()
        self.heard = asyncio.Queue()
        self.seen = set()  # addresses

    def send_advertising_pdu(self, sender_controller, packet):
        if isinstance(packet, AdvInd):
            # Bumble's controllers do not send scan responses: what would be sent is taken from the advertiser.
            advertiser = sender_controller.le_legacy_advertiser
            self.seen.add(bytes(packet.advertiser_address))
            self.heard.put_nowait((
                bytes(packet.data), bytes(advertiser.scan_response_data), advertiser.advertising_interval_min * 0.625))
        super().send_advertising_pdu(sender_controller, packet)


class BumbleAir:
    """An air in this process, of Bumble's controllers."""

    scale = 1  # how much longer an answer may take than on this air

    def __init__(self):
        self.link = Link()
        self.count = 0

    async def join(self):
        """Source and sink of a controller of its own."""
        made = Controller(f'C{self.count}', link=self.link, public_address=hci.Address(
            f'C0:DE:00:00:00:{self.count:02X}', hci.Address.PUBLIC_DEVICE_ADDRESS))
        self.count += 1
        made.le_acl_data_packet_length = made.acl_data_packet_length = 251
        made.le_features &= NOT_EXTENDED
        return made, AsyncPipeSink(made)

    async def advertised(self, _central, _address):
        return await asyncio.wait_for(self.link.heard.get(), 5)

    async def addresses(self, _central, seconds):
        """The addresses that advertise in that time."""
        self.link.seen.clear()
        await asyncio.sleep(seconds)
        return self.link.seen

    async def close(self):
        pass


class OtherAir:
    """An air at an HCI transport of which each connection is a controller of its own, such as that of `harald air`."""

    scale = 3

    def __init__(self, name, open_controller):
        self.name, self.open_controller = name, open_controller
        self.transports = []

    async def join(self):
        transport = await self.open_controller(self.name)
        self.transports.append(transport)
        return transport.source, transport.sink

    async def advertised(self, central, address):
        """Listens for several intervals: data, scan response, and the time between two advertisements."""
        data, response, times = b'', b'', []

        def on_report(report):
            nonlocal data, response
            if report.address != address:
                return
            kind = report.event_type
            extended = isinstance(report, hci.HCI_LE_Extended_Advertising_Report_Event.Report)
            if kind & 0x08 if extended else kind == 0x04:
                response = bytes(report.data)
            else:
                data = bytes(report.data)
                times.append(time.monotonic())

        central.device.host.on('advertising_report', on_report)
        await central.device.start_scanning(active=True, filter_duplicates=False)
        deadline = time.monotonic() + 12
        while len(times) < (4 if len(times) < 2 or times[1] - times[0] < 2 else 2) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        await central.device.stop_scanning()
        central.device.host.remove_listener('advertising_report', on_report)
        gaps = [after - before for before, after in zip(times, times[1:])]
        return data, response, min(gaps) * 1000

    async def addresses(self, central, seconds):
        seen = set()
        add = lambda report: seen.add(bytes(report.address))  # noqa: E731
        central.device.host.on('advertising_report', add)
        await central.device.start_scanning(active=True, filter_duplicates=False)
        await asyncio.sleep(seconds)
        await central.device.stop_scanning()
        central.device.host.remove_listener('advertising_report', add)
        return seen

    async def close(self):
        for transport in self.transports:
            await transport.close()


class Gone(Exception):
    """The link ended: the last answer that came on it."""


class Central:
    """A host on the air."""

    def __init__(self, number, source, sink, scale):
        self.scale = scale
        address = hci.Address(f'E{number}:00:00:00:00:0{number}')
        configuration = DeviceConfiguration(name='Central', address=address, irk=(bytes(address) * 3)[:16])
        self.device = Device(config=configuration, host=Host(source, sink))
        self.device.keystore = MemoryKeyStore()
        self.device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True, identity_address_type=PairingConfig.AddressType.RANDOM,
            delegate=PairingDelegate(io_capability=PairingDelegate.NO_OUTPUT_NO_INPUT))

    async def start(self):
        await self.device.power_on()

    async def connect(self, address):
        connection = await self.device.connect(address, own_address_type=hci.OwnAddressType.RANDOM, timeout=5)
        return Bearer(self.device, connection, self.scale)


class Bearer:
    """One connection, on which requests go out as octets and come back as octets."""

    def __init__(self, device, connection, scale):
        self.device = device
        self.connection = connection
        self.scale = scale
        self.answers = asyncio.Queue()
        self.notified = []  # (time, opcode, handle, value)
        self.arrived = asyncio.Event()
        self.signals = []
        self.pairing = []
        self.confirms = True
        self.extra = []  # answers that nothing had asked for
        self.gone = False
        self.last = b''  # the last answer
        self.mtu = 23
        self.longest = 0
        connection.on('disconnection', lambda _: self.on_gone())
        manager = device.l2cap_channel_manager
        manager.register_fixed_channel(ATT_CID, self.on_att)
        self._next_pdu = type(manager).on_pdu.__get__(manager)
        manager.on_pdu = self.on_pdu

    def on_gone(self):
        self.gone = True
        self.answers.put_nowait(None)

    def on_pdu(self, connection, cid, pdu):
        pdu = bytes(pdu)
        if cid == LE_SIGNALLING_CID:
            self.signals.append(pdu)
            if pdu[0] != 0x12:
                return
        if cid == SMP_CID:
            self.pairing.append(pdu)
            if pdu[0] > 0x0E:
                return
        self._next_pdu(connection, cid, pdu)

    def on_att(self, _handle, pdu):
        pdu = bytes(pdu)
        self.longest = max(self.longest, len(pdu))
        if pdu[0] in (0x1B, 0x1D):
            self.notified.append((time.monotonic(), pdu[0], struct.unpack_from('<H', pdu, 1)[0], pdu[3:]))
            self.arrived.set()
            if pdu[0] == 0x1D and self.confirms:
                self.send(b'\x1E')
        else:
            self.answers.put_nowait(pdu)

    def send(self, pdu, cid=ATT_CID):
        self.device.send_l2cap_pdu(self.connection.handle, cid, pdu)

    async def request(self, pdu, wait=3):
        """The answer, or None when there is none in time."""
        if self.gone:
            raise Gone(self.last)
        while not self.answers.empty():
            self.extra.append(self.answers.get_nowait())
        self.send(pdu)
        try:
            answer = await asyncio.wait_for(self.answers.get(), wait * self.scale)
        except TimeoutError:
            return None
        if answer is None:
            raise Gone(self.last)
        self.last = answer
        return answer

    async def signal(self, pdu, wait=QUICK):
        """The first signalling command that comes after that one."""
        before = len(self.signals)
        self.send(pdu, LE_SIGNALLING_CID)
        await asyncio.sleep(wait * self.scale)
        return self.signals[before] if len(self.signals) > before else None

    async def values(self, count, wait=QUICK, after=0):
        """Waits for that many values that the server sends; gives those that came."""
        deadline = time.monotonic() + wait * self.scale
        while len(self.notified) - after < count and (left := deadline - time.monotonic()) > 0:
            self.arrived.clear()
            try:
                await asyncio.wait_for(self.arrived.wait(), left)
            except TimeoutError:
                break
        return self.notified[after:]

    async def disconnect(self):
        if not self.gone:
            await self.connection.disconnect()

    # Requests

    def handle_request(self, opcode, *numbers):
        return self.request(struct.pack(f'<B{len(numbers)}H', opcode, *numbers))

    def read(self, handle):
        return self.handle_request(0x0A, handle)

    def blob(self, handle, offset):
        return self.handle_request(0x0C, handle, offset)

    def write(self, handle, value):
        return self.request(struct.pack('<BH', 0x12, handle) + value)

    def prepare(self, handle, offset, value):
        return self.request(struct.pack('<BHH', 0x16, handle, offset) + value)

    def execute(self, flags):
        return self.request(bytes([0x18, flags]))

    async def whole(self, handle):
        """A value by Read and Read Blob, or the error."""
        answer = await self.read(handle)
        if answer is None or answer[0] != 0x0B:
            return answer, None
        value = answer[1:]
        part = value
        while len(part) == self.mtu - 1 and len(value) < 600:
            answer = await self.blob(handle, len(value))
            if answer is None or answer[0] != 0x0D:
                break
            part = answer[1:]
            value += part
        return answer, value

    async def exchange(self, mtu):
        answer = await self.handle_request(0x02, mtu)
        if answer and answer[0] == 0x03:
            self.mtu = max(23, min(mtu, struct.unpack('<H', answer[1:])[0]))
        return answer
