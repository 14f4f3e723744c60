#!/usr/bin/env python3
"""bleak as a client of `org.bluez`, run by `harald bluez` beside the devices of `bleak_scene.yaml`.

Exits with 0 if all tests pass. It needs no session: it is the program that `harald bluez` runs.
"""

import asyncio
import unittest

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakDBusError, BleakGATTProtocolError


def uuid(short):
    return f'0000{short}-0000-1000-8000-00805f9b34fb'


async def find(name):
    device = await BleakScanner.find_device_by_name(name, timeout=10)
    assert device is not None, f'{name} was not found'
    return device


async def taken(queue, count=1):
    return [await asyncio.wait_for(queue.get(), timeout=10) for _ in range(count)]


class Scanning(unittest.IsolatedAsyncioTestCase):
    async def test_advertised_data(self):
        found = asyncio.Queue()

        def heard(device, data):
            if data.local_name == 'Gadget':
                found.put_nowait((device, data))

        async with BleakScanner(heard, service_uuids=[uuid('fff0')]):
            (device, data), = await taken(found)
        self.assertEqual(device.address, 'C0:00:00:00:00:01')
        self.assertEqual(data.manufacturer_data, {0x0059: b'\x01\x02'})
        self.assertIn(uuid('fff0'), data.service_uuids)
        self.assertTrue(-127 <= data.rssi < 0)

    async def test_a_filter_hides_devices(self):
        self.assertIsNone(
            await BleakScanner.find_device_by_filter(
                lambda *_: True, timeout=1, service_uuids=[uuid('1234')]))


class Attributes(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.client = BleakClient(await find('Gadget'))
        await self.client.connect()

    async def asyncTearDown(self):
        await self.client.disconnect()

    async def test_services(self):
        service = self.client.services.get_service(uuid('fff0'))
        self.assertEqual(
            {one.uuid: set(one.properties) for one in service.characteristics},
            {
                uuid('fff1'): {'read', 'write'}, uuid('fff2'): {'write-without-response', 'notify'},
                uuid('fff3'): {'indicate'},
            })
        description = service.get_characteristic(uuid('fff1')).get_descriptor(uuid('2901'))
        self.assertEqual(await self.client.read_gatt_descriptor(description), b'A value')

    async def test_values(self):
        await self.client.write_gatt_char(uuid('fff1'), b'\x01\x02\x03', response=True)
        self.assertEqual(await self.client.read_gatt_char(uuid('fff1')), b'\x01\x02\x03')
        long = bytes(range(256)) + bytes(range(200))
        await self.client.write_gatt_char(uuid('fff1'), long, response=True)
        self.assertEqual(await self.client.read_gatt_char(uuid('fff1')), long)
        with self.assertRaises(BleakGATTProtocolError):
            await self.client.read_gatt_char(uuid('fff2'))

    async def test_notifications(self):
        for options in ({}, {'use_start_notify': True}):
            values = asyncio.Queue()
            await self.client.start_notify(uuid('fff2'), lambda _, data: values.put_nowait(bytes(data)), bluez=options)
            self.assertEqual(await taken(values, 3), [b'\x07'] * 3)
            # The library sends StopNotify only where it did not acquire a socket.
            if not options:
                await self.client.stop_notify(uuid('fff2'))

    async def test_indications(self):
        values = asyncio.Queue()
        await self.client.start_notify(uuid('fff3'), lambda _, data: values.put_nowait(bytes(data)))
        self.assertEqual(await taken(values), [b'\x08'])
        await self.client.stop_notify(uuid('fff3'))

    async def test_a_characteristic_without_notifications(self):
        with self.assertRaises(BleakDBusError) as caught:
            await self.client.start_notify(uuid('fff1'), lambda *_: None)
        self.assertEqual(caught.exception.dbus_error, 'org.bluez.Error.NotSupported')

    async def test_many_requests(self):
        async with BleakClient(await find('Strap')) as strap:
            reads = [self.client.read_gatt_char(uuid('fff1')) for _ in range(20)]
            reads += [strap.read_gatt_char(uuid('2a38')) for _ in range(20)]
            values = await asyncio.gather(*reads)
            self.assertEqual(values[20:], [bytearray([1])] * 20)


class Links(unittest.IsolatedAsyncioTestCase):
    async def test_the_device_ends_the_link(self):
        ended = asyncio.Event()
        client = BleakClient(await find('Leaver'), lambda _: ended.set())
        await client.connect()
        await asyncio.wait_for(ended.wait(), timeout=10)
        self.assertFalse(client.is_connected)
        await client.connect()
        self.assertTrue(client.is_connected)
        await client.disconnect()

    async def test_pairing(self):
        async with BleakClient(await find('Locked')) as client:
            await client.pair()
            self.assertEqual(await client.read_gatt_char(uuid('fff1')), b'\x2a')
            await client.unpair()
        async with BleakClient(await find('Locked'), pair=True) as client:
            self.assertEqual(await client.read_gatt_char(uuid('fff1')), b'\x2a')


if __name__ == '__main__':
    unittest.main(verbosity=2)
