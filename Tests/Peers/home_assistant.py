#!/usr/bin/env python3
"""The Bluetooth part of Home Assistant, habluetooth, run by `harald bluez` beside the devices of `bleak_scene.yaml`: its
scanner on D-Bus, active and passive, and a connection with bleak-retry-connector.

Its sockets of the management interface need a kernel. Exits with 0 if all tests pass.
"""

import asyncio
import logging
import unittest

from bleak_retry_connector import BleakClientWithServiceCache, establish_connection
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager

VALUE = '0000fff1-0000-1000-8000-00805f9b34fb'


class Manager(BluetoothManager):
    def __init__(self):
        super().__init__()
        self.found = asyncio.Queue()

    def _discover_service_info(self, service_info):
        self.found.put_nowait(service_info)

    async def heard(self, name):
        while True:
            info = await asyncio.wait_for(self.found.get(), 20)
            if info.name == name:
                return info


class HomeAssistant(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.manager = Manager()
        set_manager(self.manager)
        await self.manager.async_setup()

    async def asyncTearDown(self):
        self.manager.async_stop()

    async def scan(self, mode):
        adapters = await self.manager.async_get_bluetooth_adapters()
        self.assertIn('hci0', adapters)
        scanner = HaScanner(mode, 'hci0', adapters['hci0']['address'])
        scanner.async_setup()
        unregister = self.manager.async_register_scanner(scanner, connection_slots=2)
        await scanner.async_start()
        self.assertTrue(scanner.scanning)
        info = await self.manager.heard('Gadget')
        self.assertEqual(info.manufacturer_data, {0x59: b'\x01\x02'})
        return scanner, unregister, info

    async def test_active(self):
        scanner, unregister, info = await self.scan(BluetoothScanningMode.ACTIVE)
        client = await establish_connection(BleakClientWithServiceCache, info.device, 'Gadget')
        self.assertEqual(await client.read_gatt_char(VALUE), b'\x00')
        await client.disconnect()
        await scanner.async_stop()
        unregister()

    async def test_passive(self):
        scanner, unregister, _ = await self.scan(BluetoothScanningMode.PASSIVE)
        self.assertEqual(scanner.current_mode, BluetoothScanningMode.PASSIVE)
        await scanner.async_stop()
        unregister()


if __name__ == '__main__':
    logging.basicConfig(level=logging.ERROR)
    unittest.main(verbosity=2)
