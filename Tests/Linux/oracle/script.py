"""The script of the oracle: calls of `org.bluez` on the devices of scene.yaml, and what to wait for after them.

    script.py FILE             runs it on the system bus, and writes the recording
    script.py FILE RECORDING   compares it too: fails if there is a difference that differences.py does not have

hci0 is the adapter under test. hci1 is on the same air, and is the central of the peripheral role.
"""

import asyncio
import os
import re
import sys

from dbus_fast import Variant as V

import compare
import peripheral
import values
from recorder import Client, Recorder, bare, interface, named

HCI0, HCI1 = '/org/bluez/hci0', '/org/bluez/hci1'
GADGET, STRAP, BEACON, LOCKED, LEAVER, HIDDEN, REFUSED, CANCELLED, PAIRING, WRONG = (
    f'{HCI0}/dev_C0_00_00_00_00_0{n}' for n in list(range(1, 10)) + ['A'])
OBJECTS, PROPERTIES, BLUEZ = 'ObjectManager', 'Properties', '/org/bluez'


def uuid(short):
    return f'0000{short}-0000-1000-8000-00805f9b34fb'


async def tree(r, a, b):
    for path in ('/', '/org', BLUEZ, HCI0, '/nowhere', '/org/bluez/hci7'):
        await r.step(f'introspect {path}', introspected(r, a, path))
    await r.step('objects', objects(r, a, lambda path: True))
    errors = [
        ('/nowhere', 'Adapter1.StartDiscovery', '', []),
        (HCI0, 'Adapter1.NoSuchMethod', '', []),
        (HCI0, 'NoSuch1.StartDiscovery', '', []),
        (HCI0, 'Adapter1.StartDiscovery', 's', ['x']),
        (HCI0, 'Adapter1.SetDiscoveryFilter', 's', ['x']),
        (HCI0, 'Adapter1.SetDiscoveryFilter', '', []),
        (HCI0, 'Properties.Get', 'ss', ['org.bluez.Adapter1', 'Other']),
        (HCI0, 'Properties.Get', 'ss', ['no.such', 'Other']),
        (HCI0, 'Properties.Get', 's', ['org.bluez.Adapter1']),
        (HCI0, 'Properties.GetAll', 's', ['no.such']),
        (HCI0, 'Properties.Set', 'ssv', ['no.such', 'Alias', V('s', 'x')]),
        (HCI0, 'Properties.Set', 'ssv', ['org.bluez.Adapter1', 'Other', V('s', 'x')]),
        (HCI0, 'Properties.Set', 'ssv', ['org.bluez.Adapter1', 'Address', V('s', 'x')]),
        (HCI0, 'Properties.Set', 'ssv', ['org.bluez.Adapter1', 'Powered', V('s', 'yes')]),
        (HCI0, 'ObjectManager.GetManagedObjects', '', []),
        (BLUEZ, 'Adapter1.StartDiscovery', '', []),
        ('/org', 'Adapter1.StartDiscovery', '', []),
        ('/', 'Properties.GetAll', 's', ['org.bluez.Adapter1']),
        (BLUEZ, 'Properties.GetAll', 's', ['org.bluez.AgentManager1']),
    ]
    for path, method, signature, body in errors:
        await r.step(f'{method} {signature} on {path}', a.call(path, method, signature, *body))
    await r.step('a call without interface', a.call(HCI0, 'GetDiscoveryFilters'))
    await r.step('a call without interface of an unknown member', a.call(HCI0, 'NoSuchMethod'))
    await r.step('ping', a.call(HCI0, 'Peer.Ping'))


async def introspected(r, client, path):
    """Records the members of the interfaces, one a line."""
    reply = await client.call(path, 'Introspectable.Introspect')
    r.lines = [(c, line) for c, line in r.lines if not line.startswith('< ') or ': s <' not in line]
    if reply.error_name:
        return
    name, found = '', []
    for element in re.finditer(r'<(\w+)([^>]*?)/?>', reply.body[0]):
        keys = dict(re.findall(r'(\w+)="([^"]*)"', element[2]))
        if element[1] == 'interface':
            name = keys['name']
            found.append(name)
        elif element[1] in ('method', 'signal', 'property'):
            found.append(f'{name}.{keys["name"]} {element[1]} {keys.get("type", "")} {keys.get("access", "")}'.strip())
        elif element[1] == 'arg':
            found[-1] += f' {keys.get("direction", "")} {keys["name"]}:{keys["type"]}'
        elif element[1] == 'node' and 'name' in keys and not keys['name'].startswith('/'):
            found.append(f'node {keys["name"]}')
    for line in sorted(found):
        r.add('<', client.name, line)


