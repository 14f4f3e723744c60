#!/usr/bin/env python3
"""Clients of `org.bluez` for Benchmarks/soak.py: each scans, connects, reads, subscribes and leaves the bus, again and
again.

    bus_clients.py BUS CLIENTS DEVICES SECONDS

Prints `progress N` after each 50 rounds. A refusal by `org.bluez` is counted; any other failure ends the program.
"""

import asyncio
import os
import random
import sys
import time

os.environ['DBUS_SYSTEM_BUS_ADDRESS'] = sys.argv[1]

from dbus_fast import BusType, Message, MessageType  # noqa: E402
from dbus_fast.aio import MessageBus  # noqa: E402

ADAPTER = '/org/bluez/hci0'
CLIENTS, DEVICES, SECONDS = (int(word) for word in sys.argv[2:])
END = time.monotonic() + SECONDS
counts = {'rounds': 0, 'refusals': 0}


async def call(bus, path, interface, member, signature='', body=()):
    """The answer's body, or None if BlueZ refuses."""
    reply = await asyncio.wait_for(bus.call(Message(
        destination='org.bluez', path=path, interface=interface, member=member, signature=signature,
        body=list(body))), 60)
    if reply.message_type == MessageType.ERROR:
        if not reply.error_name.startswith(('org.bluez.Error.', 'org.freedesktop.DBus.Error.UnknownObject')):
            raise RuntimeError(f'{member} of {path}: {reply.error_name} {reply.body}')
        counts['refusals'] += 1
        return None
    return reply.body


async def visit(bus, path):
    """Connects a device, reads and subscribes to its values, and disconnects it."""
    device, value = 'org.bluez.Device1', 'org.bluez.GattCharacteristic1'
    if await call(bus, path, device, 'Connect') is None:
        return
    objects, = await call(bus, '/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects') or [{}]
    for characteristic, interfaces in objects.items():
        if characteristic.startswith(path + '/') and value in interfaces:
            flags = interfaces[value]['Flags'].value
            if 'read' in flags:
                await call(bus, characteristic, value, 'ReadValue', 'a{sv}', [{}])
            if 'notify' in flags:
                await call(bus, characteristic, value, 'StartNotify')
                await asyncio.sleep(0.2)
    await call(bus, path, device, 'Disconnect')


async def round_of(bus, chance):
    await call(bus, ADAPTER, 'org.bluez.Adapter1', 'StartDiscovery')
    await asyncio.sleep(chance.uniform(1, 15))
    if chance.random() < 0.5:
        objects, = await call(bus, '/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        paths = [path for path, interfaces in objects.items() if 'org.bluez.Device1' in interfaces]
        await visit(bus, chance.choice(paths))
    # The other half of the clients leaves with its discovery.
    if chance.random() < 0.5:
        await call(bus, ADAPTER, 'org.bluez.Adapter1', 'StopDiscovery')


async def client(number):
    chance = random.Random(number)
    await asyncio.sleep(number / CLIENTS * 8)
    while time.monotonic() < END:
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        try:
            for _ in range(chance.randint(1, 4)):
                await round_of(bus, chance)
                counts['rounds'] += 1
                if counts['rounds'] % 50 == 0:
                    print(f"progress {counts['rounds']}", flush=True)
        finally:
            bus.disconnect()


async def main():
    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    print(f"{CLIENTS} clients, {DEVICES} devices: {counts['rounds']} rounds, {counts['refusals']} refusals",
          file=sys.stderr)


asyncio.run(main())
