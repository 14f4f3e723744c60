"""The peer of the tests on Linux.

    peer.py SOCKET...          serves one of Bumble's virtual controllers at each Unix socket, and on the same air a
                               device with the service of Tests/Linux/Checks
    peer.py alone SOCKET...    serves the controllers without a device

It runs outside the machine, where Bumble is thirty times as fast; vhci.py attaches the controllers to the machine's
kernel.
"""

import asyncio
import sys

from bumble.att import ATT_Error
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.device import AdvertisingData, Device
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.hci import Address, LeFeatureMask
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

NAME = "TestPeer"  # eight characters: with the service it exactly fits one advertisement
ADDRESS = "F0:F1:F2:F3:F4:F5"


def uuid(number):
    return f"A5B7{number:04X}-1C2D-4E5F-8091-A2B3C4D5E6F7"


class Air(LocalLink):
    """Bumble uses the random address of a sender as the source of all data; Linux connects with its public one."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if transport != PhysicalTransport.LE or connection is None or receiver is None:
            return super().send_acl_data(sender_controller, destination_address, transport, data)
        loop = asyncio.get_running_loop()
        loop.call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)


def tune(controller):
    """Features hidden from Linux, which would wait for events that Bumble's controller never sends."""
    controller.le_acl_data_packet_length = 251
    controller.acl_data_packet_length = 251
    for feature in ("LL_PRIVACY", "LE_EXTENDED_ADVERTISING", "LE_PERIODIC_ADVERTISING"):
        controller.le_features &= ~getattr(LeFeatureMask, feature)


def make_service(device):
    read, write = Characteristic.Properties.READ, Characteristic.Properties.WRITE
    kept_value = bytearray()

    def keep(_, value):
        kept_value[:] = value

    async def broken(_):
        raise ATT_Error(0x80)

    async def slow(_):
        await asyncio.sleep(8)
        return b"slow"

    echo = Characteristic(uuid(4), Characteristic.Properties.NOTIFY, Characteristic.READABLE, b"")
    indicated = Characteristic(uuid(6), Characteristic.Properties.INDICATE, Characteristic.READABLE, b"")

    async def answer(connection, value):
        await device.notify_subscriber(connection, echo, value)

    async def indicate(connection, count):
        for number in range(count):
            await device.indicate_subscriber(connection, indicated, bytes([number]))

    def spawn(work):
        task = asyncio.get_running_loop().create_task(work)
        running.add(task)
        task.add_done_callback(running.discard)

    running = set()
    commands = asyncio.Queue()

    async def pump():
        while True:
            await answer(*await commands.get())

    spawn(pump())
    characteristics = [
        Characteristic(
            uuid(1), read | write, Characteristic.READABLE | Characteristic.WRITEABLE,
            CharacteristicValue(read=lambda _: bytes(kept_value), write=keep),
            [Descriptor("2901", Descriptor.READABLE, b"kept")],
        ),
        Characteristic(uuid(2), read, Characteristic.READABLE, bytes(i & 255 for i in range(300))),
        Characteristic(
            uuid(3), Characteristic.Properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda connection, value: commands.put_nowait((connection, bytes(value)))),
        ),
        echo,
        Characteristic(
            uuid(5), write, Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda connection, value: spawn(indicate(connection, value[0]))),
        ),
        indicated,
        Characteristic(uuid(7), read, Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION, b"secret"),
        Characteristic(uuid(8), read, Characteristic.READABLE, CharacteristicValue(read=broken)),
        Characteristic(uuid(9), read, Characteristic.READABLE, CharacteristicValue(read=slow)),
    ]
    return Service(uuid(0), characteristics)


async def main():
    air = Air()
    controllers = []
    alone = sys.argv[1] == "alone"
    for index, socket in enumerate(sys.argv[2:] if alone else sys.argv[1:]):
        transport = await open_transport(f"unix-server:{socket}")
        address = Address(f"C0:FF:EE:00:00:{index + 1:02X}", Address.PUBLIC_DEVICE_ADDRESS)
        controller = Controller(
            f"hci{index}", host_source=transport.source, host_sink=transport.sink, link=air, public_address=address
        )
        tune(controller)
        controllers.append((transport, controller))
    if not alone:
        host = Host()
        own = Controller(
            "peer", host_source=host, host_sink=AsyncPipeSink(host), link=air,
            public_address=Address(ADDRESS, Address.PUBLIC_DEVICE_ADDRESS),
        )
        own.le_acl_data_packet_length = 251
        host.controller = own
        device = Device(name=NAME, address=Address(ADDRESS), host=host)
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=True,
            delegate=PairingDelegate(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT),
        )
        device.add_service(make_service(device))
        device.advertising_data = bytes(
            AdvertisingData([
                (AdvertisingData.FLAGS, bytes([0x06])),
                (
                    AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                    bytes(reversed(bytes.fromhex(uuid(0).replace("-", "")))),
                ),
                (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode()),
            ])
        )
        device.on("connection", lambda connection: print("connected", connection.peer_address, flush=True))
        device.on("disconnection", lambda *_: print("disconnected", flush=True))
        await device.power_on()
        await device.start_advertising(auto_restart=True, advertising_interval_min=50, advertising_interval_max=50)
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


asyncio.run(main())
