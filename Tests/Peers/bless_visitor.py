#!/usr/bin/env python3
"""bleak as the client of `bless_server.py`, each under its own `harald bluez` on one air.

Exits with 0 if all tests pass.
"""

import asyncio
import unittest

from bleak import BleakClient, BleakScanner


def uuid(short):
    return f'0000{short}-0000-1000-8000-00805f9b34fb'


class Server(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        device = await BleakScanner.find_device_by_filter(
            lambda _, data: data.local_name == 'Bless' and uuid('fff0') in data.service_uuids, timeout=20)
        self.assertIsNotNone(device)
        self.client = BleakClient(device)
        await self.client.connect()

    async def asyncTearDown(self):
        await self.client.disconnect()

    async def test_1_values(self):
        self.assertEqual(await self.client.read_gatt_char(uuid('fff1')), bytearray([42]))
        # More than one packet, in both directions.
        long = bytes(range(256)) + bytes(range(200))
        for value in (b'\x01\x02\x03', long):
            await self.client.write_gatt_char(uuid('fff1'), value, response=True)
            self.assertEqual(await self.client.read_gatt_char(uuid('fff1')), value)

    async def test_2_descriptors(self):
        value = self.client.services.get_characteristic(uuid('fff1'))
        description = value.get_descriptor(uuid('2901'))
        self.assertEqual(await self.client.read_gatt_descriptor(description), b'A value')

    async def test_3_subscriptions(self):
        for characteristic in ('fff2', 'fff3'):
            values = asyncio.Queue()
            await self.client.start_notify(uuid(characteristic), lambda _, data: values.put_nowait(bytes(data)))
            for number in range(5):
                await self.client.write_gatt_char(uuid('fff1'), bytes([number]), response=True)
                self.assertEqual(await asyncio.wait_for(values.get(), timeout=10), bytes([number]))
            await self.client.stop_notify(uuid(characteristic))


if __name__ == '__main__':
    unittest.main(verbosity=2)