async def objects(r, client, chosen):
    """Records the objects and their properties, one a line."""
    reply = await client.ask('/', interface(OBJECTS), 'GetManagedObjects')
    for path, interfaces in sorted(reply.body[0].items()):
        if not chosen(path):
            continue
        for name, properties in sorted(interfaces.items()):
            r.add('<', client.name, f'{path} {name}')
            for key, value in sorted(properties.items()):
                r.add('<', client.name, f'{path} {name.split(".")[-1]}.{key} {bare(value, "v")}')


async def adapter(r, a, b):
    for name in ('Address', 'AddressType', 'Name', 'Alias', 'Class', 'Powered', 'PowerState', 'Discoverable',
                 'DiscoverableTimeout', 'Pairable', 'PairableTimeout', 'Discovering', 'UUIDs', 'Modalias', 'Roles',
                 'ExperimentalFeatures'):
        await r.step(f'get {name}', a.get(HCI0, 'Adapter1', name))
    for name, signature, value in [
            ('Alias', 's', 'Desk'), ('Alias', 's', 'Desk'), ('Alias', 's', ''), ('Discoverable', 'b', True),
            ('Discoverable', 'b', True), ('Discoverable', 'b', False), ('DiscoverableTimeout', 'u', 90),
            ('DiscoverableTimeout', 'u', 90), ('DiscoverableTimeout', 'i', 9), ('Pairable', 'b', False),
            ('Pairable', 'b', True), ('Pairable', 'b', True), ('PairableTimeout', 'u', 60),
            ('PairableTimeout', 'u', 0), ('Powered', 'b', True), ('Class', 'u', 1), ('Discovering', 'b', True),
            ('Roles', 'as', [])]:
        await r.step(f'set {name} {value!r}', a.set(HCI0, 'Adapter1', name, signature, value), settled(a, name))
    for entries in [
            {}, {'RSSI': V('n', -80)}, {'RSSI': V('s', 'near')}, {'RSSI': V('n', 21)}, {'RSSI': V('n', -128)},
            {'RSSI': V('i', -80)}, {'Pathloss': V('q', 137)}, {'Pathloss': V('q', 138)},
            {'RSSI': V('n', -80), 'Pathloss': V('q', 100)}, {'Transport': V('s', 'le')},
            {'Transport': V('s', 'auto')}, {'Transport': V('s', 'bredr')}, {'Transport': V('s', 'LE')},
            {'Transport': V('b', True)}, {'UUIDs': V('as', ['180d'])}, {'UUIDs': V('as', [uuid('180d')])},
            {'UUIDs': V('as', ['no'])}, {'UUIDs': V('as', [])}, {'UUIDs': V('s', '180d')},
            {'DuplicateData': V('b', True)}, {'DuplicateData': V('y', 1)}, {'Discoverable': V('b', False)},
            {'Discoverable': V('s', 'no')}, {'Pattern': V('s', '')}, {'Pattern': V('s', 'Gad')},
            {'Pattern': V('y', 1)}, {'Other': V('b', True)}, {}]:
        await r.step(f'filter {named(entries)}', a.call(HCI0, 'Adapter1.SetDiscoveryFilter', 'a{sv}', entries))
    await r.step('filters', a.call(HCI0, 'Adapter1.GetDiscoveryFilters'))
    for path in (GADGET, HCI0, '/', '/org/bluez/hci1/dev_C0_00_00_00_00_01'):
        await r.step(f'remove {path}', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', path))
    for entries in [
            {}, {'Address': V('s', 'home')}, {'Address': V('y', 1)}, {'AddressType': V('s', 'public')},
            {'Address': V('s', 'C0:00:00:00:00:01'), 'AddressType': V('s', 'static')},
            {'Address': V('s', '00:00:00:00:00:00')}, {'Other': V('b', True)}]:
        await r.step(f'ConnectDevice {named(entries)}', a.call(HCI0, 'Adapter1.ConnectDevice', 'a{sv}', entries))
    await r.step('stop without a discovery', a.call(HCI0, 'Adapter1.StopDiscovery'))


async def settled(client, name):
    """The adapter answers some changes before they are in effect."""
    for _ in range(3):
        await client.ask(HCI0, interface(PROPERTIES), 'Get', 'ss', 'org.bluez.Adapter1', name)


async def power(r, a, b):
    await r.step('power off', a.set(HCI0, 'Adapter1', 'Powered', 'b', False), until='Powered: b false')
    for method, signature, body in [
            ('StartDiscovery', '', []), ('StopDiscovery', '', []), ('SetDiscoveryFilter', 'a{sv}', [{}]),
            ('SetDiscoveryFilter', 'a{sv}', [{'RSSI': V('s', '')}]), ('RemoveDevice', 'o', [GADGET]),
            ('ConnectDevice', 'a{sv}', [{}]), ('GetDiscoveryFilters', '', [])]:
        await r.step(f'{method} {signature} without power', a.call(HCI0, 'Adapter1.' + method, signature, *body))
    await r.step('Discoverable without power', a.set(HCI0, 'Adapter1', 'Discoverable', 'b', True))
    await r.step('Pairable without power', a.set(HCI0, 'Adapter1', 'Pairable', 'b', True))
    await r.step('Alias without power', a.set(HCI0, 'Adapter1', 'Alias', 's', ''))
    await r.step('power off again', a.set(HCI0, 'Adapter1', 'Powered', 'b', False))
    await r.step('power on', a.set(HCI0, 'Adapter1', 'Powered', 'b', True), until='PowerState: s on')


async def agents(r, a, b):
    def agent(client, method, *body):
        signature = 'os' if method == 'RegisterAgent' else 'o'
        return client.call(BLUEZ, 'AgentManager1.' + method, signature, *body)

    await r.step('unregister no agent', agent(a, 'UnregisterAgent', '/agent'))
    await r.step('default of no agent', agent(a, 'RequestDefaultAgent', '/agent'))
    for capability in ('Mind', 'noinputnooutput', 'DisplayOnly', 'DisplayYesNo', 'KeyboardOnly', 'NoInputNoOutput',
                       'KeyboardDisplay', ''):
        await r.step(f'register {capability!r}', agent(a, 'RegisterAgent', '/agent', capability))
        await r.step(f'unregister {capability!r}', agent(a, 'UnregisterAgent', '/agent'))
    await r.step('register', agent(a, 'RegisterAgent', '/agent', ''))
    await r.step('register again', agent(a, 'RegisterAgent', '/agent', ''))
    await r.step('register a second one', agent(a, 'RegisterAgent', '/other', ''))
    await r.step('default at another path', agent(a, 'RequestDefaultAgent', '/other'))
    await r.step('default', agent(a, 'RequestDefaultAgent', '/agent'))
    await r.step('default again', agent(a, 'RequestDefaultAgent', '/agent'))
    await r.step('the agent of another client', agent(b, 'RegisterAgent', '/agent', 'DisplayOnly'))
    await r.step('default of another client', agent(b, 'RequestDefaultAgent', '/agent'))
    await r.step('unregister at another path', agent(a, 'UnregisterAgent', '/other'))
    await r.step('unregister the other', agent(b, 'UnregisterAgent', '/agent'))
    await r.step('unregister', agent(a, 'UnregisterAgent', '/agent'))


async def discovery(r, a, b):
    le = {'Transport': V('s', 'le')}
    for client in (a, b):
        await r.step('a filter', client.call(HCI0, 'Adapter1.SetDiscoveryFilter', 'a{sv}', le))
    await r.step('start', a.call(HCI0, 'Adapter1.StartDiscovery'), until='Discovering: b true', leave_out='dev_')
    await r.step('start again', a.call(HCI0, 'Adapter1.StartDiscovery'), leave_out='dev_')
    await r.step('stop of another client', b.call(HCI0, 'Adapter1.StopDiscovery'), leave_out='dev_')
    await r.step('start of another client', b.call(HCI0, 'Adapter1.StartDiscovery'), leave_out='dev_')
    await r.step('stop of this client', a.call(HCI0, 'Adapter1.StopDiscovery'), leave_out='dev_')
    await r.step('start it again', a.call(HCI0, 'Adapter1.StartDiscovery'), leave_out='dev_')
    for device in (GADGET, STRAP, BEACON, LOCKED, LEAVER, HIDDEN):
        await heard(a, device)
    r.end('devices come in any order', leave_out='.')
    for device in (GADGET, STRAP, BEACON, LOCKED, LEAVER, HIDDEN):
        await r.step(f'properties of {device}', a.all(device, 'Device1'), leave_out='^! ')
    await r.step('stop both', b.call(HCI0, 'Adapter1.StopDiscovery'), a.call(HCI0, 'Adapter1.StopDiscovery'),
                 until='Discovering: b false', leave_out='dev_')
    r.focus = '_01'
    for device in (GADGET, BEACON):
        await r.step(f'properties of {device} after that', a.all(device, 'Device1'))
    await r.step('stop again', a.call(HCI0, 'Adapter1.StopDiscovery'))
    await r.step('introspect a device', introspected(r, a, GADGET))
    for name, signature, value in [
            ('Trusted', 'b', True), ('Trusted', 'b', True), ('Trusted', 's', 'x'), ('Alias', 's', 'Mine'),
            ('Alias', 's', 'Mine'), ('Alias', 's', ''), ('Blocked', 'b', True), ('Blocked', 'b', True)]:
        await r.step(f'device: set {name} {value!r}', a.set(GADGET, 'Device1', name, signature, value),
                     settled(a, 'Address'))
    await r.step('unblock', a.set(GADGET, 'Device1', 'Blocked', 'b', False), settled(a, 'Address'))
    for name, signature, value in [('Connected', 'b', True), ('Name', 's', 'x'), ('RSSI', 'n', 1), ('Other', 'b', True),
                                   ('WakeAllowed', 'b', True)]:
        await r.step(f'device: set {name}', a.set(GADGET, 'Device1', name, signature, value))
    for name in ('RSSI', 'TxPower', 'ManufacturerData', 'Icon', 'Class', 'Modalias', 'WakeAllowed', 'Sets'):
        await r.step(f'device: get {name}', a.get(GADGET, 'Device1', name))
    for method, signature, body in [
            ('CancelPairing', '', []), ('ConnectProfile', 's', ['110b']), ('ConnectProfile', 's', [uuid('110b')]),
            ('ConnectProfile', 's', ['what']), ('DisconnectProfile', 's', [uuid('110b')]),
            ('DisconnectProfile', 's', ['what']), ('Disconnect', '', []), ('Connect', 's', ['x'])]:
        await r.step(f'device: {method} {body}', a.call(GADGET, 'Device1.' + method, signature, *body))
    await r.step('a device that is absent', a.call(GADGET + '0', 'Device1.Connect'))
    await r.step('attributes of no connection', a.call(GADGET + '/service0020', 'Properties.GetAll', 's', 'x'))


async def heard(client, path, its_property='Name'):
    """Waits until a device is known with a property."""
    async with asyncio.timeout(120):
        while True:
            reply = await client.ask(path, interface(PROPERTIES), 'GetAll', 's', 'org.bluez.Device1')
            if not reply.error_name and its_property in reply.body[0]:
                return
            await asyncio.sleep(0.05)


async def link(r, a, b):
    r.focus = '_01'
    await r.step('connect', a.call(GADGET, 'Device1.Connect'),
                 until=['ServicesResolved: b true', 'Appearance: q 961', 'Battery1'], leave_out='RSSI')
    await r.step('connect again', a.call(GADGET, 'Device1.Connect'))
    await r.step('connect from another client', b.call(GADGET, 'Device1.Connect'))
    await r.step('its attributes', objects(r, a, lambda path: path.startswith(GADGET)))
    await r.step('battery', a.all(GADGET, 'Battery1'))
    await r.step('RemoveDevice of another adapter', a.call(HCI1, 'Adapter1.RemoveDevice', 'o', GADGET))
    await r.step('ConnectDevice of a known one', a.call(
        HCI0, 'Adapter1.ConnectDevice', 'a{sv}',
        {'Address': V('s', 'C0:00:00:00:00:01'), 'AddressType': V('s', 'random')}))
    await r.step('introspect the attributes', *[
        introspected(r, a, GADGET + path) for path in ('/service0020', '/service0020/char0022')])


async def finish(r, a, b):
    """Ends the links, and forgets all devices."""
    await r.step('disconnect', a.call(GADGET, 'Device1.Disconnect'), until='Connected: b false')
    await r.step('disconnect again', a.call(GADGET, 'Device1.Disconnect'))
    await r.step('its attributes remain', objects(r, a, lambda path: path.startswith(GADGET)))
    await r.step('remove', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', GADGET), until='InterfacesRemoved .*_01 ')
    await r.step('remove again', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', GADGET))


async def connect_fresh(r, a, device, name):
    """Discovers and connects a device; recorded as one step."""
    r.focus = device[-3:]
    await a.ask(HCI0, 'org.bluez.Adapter1', 'SetDiscoveryFilter', 'a{sv}', {'Transport': V('s', 'le')})
    await a.ask(HCI0, 'org.bluez.Adapter1', 'StartDiscovery')
    await heard(a, device)
    await a.ask(HCI0, 'org.bluez.Adapter1', 'StopDiscovery')
    await r.until('Discovering: b false')
    r.end(name, leave_out='.')


async def pairing(r, a, b):
    def agent(member, *body, client=a):
        return client.ask(BLUEZ, 'org.bluez.AgentManager1', member, 'os' if len(body) == 2 else 'o', *body)

    await connect_fresh(r, a, LOCKED, 'the locked one is found')
    await r.step('trust the locked one', a.set(LOCKED, 'Device1', 'Trusted', 'b', True))
    await r.step('connect the locked one', a.call(LOCKED, 'Device1.Connect'), until='ServicesResolved: b true',
                 leave_out='Interfaces|RSSI')
    a.answers['RequestPasskey'] = ('u', [123456])
    await agent('RegisterAgent', '/agent', 'KeyboardOnly')
    await r.until('hci1 .*Pairable: b true')
    r.end('an agent', leave_out='.')
    await r.step('pair with a passkey', a.call(LOCKED, 'Device1.Pair'), until='Paired: b true')
    value = await characteristic(a, LOCKED, uuid('fff1'))
    await r.step('read an authenticated value', a.call(value, 'GattCharacteristic1.ReadValue', 'a{sv}', {}))
    await r.step('remove the paired one', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', LOCKED),
                 until='InterfacesRemoved .*_04 ')
    await connect_fresh(r, a, LOCKED, 'the locked one is found again')
    async def fresh(device):
        await connect_fresh(r, a, device, f'{device} is found')
        await r.step(f'trust {device}', a.set(device, 'Device1', 'Trusted', 'b', True))
        await r.step(f'connect {device}', a.call(device, 'Device1.Connect'), until='ServicesResolved: b true',
                     leave_out='Interfaces|RSSI')

    for device, error in [(REFUSED, 'Rejected'), (CANCELLED, 'Canceled')]:
        await fresh(device)
        a.answers['RequestPasskey'] = lambda message: ('org.bluez.Error.' + error, 'no')
        await r.step(f'pair with an agent that answers {error}', a.call(device, 'Device1.Pair'), until='Pair:')
        await r.step(f'the end of {device}', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', device),
                     until='InterfacesRemoved', leave_out='Interfaces|RSSI|Connected|Services')
    # The agent does not answer: the client cancels.
    await fresh(PAIRING)
    a.answers['RequestPasskey'] = lambda message: None
    pending = a.start(PAIRING, 'Device1.Pair')
    await r.until('RequestPasskey')
    await r.step('pair again during a pairing', b.call(PAIRING, 'Device1.Pair'))
    await r.step('cancel the pairing', a.call(PAIRING, 'Device1.CancelPairing'), pending,
                 leave_out='Connected|Services')
    await r.step(f'the end of {PAIRING}', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', PAIRING),
                 until='InterfacesRemoved', leave_out='Interfaces|RSSI|Connected|Services')
    await fresh(WRONG)
    a.answers['RequestPasskey'] = ('u', [1_000_000])
    await r.step('pair with a passkey out of range', a.call(WRONG, 'Device1.Pair'), until='Pair:',
                 leave_out='Connected')
    await r.step(f'the end of {WRONG}', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', WRONG),
                 until='InterfacesRemoved', leave_out='Interfaces|RSSI|Connected|Services')
    await agent('UnregisterAgent', '/agent')
    r.end('end of pairing', leave_out='.')


async def leaving(r, a, b):
    await connect_fresh(r, a, LEAVER, 'the leaver is found')
    await r.step('connect the leaver', a.call(LEAVER, 'Device1.Connect'), until='ServicesResolved: b true',
                 leave_out='Interfaces|RSSI')
    value = await characteristic(a, LEAVER, uuid('fff1'))
    await r.step('a write that ends the link', a.call(value, 'GattCharacteristic1.WriteValue', 'aya{sv}', b'x', {}),
                 until='Connected: b false', leave_out='RSSI')
    await r.step('a read without a link', a.call(value, 'GattCharacteristic1.ReadValue', 'a{sv}', {}))
    await r.step('a write without a link', a.call(value, 'GattCharacteristic1.WriteValue', 'aya{sv}', b'x', {}))
    await r.step('AcquireWrite without a link', a.call(value, 'GattCharacteristic1.AcquireWrite', 'a{sv}', {}))
    await r.step('AcquireNotify without a link', a.call(value, 'GattCharacteristic1.AcquireNotify', 'a{sv}', {}))
    await r.step('StartNotify without a link', a.call(value, 'GattCharacteristic1.StartNotify'))
    # A client that leaves gives back its discovery.
    c = await Client('C', r).open()
    await r.step('the discovery of a third client', c.call(HCI0, 'Adapter1.StartDiscovery'),
                 until='Discovering: b true', leave_out='dev_')
    c.close()
    await r.step('the third client leaves', until='Discovering: b false', leave_out='dev_')
    await r.step('end of the leaver', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', LEAVER),
                 until='InterfacesRemoved .*_05 ')


async def ending(r, a, b):
    await connect_fresh(r, a, STRAP, 'the strap is found')
    await r.step('connect the strap', a.call(STRAP, 'Device1.Connect'),
                 until=['ServicesResolved: b true', 'Appearance: q'], leave_out='Interfaces|RSSI')
    await r.step('power off with a link', a.set(HCI0, 'Adapter1', 'Powered', 'b', False),
                 until=['Powered: b false', 'Connected: b false'])
    await r.step('connect without power', a.call(STRAP, 'Device1.Connect'))
    await r.step('disconnect without power', a.call(STRAP, 'Device1.Disconnect'))
    await r.step('pair without power', a.call(STRAP, 'Device1.Pair'))
    await r.step('remove without power', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', STRAP))
    await r.step('power on again', a.set(HCI0, 'Adapter1', 'Powered', 'b', True), until='PowerState: s on',
                 leave_out='Interfaces')
    await r.step('remove the strap', a.call(HCI0, 'Adapter1.RemoveDevice', 'o', STRAP),
                 until='InterfacesRemoved .*_02 ')


async def characteristic(client, device, its_uuid):
    reply = await client.ask('/', interface(OBJECTS), 'GetManagedObjects')
    for path, interfaces in reply.body[0].items():
        found = interfaces.get('org.bluez.GattCharacteristic1', {}).get('UUID')
        if path.startswith(device + '/') and found and found.value == its_uuid:
            return path
    return device + '/absent'


async def main(file):
    r = Recorder()
    a, b = await Client('A', r, listens=True).open(), await Client('B', r).open()
    for adapter_path in (HCI0, HCI1):
        async with asyncio.timeout(120):
            while True:
                reply = await a.ask(adapter_path, interface(PROPERTIES), 'GetAll', 's', 'org.bluez.Adapter1')
                if not reply.error_name and reply.body[0]['Powered'].value:
                    break
                await asyncio.sleep(0.1)
        address, short = reply.body[0]['Address'].value, adapter_path.rsplit('/', 1)[1]
        r.replace(address, f'<{short}>')
        r.replace(address.replace(':', '_'), f'<{short}>')
        r.replace(r'\b' + re.escape(reply.body[0]['Name'].value.split(' #')[0]) + r'( #\d)?\b', '<name>')
    r.end('start', leave_out='.')
    chapters = [tree, adapter, power, agents, discovery, link, values.values, values.sockets, finish, pairing,
                leaving, ending, peripheral.advertising, peripheral.application, peripheral.monitors]
    wanted = os.environ.get('ORACLE_CHAPTERS', '').split()
    try:
        for chapter in chapters:
            if not wanted or chapter.__name__ in wanted:
                print(f'chapter {chapter.__name__}', file=sys.stderr, flush=True)
                await chapter(r, a, b)
    finally:
        r.end('end')
        with open(file, 'w') as output:
            r.write(output)


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1]))
    if len(sys.argv) > 2:
        sys.exit(compare.main(sys.argv[2], sys.argv[1], compare.allowed()))
