#!/usr/bin/env python3
"""A client with btleplug, which bleak-py offers to Python, beside the devices of `bleak_scene.yaml`.

Exits with 0 if all tests pass.
"""

import asyncio
import os
import unittest

import bleak_py

VALUE, NOTIFIED = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('fff1', 'fff2'))


class Btleplug(unittest.IsolatedAsyncioTestCase):
    async def test_a_device_is_used(self):
        device = await bleak_py.find_device_by_name('Gadget', timeout=20)
        self.assertEqual(device.address(), 'C0:00:00:00:00:01')
        await device.connect()
        self.assertTrue(await device.is_connected())
        self.assertIn('0000fff0-0000-1000-8000-00805f9b34fb', await device.services())
        await device.write_gatt_char(VALUE, b'\x05', True)
        self.assertEqual(bytes(await device.read_gatt_char(VALUE)), b'\x05')
        values = asyncio.Queue()

        async def notified(uuid, data):
            values.put_nowait((uuid, bytes(data)))

        await device.start_notify(NOTIFIED, notified)
        self.assertEqual(await asyncio.wait_for(values.get(), 20), (NOTIFIED, b'\x07'))
        await device.stop_notify(NOTIFIED)
        await device.disconnect()
        self.assertFalse(await device.is_connected())


if __name__ == '__main__':
    passed = unittest.main(verbosity=2, exit=False).result.wasSuccessful()
    # bleak-py 0.1.20 aborts while Python ends, because its callbacks still run.
    os._exit(0 if passed else 1)
