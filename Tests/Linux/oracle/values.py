"""The chapters of the script about the attributes of a connected device."""

import os

from dbus_fast import Variant as V

from recorder import named

CHARACTERISTIC, DESCRIPTOR = 'GattCharacteristic1', 'GattDescriptor1'


async def values(r, a, b):
    from script import GADGET, characteristic, uuid

    async def found(short):
        return await characteristic(a, GADGET, uuid(short) if len(short) == 4 else short)

    def read(client, path, options=None, kind=CHARACTERISTIC):
        return client.call(path, kind + '.ReadValue', 'a{sv}', options or {})

    def write(client, path, value, options=None, kind=CHARACTERISTIC):
        return client.call(path, kind + '.WriteValue', 'aya{sv}', value, options or {})

    plain, fast, slow, hidden, fixed, long, refusing, secret, both, other = [
        await found(f'fff{n}') for n in '123456789a']
    mixed = await found('a5b70001-1c2d-4e5f-8091-a2b3c4d5e6f7')
    await r.step('read', read(a, plain))
    await r.step('read again', read(a, plain))
    for options in [{'offset': V('q', 0)}, {'offset': V('q', 2)}, {'offset': V('q', 4)}, {'offset': V('q', 5)},
                    {'offset': V('q', 65535)}, {'offset': V('s', '0')}, {'offset': V('u', 1)}, {'OFFSET': V('q', 3)},
                    {'type': V('y', 1)}, {'type': V('s', 'gift')}, {'other': V('s', 'x')},
                    {'device': V('o', GADGET)}]:
        await r.step(f'read with {named(options)}', read(a, plain, options))
    await r.step('read of wrong arguments', a.call(plain, CHARACTERISTIC + '.ReadValue'))
    await r.step('read a long value', read(a, long))
    await r.step('read a part of a long value', read(a, long, {'offset': V('q', 30)}))
    await r.step('read a value that cannot be read', read(a, hidden))
    await r.step('read a value without the property', read(a, slow))
    await r.step('two reads at once', a.start(plain, CHARACTERISTIC + '.ReadValue', 'a{sv}', {}), read(a, plain))
    await r.step('write', write(a, plain, b'\x05\x06'))
    await r.step('read what was written', read(a, plain))
    for value, options in [
            (b'', {}), (b'7', {'type': V('s', 'request')}), (b'8', {'type': V('s', 'REQUEST')}),
            (b'9', {'type': V('s', 'gift')}), (b'9', {'type': V('y', 1)}), (b'9', {'type': V('s', '')}),
            (b'01', {'offset': V('q', 0)}), (b'2', {'offset': V('q', 1)}), (b'3', {'offset': V('q', 9)}),
            (b'4', {'offset': V('s', '1')}), (b'5', {'offset': V('q', 65535)}),
            (b'6', {'type': V('s', 'command'), 'offset': V('q', 1)}), (b'abc', {'type': V('s', 'reliable')}),
            (b'd', {'type': V('s', 'reliable'), 'offset': V('q', 1)}), (b'e', {'other': V('b', True)})]:
        await r.step(f'write {value} with {named(options)}', write(a, plain, value, options), read(a, plain))
    await r.step('write of wrong arguments', a.call(plain, CHARACTERISTIC + '.WriteValue', 'ay', b'x'))
    await r.step('write a value of another type', a.call(
        plain, CHARACTERISTIC + '.WriteValue', 'sa{sv}', 'x', {}))
    await r.step('write a command where it is not a property', write(a, plain, b'x', {'type': V('s', 'command')}))
    await r.step('write a long value', write(a, long, bytes(range(200))))
    await r.step('read it', read(a, long))
    await r.step('write the longest value', write(a, long, bytes(512)))
    await r.step('write a value that is too long', write(a, long, bytes(513)))
    await r.step('write at an offset of a long value', write(a, long, b'xy', {'offset': V('q', 2)}))
    await r.step('write an empty value at an offset', write(a, long, b'', {'offset': V('q', 2)}))
    await r.step('write a value that cannot be written', write(a, fixed, b'x'))
    await r.step('write where only commands are properties', write(a, fast, b'\x01'))
    await r.step('write a request there', write(a, fast, b'\x01', {'type': V('s', 'request')}))
    await r.step('write a command', write(a, mixed, b'z', {'type': V('s', 'command')}), read(a, mixed))
    await r.step('write a command that is too long', write(a, mixed, bytes(600), {'type': V('s', 'command')}))
    await r.step('write a value that is only read', write(a, other, b'x'))
    for code in (0x01, 0x02, 0x03, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x11, 0xFD):
        await r.step(f'an answer {code:#04x} of the device', write(a, refusing, bytes([code])))
    service = plain.rsplit('/', 1)[0]
    for path, kind, members in [
            (service, 'GattService1', ('UUID', 'Primary', 'Device', 'Includes', 'Handle', 'Other')),
            (plain, CHARACTERISTIC, ('UUID', 'Service', 'Value', 'Notifying', 'Flags', 'MTU', 'WriteAcquired', 'Handle')),
            (fast, CHARACTERISTIC, ('Value', 'Notifying', 'WriteAcquired', 'NotifyAcquired'))]:
        for name in members:
            await r.step(f'get {name} of {path}', a.get(path, kind, name))
    await r.step('set a value', a.set(plain, CHARACTERISTIC, 'Value', 'ay', b'x'))
    await r.step('an attribute that is absent', read(a, service + '/char00ff'))
    # Descriptors
    described = long + '/desc'
    known = await paths(a, described) or [described + '0000']
    for path in known + await paths(a, plain + '/desc') + await paths(a, fast + '/desc'):
        await r.step(f'descriptor {path}', a.get(path, DESCRIPTOR, 'UUID'), a.get(path, DESCRIPTOR, 'Value'),
                     read(a, path, kind=DESCRIPTOR), a.get(path, DESCRIPTOR, 'Value'))
        await r.step(f'write descriptor {path}', write(a, path, b'\x01\x00', kind=DESCRIPTOR))
        await r.step(f'write descriptor {path} at an offset',
                     write(a, path, b'\x02', {'offset': V('q', 1)}, kind=DESCRIPTOR), read(a, path, kind=DESCRIPTOR))
    for options in [{'offset': V('q', 1)}, {'offset': V('q', 99)}, {'offset': V('s', '')}, {'type': V('s', 'gift')}]:
        await r.step(f'read a descriptor with {named(options)}', read(a, known[-1], options, DESCRIPTOR))
        await r.step(f'write a descriptor with {named(options)}', write(a, known[-1], b'q', options, DESCRIPTOR))
    # Notifications
    start, stop = CHARACTERISTIC + '.StartNotify', CHARACTERISTIC + '.StopNotify'
    await r.step('subscribe to a value that is only read', a.call(plain, start))
    await r.step('unsubscribe from it', a.call(plain, stop))
    await r.step('unsubscribe without a subscription', a.call(fast, stop))
    await r.step('subscribe', a.call(fast, start))
    await r.step('subscribe again', a.call(fast, start))
    await r.step('another client', b.call(fast, start))
    await r.step('unsubscribe', a.call(fast, stop))
    await r.step('a value for the other client', write(a, fast, b'\x2A'), until='Value: ay 2a')
    await r.step('the same value', write(a, fast, b'\x2A'), until='Value: ay 2a')
    await r.step('AcquireNotify while subscribed', a.call(fast, CHARACTERISTIC + '.AcquireNotify', 'a{sv}', {}))
    await r.step('unsubscribe the other', b.call(fast, stop))
    await r.step('indications', a.call(slow, start))
    await r.step('an indication', write(a, slow, b'\x2B'), until='Value: ay 2b')
    await r.step('no more indications', a.call(slow, stop))
    await r.step('both kinds', a.call(both, start), a.call(both, stop))


