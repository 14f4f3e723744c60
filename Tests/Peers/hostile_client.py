#!/usr/bin/env python3
"""Hostile arguments to `org.bluez`, run by `harald bluez` beside the devices of `bleak_scene.yaml`.

Each call has to be answered with the error beside it, and the service has to live afterwards. Exits with 0 if so.
"""

import asyncio
import sys

from dbus_fast import BusType, Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER = '/org/bluez/hci0'
DEVICE = ADAPTER + '/dev_C0_00_00_00_00_01'
STANDARD = 'org.freedesktop.DBus.Error.'
BLUEZ = 'org.bluez.Error.'


def calls(value):
    adapter, device, characteristic = 'org.bluez.Adapter1', 'org.bluez.Device1', 'org.bluez.GattCharacteristic1'
    properties = 'org.freedesktop.DBus.Properties'
    big = bytes(10_000_000)
    return [
        # (path, interface, member, signature, arguments, the error's name; None for success)
        ('/nowhere', adapter, 'StartDiscovery', '', [], STANDARD + 'UnknownObject'),
        (ADAPTER, adapter, 'NoSuchMethod', '', [], STANDARD + 'UnknownMethod'),
        (ADAPTER, adapter, 'StartDiscovery', 's', ['x'], STANDARD + 'UnknownMethod'),
        (ADAPTER, adapter, 'StopDiscovery', '', [], BLUEZ + 'Failed'),
        (ADAPTER, adapter, 'SetDiscoveryFilter', 'a{sv}', [{'RSSI': Variant('s', 'near')}], BLUEZ + 'InvalidArguments'),
        (ADAPTER, adapter, 'SetDiscoveryFilter', 'a{sv}', [{'UUIDs': Variant('as', ['no'])}],
         BLUEZ + 'InvalidArguments'),
        (ADAPTER, adapter, 'SetDiscoveryFilter', 'a{sv}', [{'Other': Variant('b', True)}], BLUEZ + 'InvalidArguments'),
        (ADAPTER, adapter, 'RemoveDevice', 'o', [DEVICE + '0'], BLUEZ + 'DoesNotExist'),
        (ADAPTER, adapter, 'ConnectDevice', 'a{sv}', [{'Address': Variant('s', 'home')}], BLUEZ + 'InvalidArguments'),
        (ADAPTER, adapter, 'ConnectDevice', 'a{sv}', [{}], BLUEZ + 'InvalidArguments'),
        (ADAPTER, properties, 'Get', 'ss', [adapter, 'Other'], STANDARD + 'InvalidArgs'),
        (ADAPTER, properties, 'Get', 'ss', ['no.such', 'Other'], STANDARD + 'InvalidArgs'),
        (ADAPTER, properties, 'Set', 'ssv', [adapter, 'Powered', Variant('s', 'yes')], STANDARD + 'InvalidSignature'),
        (ADAPTER, properties, 'Set', 'ssv', [adapter, 'Address', Variant('s', 'x')], STANDARD + 'PropertyReadOnly'),
        ('/org/bluez', 'org.bluez.AgentManager1', 'RegisterAgent', 'os', ['/a', 'Mind'], BLUEZ + 'InvalidArguments'),
        ('/org/bluez', 'org.bluez.AgentManager1', 'UnregisterAgent', 'o', ['/a'], BLUEZ + 'DoesNotExist'),
        (DEVICE, device, 'ConnectProfile', 's', ['110b'], BLUEZ + 'NotAvailable'),
        (DEVICE, device, 'CancelPairing', '', [], BLUEZ + 'DoesNotExist'),
        (value, characteristic, 'ReadValue', 'a{sv}', [{'offset': Variant('q', 65535)}], BLUEZ + 'InvalidArguments'),
        (value, characteristic, 'ReadValue', 'a{sv}', [{'offset': Variant('s', '0')}], BLUEZ + 'InvalidArguments'),
        (value, characteristic, 'WriteValue', 'aya{sv}', [big, {}], BLUEZ + 'Failed'),
        (value, characteristic, 'WriteValue', 'aya{sv}', [b'', {'type': Variant('s', 'gift')}], BLUEZ + 'NotSupported'),
        (value, characteristic, 'StartNotify', '', [], BLUEZ + 'NotSupported'),
        (value, characteristic, 'StopNotify', '', [], BLUEZ + 'Failed'),
        (value, characteristic, 'AcquireNotify', 'a{sv}', [{}], BLUEZ + 'NotSupported'),
        (value, characteristic, 'AcquireWrite', 'a{sv}', [{}], BLUEZ + 'NotSupported'),
        (value, characteristic, 'ReadValue', 'a{sv}', [{}], None),
    ]


