"""The chapters of the script about the peripheral role, and advertisement monitors."""

from dbus_fast import Variant as V

from recorder import interface, named

ADVERTISEMENT = 'org.bluez.LEAdvertisement1'


def services(root):
    """A service with a characteristic for each kind of answer."""
    service = root + '/service0'
    objects = {service: {'org.bluez.GattService1': {
        'UUID': V('s', '0000ffa0-0000-1000-8000-00805f9b34fb'), 'Primary': V('b', True)}}}
    for number, flags in enumerate([
            ['read', 'write'], ['read', 'notify'], ['read', 'indicate', 'write-without-response'],
            ['encrypt-read']]):
        objects[f'{service}/char{number}'] = {'org.bluez.GattCharacteristic1': {
            'UUID': V('s', f'0000ffa{number + 1}-0000-1000-8000-00805f9b34fb'), 'Service': V('o', service),
            'Flags': V('as', flags)}}
    objects[f'{service}/char0/desc0'] = {'org.bluez.GattDescriptor1': {
        'UUID': V('s', '0000ffd0-0000-1000-8000-00805f9b34fb'), 'Characteristic': V('o', service + '/char0'),
        'Flags': V('as', ['read', 'write'])}}
    return objects


async def advertising(r, a, b):
    from script import HCI0

    def register(client, path, options=None):
        return client.call(HCI0, 'LEAdvertisingManager1.RegisterAdvertisement', 'oa{sv}', path, options or {})

    def unregister(client, path):
        return client.call(HCI0, 'LEAdvertisingManager1.UnregisterAdvertisement', 'o', path)

    for name in ('ActiveInstances', 'SupportedInstances', 'SupportedIncludes', 'SupportedSecondaryChannels',
                 'SupportedFeatures', 'SupportedCapabilities'):
        await r.step(f'advertising: {name}', a.get(HCI0, 'LEAdvertisingManager1', name))
    await r.step('unregister no advertisement', unregister(a, '/advertisement'))
    await r.step('register an absent advertisement', register(a, '/absent'))
    await r.step('register with wrong arguments', a.call(
        HCI0, 'LEAdvertisingManager1.RegisterAdvertisement', 'o', '/advertisement'))
    type_ = {'Type': V('s', 'peripheral')}
    for properties in [
            {}, {'Type': V('s', 'other')}, {'Type': V('b', True)}, type_ | {'ServiceUUIDs': V('as', ['no'])},
            type_ | {'ServiceUUIDs': V('s', '180d')}, type_ | {'ServiceUUIDs': V('as', ['180d'])},
            type_ | {'SolicitUUIDs': V('as', ['180f'])},
            type_ | {'ManufacturerData': V('a{qv}', {0xFFFF: V('ay', b'\1\2')})},
            type_ | {'ManufacturerData': V('a{sv}', {'x': V('ay', b'\1\2')})},
            type_ | {'ManufacturerData': V('a{qv}', {1: V('s', 'x')})},
            type_ | {'ManufacturerData': V('a{qv}', {1: V('ay', bytes(40))})},
            type_ | {'ServiceData': V('a{sv}', {'180d': V('ay', b'\1')})},
            type_ | {'ServiceData': V('a{sv}', {'no': V('ay', b'\1')})},
            type_ | {'Data': V('a{yv}', {0x26: V('ay', b'\1')})}, type_ | {'Data': V('a{yv}', {0x09: V('ay', b'\1')})},
            type_ | {'Discoverable': V('b', True)}, type_ | {'Discoverable': V('s', 'x')},
            {'Type': V('s', 'broadcast'), 'Discoverable': V('b', True)},
            type_ | {'Includes': V('as', ['local-name'])}, type_ | {'Includes': V('as', ['what'])},
            type_ | {'Includes': V('s', 'local-name')},
            type_ | {'Includes': V('as', ['local-name']), 'LocalName': V('s', 'Other')},
            type_ | {'LocalName': V('s', 'Other')}, type_ | {'LocalName': V('b', True)},
            type_ | {'Appearance': V('q', 0x341)}, type_ | {'Appearance': V('s', 'x')},
            type_ | {'Includes': V('as', ['appearance']), 'Appearance': V('q', 0x341)},
            type_ | {'Duration': V('q', 2)}, type_ | {'Duration': V('s', 'x')}, type_ | {'Timeout': V('q', 600)},
            type_ | {'Timeout': V('i', 600)}, type_ | {'SecondaryChannel': V('s', '1M')},
            type_ | {'SecondaryChannel': V('s', '9M')}, type_ | {'MinInterval': V('u', 100), 'MaxInterval': V('u', 50)},
            type_ | {'MinInterval': V('u', 5), 'MaxInterval': V('u', 50)},
            type_ | {'MinInterval': V('u', 100), 'MaxInterval': V('u', 200)},
            type_ | {'TxPower': V('n', 4)}, type_ | {'TxPower': V('n', 100)}, type_ | {'TxPower': V('s', 'x')},
            type_ | {'DiscoverableTimeout': V('q', 10), 'Discoverable': V('b', True)}]:
        a.objects['/advertisement'] = {ADVERTISEMENT: properties}
        await r.step(f'advertise {named(properties)}', register(a, '/advertisement'), unregister(a, '/advertisement'))
    a.objects['/advertisement'] = {ADVERTISEMENT: type_}
    await r.step('advertise', register(a, '/advertisement'))
    await r.step('advertise again', register(a, '/advertisement'))
    await r.step('unregister of another client', unregister(b, '/advertisement'))
    await r.step('register of another client', register(b, '/advertisement'))
    for number in range(1, 5):
        a.objects[f'/advertisement{number}'] = {ADVERTISEMENT: type_}
        await r.step(f'advertisement {number}', register(a, f'/advertisement{number}'))
    a.objects['/advertisement5'] = {ADVERTISEMENT: type_}
    await r.step('one too many', register(a, '/advertisement5'))
    for number in range(1, 5):
        await r.step(f'the end of advertisement {number}', unregister(a, f'/advertisement{number}'))
    await r.step('the end of the advertisement', unregister(a, '/advertisement'))
    await r.step('the end of it again', unregister(a, '/advertisement'))
    # Those that one of the services accepts, and the other does not.
    for client, path in [(a, '/absent'), (b, '/advertisement'), (a, '/advertisement5')]:
        await client.ask(HCI0, 'org.bluez.LEAdvertisingManager1', 'UnregisterAdvertisement', 'o', path)
    r.end('the end of the others', leave_out='.')
    a.objects = {}


