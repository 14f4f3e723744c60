#!/usr/bin/env python3
"""A server with bluez-peripheral on hci0 and a client with bleak on hci1, in one process under one `harald bluez`.

Exits with 0 if all tests pass.
"""

import asyncio
import unittest

from bleak import BleakClient, BleakScanner
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.agent import NoIoAgent
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.descriptor import DescriptorFlags, descriptor
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus

RATE, LOCATION, SECRET = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('2a37', '2a38', '2a39'))


class HeartRate(Service):
    def __init__(self):
        self.value = b'\x01'
        super().__init__('180D', True)

    @characteristic('2A37', CharacteristicFlags.NOTIFY)
    def rate(self, options):
        pass

    @characteristic('2A38', CharacteristicFlags.READ | CharacteristicFlags.WRITE)
    def location(self, options):
        return self.value

    @location.setter
    def location(self, value, options):
        self.value = bytes(value)

    @characteristic('2A39', CharacteristicFlags.ENCRYPT_READ)
    def secret(self, options):
        return b'secret'

    @descriptor('2901', location, DescriptorFlags.READ)
    def description(self, options):
        return b'Location'


class BluezPeripheral(unittest.IsolatedAsyncioTestCase):
    async def test_a_server_is_visited(self):
        bus = await get_message_bus()
        adapter = (await Adapter.get_all(bus))[0]
        service = HeartRate()
        await service.register(bus, adapter=adapter)
        await NoIoAgent().register(bus)
        await Advertisement('Server', ['180D'], 0x0340, 60).register(bus, adapter)
        device = await BleakScanner.find_device_by_name('Server', timeout=20, bluez={'adapter': 'hci1'})
        async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
            await client.write_gatt_char(LOCATION, b'\x09', response=True)
            self.assertEqual(await client.read_gatt_char(LOCATION), b'\x09')
            described = client.services.get_characteristic(LOCATION).descriptors[0]
            self.assertEqual(await client.read_gatt_descriptor(described.handle), b'Location')
            values = asyncio.Queue()
            await client.start_notify(RATE, lambda _, data: values.put_nowait(data))
            service.rate.changed(b'\0\x50')
            self.assertEqual(await asyncio.wait_for(values.get(), 20), b'\0\x50')
            await client.pair()
            self.assertEqual(await client.read_gatt_char(SECRET), b'secret')
        bus.disconnect()


if __name__ == '__main__':
    unittest.main(verbosity=2)