class Client:
    def __init__(self, bus):
        self.bus = bus

    async def call(self, path, interface, member, signature='', arguments=()):
        message = Message(
            destination='org.bluez', path=path, interface=interface, member=member, signature=signature,
            body=list(arguments))
        return await asyncio.wait_for(self.bus.call(message), timeout=20)

    async def objects(self):
        return (await self.call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')).body[0]

    async def until(self, isThere):
        while True:
            found = [path for path, interfaces in (await self.objects()).items() if isThere(path, interfaces)]
            if found:
                return found[0]
            await asyncio.sleep(0.05)


async def main():
    client = Client(await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect())
    await client.call(ADAPTER, 'org.bluez.Adapter1', 'StartDiscovery')
    await client.until(lambda path, _: path == DEVICE)
    await client.call(ADAPTER, 'org.bluez.Adapter1', 'StopDiscovery')
    await client.call(DEVICE, 'org.bluez.Device1', 'Connect')

    def is_value(path, interfaces):
        properties = interfaces.get('org.bluez.GattCharacteristic1', {})
        return path.startswith(DEVICE) and properties.get('UUID') == Variant(
            's', '0000fff1-0000-1000-8000-00805f9b34fb')

    value = await client.until(is_value)
    problems = []
    for path, interface, member, signature, arguments, expected in calls(value):
        reply = await client.call(path, interface, member, signature, arguments)
        name = reply.error_name if reply.message_type == MessageType.ERROR else None
        if name != expected:
            problems.append(f'{member} {path} {str(arguments)[:60]}: {name} instead of {expected}')
    # What needs no answer asks for none: a client that does not answer would use up the replies that a bus allows.
    flags = asyncio.get_running_loop().create_future()

    def answer(message):
        if message.member == 'GetManagedObjects':
            patterns = Variant('a(yyay)', [[0, 1, b'\x06']])
            monitor = {'org.bluez.AdvertisementMonitor1': {'Type': Variant('s', 'or_patterns'), 'Patterns': patterns}}
            return Message.new_method_return(message, 'a{oa{sa{sv}}}', [{'/monitors/0': monitor}])
        if message.member == 'Activate' and not flags.done():
            flags.set_result(message.flags)
        return message.message_type == MessageType.METHOD_CALL

    client.bus.add_message_handler(answer)
    await client.call(ADAPTER, 'org.bluez.AdvertisementMonitorManager1', 'RegisterMonitor', 'o', ['/monitors'])
    if not await asyncio.wait_for(flags, 20) & MessageFlag.NO_REPLY_EXPECTED:
        problems.append('Activate expects a reply')
    # A caller that leaves before the answer.
    leaver = Client(await MessageBus(bus_type=BusType.SYSTEM).connect())
    for _ in range(50):
        await leaver.bus.send(Message(
            destination='org.bluez', path=value, interface='org.bluez.GattCharacteristic1', member='ReadValue',
            signature='a{sv}', body=[{}]))
    leaver.bus.disconnect()
    await client.objects()
    print('\n'.join(problems) or 'every call was answered as expected')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(asyncio.run(main()))