async def application_errors(r, a, b):
    from script import HCI0

    def register(client, path):
        return client.call(HCI0, 'GattManager1.RegisterApplication', 'oa{sv}', path, {})

    await r.step('unregister no application', a.call(HCI0, 'GattManager1.UnregisterApplication', 'o', '/app'))
    await r.step('an application without objects', register(a, '/app'))
    service, value = 'org.bluez.GattService1', 'org.bluez.GattCharacteristic1'
    good = services('/app')
    for name, change in [
            ('a service without UUID', {'/app/service0': {service: {'Primary': V('b', True)}}}),
            ('a service with a wrong UUID', {'/app/service0': {service: {'UUID': V('s', 'no'), 'Primary': V('b', True)}}}),
            ('a service without Primary', {'/app/service0': {service: {'UUID': V('s', 'ffa0')}}}),
            ('a characteristic without service', {'/app/service0/char0': {value: {
                'UUID': V('s', 'ffa1'), 'Flags': V('as', ['read'])}}}),
            ('a characteristic of an absent service', {'/app/service0/char0': {value: {
                'UUID': V('s', 'ffa1'), 'Service': V('o', '/other'), 'Flags': V('as', ['read'])}}}),
            ('a characteristic without flags', {'/app/service0/char0': {value: {
                'UUID': V('s', 'ffa1'), 'Service': V('o', '/app/service0')}}}),
            ('a characteristic with unknown flags', {'/app/service0/char0': {value: {
                'UUID': V('s', 'ffa1'), 'Service': V('o', '/app/service0'), 'Flags': V('as', ['fly'])}}})]:
        a.objects = good | change
        await r.step(name, register(a, '/app'))
        await r.step(f'the end of {name}', a.call(HCI0, 'GattManager1.UnregisterApplication', 'o', '/app'))
    a.objects = {'/app/service0/char0': good['/app/service0/char0']}
    await r.step('a characteristic alone', register(a, '/app'))
    a.objects = {}


