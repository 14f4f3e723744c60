"""A clean device with an address that changes, and faults of addresses."""

import asyncio
import time

from bumble import hci

from .clean import SOME_16, battery_service, device, gap, gatt, short, battery
from .clean_many import secure
from .database import service
from .device import Running
from .registry import clean, fault

PRIVATE = 'Core 5.4 Vol 3, Part C, 10.7'
VAULT = '5B0E0001-93D4-4C6F-A1B7-6E2D8F407A19'
VAULT_VALUE = VAULT.replace('0001-', '0002-', 1)


class Private(Running):
    """Advertises with a resolvable private address. It changes while there is no connection."""

    rotation = 60  # seconds; None for never

    async def start(self):
        await self.device.power_on()
        await self.rotate()
        self.start_task(self.tick())
        self.start_task(self.keep_rotating())

    def key(self):
        return self.device.irk

    async def rotate(self):
        await self.device.stop_advertising()
        self.address = hci.Address.generate_private_address(self.key())
        # Bumble's own rotation gives the controller the address before the new one.
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.address))
        self.device.random_address = self.address
        self.rotated = time.monotonic()
        await self.advertise()

    async def keep_rotating(self):
        while True:
            await asyncio.sleep(0.1)
            if self.rotation and not self.clients and time.monotonic() - self.rotated > self.rotation:
                await self.rotate()


@clean('clean-private')
def private():
    return device(
        'Vault', 0x0000, [gap('Vault', 0x0000), gatt(), service(VAULT, secure(VAULT_VALUE, 'read', b'\x2A')),
                          battery_service()],
        [(SOME_16, short('180F'))], host=Private)


@fault('address-non-resolvable', battery,
       'The device advertises as connectable with a non-resolvable private address.', f'{PRIVATE}.1; 10.8.2.1')
def _(device):
    device.address = lambda own: hci.Address(bytes(own)[:5] + bytes([0x33]), hci.Address.RANDOM_DEVICE_ADDRESS)


@fault('address-key-other', private,
       'The identity resolving key that the device gives in pairing does not resolve its address.',
       'Core 5.4 Vol 3, Part H, 2.2.2 and 3.6.4', needs='pair')
def _(device):
    class Other(Private):
        def key(self):
            return bytes(reversed(self.device.irk))
    device.host = Other


@fault('address-not-rotated', private,
       'The resolvable private address of the device never changes; 15 minutes are recommended.',
       f'{PRIVATE}.1; Appendix A', needs='slow')
def _(device):
    device.host = type('Still', (Private,), {'rotation': None})
