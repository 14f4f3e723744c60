#!/usr/bin/env python3
"""A server on hci0 that takes writes from a socket (AcquireWrite), and sends notifications through one
(AcquireNotify), with bleak as its client on hci1. Run by `harald bluez`. Exits with 0 if all tests pass.
"""

import asyncio
import socket
import unittest

from bleak import BleakClient, BleakScanner
from dbus_fast import BusType
from dbus_fast.aio import MessageBus
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, method

SERVICE, VALUE = (f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('fff0', 'fff1'))
ROOT, READ = '/app', PropertyAccess.READ


class Service(ServiceInterface):
    def __init__(self):
        super().__init__('org.bluez.GattService1')

    @dbus_property(READ)
    def UUID(self) -> 's':
        return SERVICE

    @dbus_property(READ)
    def Primary(self) -> 'b':
        return True


class Value(ServiceInterface):
    def __init__(self):
        super().__init__('org.bluez.GattCharacteristic1')
        self.writes, self.updates = None, None
        self.has_writes, self.has_updates = asyncio.Event(), asyncio.Event()
        self.ends = []

    @dbus_property(READ)
    def UUID(self) -> 's':
        return VALUE

    @dbus_property(READ)
    def Service(self) -> 'o':
        return f'{ROOT}/service0'

    @dbus_property(READ)
    def Flags(self) -> 'as':
        return ['write-without-response', 'write', 'notify']

    @dbus_property(READ)
    def WriteAcquired(self) -> 'b':
        return self.writes is not None

    @dbus_property(READ)
    def NotifyAcquired(self) -> 'b':
        return self.updates is not None

    @method()
    def AcquireWrite(self, options: 'a{sv}') -> 'hq':
        self.writes, theirs = self.pair()
        self.has_writes.set()
        return [theirs, options['mtu'].value]

    @method()
    def AcquireNotify(self, options: 'a{sv}') -> 'hq':
        self.updates, theirs = self.pair()
        self.has_updates.set()
        return [theirs, options['mtu'].value]

    def pair(self):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self.ends.append(theirs)
        return ours, theirs.fileno()


class Advertisement(ServiceInterface):
    def __init__(self):
        super().__init__('org.bluez.LEAdvertisement1')

    @dbus_property(READ)
    def Type(self) -> 's':
        return 'peripheral'

    @dbus_property(READ)
    def LocalName(self) -> 's':
        return 'Sockets'

    @method()
    def Release(self):
        pass


class Sockets(unittest.IsolatedAsyncioTestCase):
    async def test_values_pass_through_sockets(self):
        bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        value = Value()
        bus.export(f'{ROOT}/service0', Service())
        bus.export(f'{ROOT}/service0/char0', value)
        bus.export('/advertisement', Advertisement())
        bus.export(ROOT, Root())
        node = await bus.introspect('org.bluez', '/org/bluez/hci0')
        adapter = bus.get_proxy_object('org.bluez', '/org/bluez/hci0', node)
        await adapter.get_interface('org.bluez.GattManager1').call_register_application(ROOT, {})
        await adapter.get_interface('org.bluez.LEAdvertisingManager1').call_register_advertisement(
            '/advertisement', {})
        device = await BleakScanner.find_device_by_name('Sockets', timeout=20, bluez={'adapter': 'hci1'})
        loop = asyncio.get_running_loop()
        async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
            for response in (False, True, False):
                await client.write_gatt_char(VALUE, b'one', response=response)
                await asyncio.wait_for(value.has_writes.wait(), 10)
                self.assertEqual(await asyncio.wait_for(loop.sock_recv(value.writes, 512), 10), b'one')
            values = asyncio.Queue()
            await client.start_notify(VALUE, lambda _, data: values.put_nowait(bytes(data)))
            await asyncio.wait_for(value.has_updates.wait(), 10)
            for number in range(100):
                await loop.sock_sendall(value.updates, bytes([number, 1]))
            for number in range(100):
                self.assertEqual(await asyncio.wait_for(values.get(), 10), bytes([number, 1]))
            await client.stop_notify(VALUE)
            # The socket ends with the last subscription.
            for end in value.ends:
                end.close()
            self.assertEqual(await asyncio.wait_for(loop.sock_recv(value.updates, 512), 10), b'')
        bus.disconnect()


class Root(ServiceInterface):
    """Without an interface of its own: the library adds ObjectManager to it."""

    def __init__(self):
        super().__init__('org.example.Application')


if __name__ == '__main__':
    unittest.main(verbosity=2)