async def paths(client, prefix):
    reply = await client.ask('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
    return sorted(path for path in reply.body[0] if path.startswith(prefix))


async def sockets(r, a, b):
    from script import GADGET, characteristic, uuid
    plain, fast, slow = [await characteristic(a, GADGET, uuid(f'fff{n}')) for n in '123']
    mixed = await characteristic(a, GADGET, 'a5b70001-1c2d-4e5f-8091-a2b3c4d5e6f7')

    def acquire(client, path, what, options=None):
        return client.call(path, f'{CHARACTERISTIC}.Acquire{what}', 'a{sv}', options or {})

    for path in (plain, slow):
        await r.step(f'AcquireWrite of {path}', acquire(a, path, 'Write'))
        await r.step(f'AcquireNotify of {path}', acquire(a, path, 'Notify'))
    await r.step('AcquireWrite', acquire(a, mixed, 'Write'))
    await r.step('AcquireWrite again', acquire(a, mixed, 'Write'))
    await r.step('AcquireWrite of another client', acquire(b, mixed, 'Write'))
    await r.step('WriteValue meanwhile', a.call(mixed, CHARACTERISTIC + '.WriteValue', 'aya{sv}', b'x', {}))
    await r.step('ReadValue meanwhile', a.call(mixed, CHARACTERISTIC + '.ReadValue', 'a{sv}', {}))
    close(a)
    await r.step('the socket is closed', until='WriteAcquired: b false')
    await r.step('AcquireWrite after that', acquire(b, mixed, 'Write'))
    close(b)
    await r.until('WriteAcquired: b false')
    await r.step('AcquireNotify', acquire(a, fast, 'Notify'))
    await r.step('AcquireNotify again', acquire(b, fast, 'Notify'))
    await r.step('StartNotify meanwhile', a.call(fast, CHARACTERISTIC + '.StartNotify'))
    await r.step('StopNotify of another client', b.call(fast, CHARACTERISTIC + '.StopNotify'))
    close(a)
    await r.step('StopNotify after that', a.call(fast, CHARACTERISTIC + '.StopNotify'))
    await r.step('AcquireNotify with options', acquire(a, fast, 'Notify', {'other': V('s', 'x')}))
    close(a)
    await r.step('the socket of values is closed', until='NotifyAcquired: b false')


def close(client):
    for descriptor in client.descriptors:
        os.close(descriptor)
    client.descriptors = []
