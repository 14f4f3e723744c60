#!/usr/bin/env python3
"""A server with bless on hci0 and a client with bleak on hci1, in one process under one `harald bluez`.

Exits with 0 if all tests pass.
"""

import asyncio
import unittest

from bleak import BleakClient, BleakScanner
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties

SERVICE, VALUE = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('fff0', 'fff1'))


class TwoAdapters(unittest.IsolatedAsyncioTestCase):
    async def test_a_program_is_its_own_peer(self):
        server = BlessServer(name='Bless', adapter='hci0')
        server.read_request_func = lambda characteristic, **_: characteristic.value
        server.write_request_func = lambda characteristic, value, **_: setattr(characteristic, 'value', value)
        await server.add_new_service(SERVICE)
        await server.add_new_characteristic(
            SERVICE, VALUE, GATTCharacteristicProperties.read | GATTCharacteristicProperties.write, bytearray([42]),
            GATTAttributePermissions.readable | GATTAttributePermissions.writeable)
        await server.start()
        device = await BleakScanner.find_device_by_name('Bless', timeout=20, bluez={'adapter': 'hci1'})
        self.assertIn('/hci1/', device.details['path'])
        async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
            self.assertEqual(await client.read_gatt_char(VALUE), b'*')
            await client.write_gatt_char(VALUE, b'new', response=True)
            self.assertEqual(await client.read_gatt_char(VALUE), b'new')
        await server.stop()


if __name__ == '__main__':
    unittest.main(verbosity=2)