async def application(r, a, b):
    from script import HCI0, HCI1, characteristic, heard, uuid
    await application_errors(r, a, b)
    a.objects = services('/app')
    a.answers['ReadValue'] = ('ay', [b'\x2A\x2B'])
    await r.step('register the application', a.call(HCI0, 'GattManager1.RegisterApplication', 'oa{sv}', '/app', {}),
                 until='@ .*|UUIDs')
    await r.step('register it again', a.call(HCI0, 'GattManager1.RegisterApplication', 'oa{sv}', '/app', {}))
    await r.step('unregister of another client', b.call(HCI0, 'GattManager1.UnregisterApplication', 'o', '/app'))
    a.objects['/advertisement'] = {ADVERTISEMENT: {
        'Type': V('s', 'peripheral'), 'ServiceUUIDs': V('as', [uuid('ffa0')]), 'LocalName': V('s', 'Oracle'),
        'Discoverable': V('b', True)}}
    await r.step('advertise the application', a.call(
        HCI0, 'LEAdvertisingManager1.RegisterAdvertisement', 'oa{sv}', '/advertisement', {}))
    reply = await a.ask(HCI0, interface('Properties'), 'Get', 'ss', 'org.bluez.Adapter1', 'Address')
    device = f'{HCI1}/dev_' + reply.body[0].value.replace(':', '_')
    # Not the properties that the adapters read of each other at any time.
    r.focus = r'dev_<hci[01]> .*(Connected|ServicesResolved)'
    await b.ask(HCI1, 'org.bluez.Adapter1', 'SetDiscoveryFilter', 'a{sv}', {'Transport': V('s', 'le')})
    await b.ask(HCI1, 'org.bluez.Adapter1', 'StartDiscovery')
    await heard(b, device, 'Adapter')
    await b.ask(HCI1, 'org.bluez.Adapter1', 'StopDiscovery')
    await r.until('hci1 .*Discovering: b false')
    r.end('the central finds it', leave_out='.')
    await r.step('the central connects', b.call(device, 'Device1.Connect'), until='hci1/.*ServicesResolved: b true',
                 leave_out='Interfaces|RSSI|hci1')
    own = [await characteristic(b, device, uuid(f'ffa{n}')) for n in range(1, 5)]
    for number, path in enumerate(own):
        r.replace(r.plain(path), f'<char{number}>')

    def read(path, options=None):
        return b.call(path, 'GattCharacteristic1.ReadValue', 'a{sv}', options or {})

    def write(path, value, options=None):
        return b.call(path, 'GattCharacteristic1.WriteValue', 'aya{sv}', value, options or {})

    await r.step('the central reads', read(own[0]))
    await r.step('the central reads at an offset', read(own[0], {'offset': V('q', 1)}))
    a.answers['ReadValue'] = ('ay', [bytes(range(100))])
    await r.step('the central reads a long value', read(own[0]))
    a.answers['ReadValue'] = ('s', ['x'])
    await r.step('the application answers with another type', read(own[0]))
    for error, reason in [
            ('Failed', 'no'), ('Failed', '0x81'), ('Failed', '129'), ('Failed', '0x20'), ('InProgress', ''),
            ('NotPermitted', ''), ('NotAuthorized', ''), ('NotSupported', ''), ('InvalidValueLength', ''),
            ('InvalidOffset', ''), ('Other', '')]:
        name = 'org.bluez.Error.' + error
        a.answers['ReadValue'] = a.answers['WriteValue'] = lambda message: (name, reason)
        await r.step(f'the application refuses to read: {error} {reason!r}', read(own[0]))
        await r.step(f'the application refuses to write: {error} {reason!r}', write(own[0], b'x'))
    del a.answers['WriteValue']
    await r.step('the central writes', write(own[0], b'abc'))
    await r.step('the central writes a long value', write(own[0], bytes(100)))
    await r.step('the central writes at an offset', write(own[0], b'x', {'offset': V('q', 2)}))
    await r.step('the central writes a command', write(own[2], b'abc', {'type': V('s', 'command')}),
                 until='@ .*WriteValue')
    await r.step('the central subscribes', b.call(own[1], 'GattCharacteristic1.StartNotify'), until='@ .*StartNotify')
    a.announce('/app/service0/char1', 'GattCharacteristic1', 'Value', V('ay', b'\1\2'))
    await r.step('a notification', until='! .*Value: ay 01 02')
    await r.step('the central unsubscribes', b.call(own[1], 'GattCharacteristic1.StopNotify'),
                 until='@ .*StopNotify')
    await r.step('the central subscribes to indications', b.call(own[2], 'GattCharacteristic1.StartNotify'),
                 until='@ .*StartNotify')
    a.announce('/app/service0/char2', 'GattCharacteristic1', 'Value', V('ay', b'\3'))
    await r.step('an indication of the application', until=['! .*Value: ay 03', '@ .*Confirm'], ordered=False)
    await r.step('the central disconnects', b.call(device, 'Device1.Disconnect'),
                 until=['hci0/.*Connected: b false', 'hci1/.*Connected: b false', '@ .*StopNotify'], ordered=False,
                 leave_out='hci1|Interfaces|RSSI')
    await r.step('unregister the application', a.call(HCI0, 'GattManager1.UnregisterApplication', 'o', '/app'),
                 until='UUIDs')
    await r.step('unregister it again', a.call(HCI0, 'GattManager1.UnregisterApplication', 'o', '/app'))
    await r.step('the end of its advertisement', a.call(
        HCI0, 'LEAdvertisingManager1.UnregisterAdvertisement', 'o', '/advertisement'))
    a.objects = {}


async def monitors(r, a, b):
    from script import HCI0

    def register(client, path):
        return client.call(HCI0, 'AdvertisementMonitorManager1.RegisterMonitor', 'o', path)

    r.focus = 'none'
    for name in ('SupportedMonitorTypes', 'SupportedFeatures'):
        await r.step(f'monitors: {name}', a.get(HCI0, 'AdvertisementMonitorManager1', name))
    await r.step('unregister no monitor', a.call(HCI0, 'AdvertisementMonitorManager1.UnregisterMonitor', 'o', '/m'))
    monitor = 'org.bluez.AdvertisementMonitor1'
    patterns = V('a(yyay)', [[0, 0x03, b'\xb0\xff']])
    await r.step('register monitors', register(a, '/m'))
    await r.step('register them again', register(a, '/m'))
    for name, properties in [
            ('another type', {'Type': V('s', 'other'), 'Patterns': patterns}),
            ('no patterns', {'Type': V('s', 'or_patterns')}),
            ('empty patterns', {'Type': V('s', 'or_patterns'), 'Patterns': V('a(yyay)', [])}),
            ('a long pattern', {'Type': V('s', 'or_patterns'), 'Patterns': V('a(yyay)', [[0, 3, bytes(40)]])})]:
        path = '/m/' + name.replace(' ', '_')
        a.objects[path] = {monitor: properties}
        a.emit('/m', 'ObjectManager', 'InterfacesAdded', 'oa{sa{sv}}', path, {monitor: properties})
        await r.step(f'a monitor of {name}', until='@ ')
    a.objects['/m/good'] = {monitor: {'Type': V('s', 'or_patterns'), 'Patterns': patterns}}
    a.emit('/m', 'ObjectManager', 'InterfacesAdded', 'oa{sa{sv}}', '/m/good', a.objects['/m/good'])
    await r.step('a monitor', until=['Activate', 'DeviceFound'], leave_out='Interfaces|RSSI')
    await r.step('the end of the monitors', a.call(
        HCI0, 'AdvertisementMonitorManager1.UnregisterMonitor', 'o', '/m'), leave_out='dev_|Interfaces')
    await r.step('the end of them again', a.call(
        HCI0, 'AdvertisementMonitorManager1.UnregisterMonitor', 'o', '/m'), leave_out='dev_|Interfaces')
    a.objects = {}
