"""Faults of the Generic Access and Generic Attribute services."""

import struct

from .clean import battery, encrypted, gap, gatt, heart_rate, serial
from .clean_many import health, many
from .database import characteristic
from .registry import fault, override

GAP = 'Core 5.4 Vol 3, Part C, 12'
GATT = 'Core 5.4 Vol 3, Part G, 7'


@fault('gap-missing', serial, 'The device has no Generic Access service.', GAP)
def _(device):
    del device.services[0]


@fault('gap-twice', battery, 'The device has two Generic Access services.', GAP)
def _(device):
    device.services.append(gap(device.title, device.appearance))


@fault('gap-no-name', heart_rate, 'The GAP service has no Device Name.', GAP)
def _(device):
    device.services[0].remove('2A00')


@fault('gap-no-appearance', battery, 'The GAP service has no Appearance.', GAP)
def _(device):
    device.services[0].remove('2A01')


@fault('gap-name-unreadable', serial,
       'Reading the Device Name gives Read Not Permitted, though the device is discoverable and the property says '
       'read.',
       f'{GAP}.1')
def _(device):
    device.services[0].value('2A00').attribute.readable = False


@fault('gap-name-secure', encrypted,
       'Reading the Device Name needs pairing, though the device is discoverable.', f'{GAP}.1')
def _(device):
    device.services[0].value('2A00').attribute.secure = True


@fault('gap-name-padded', battery,
       'The Device Name is the whole buffer of 20 octets: the name and zeros.', f'{GAP}.1')
def _(device):
    device.services[0].value('2A00').attribute.value = b'Cell'.ljust(20, b'\0')


@fault('gap-name-long', battery, 'The Device Name has 260 octets; 248 are the most.', f'{GAP}.1')
def _(device):
    # The local name stays its beginning, as a shortened one.
    device.services[0].value('2A00').attribute.value = b'Cell' * 65
    device.response = bytes([5, 0x08]) + b'Cell'


@fault('gap-name-not-utf8', heart_rate, 'The Device Name is not UTF-8.', f'{GAP}.1')
def _(device):
    device.services[0].value('2A00').attribute.value = b'Pulse\xC3\x28'
    device.response = bytes([6, 0x08]) + b'Pulse'


@fault('gap-appearance-length', battery, 'The Appearance has one octet.', f'{GAP}.2')
def _(device):
    # No other source has an appearance, which could contradict this one.
    device.services[0].value('2A01').attribute.value = b'\x00'
    device.advertisement = device.advertisement[:-4]


def preferred(device, *numbers):
    device.services[0].value('2A04').attribute.value = struct.pack('<HHHH', *numbers)


@fault('gap-preferred-interval', heart_rate,
       'The Peripheral Preferred Connection Parameters have a minimum interval above the maximum.', f'{GAP}.3')
def _(device):
    preferred(device, 80, 16, 0, 400)


@fault('gap-preferred-range', serial,
       'The Peripheral Preferred Connection Parameters have an interval of 2.5 ms; 7.5 ms is the least.', f'{GAP}.3')
def _(device):
    preferred(device, 2, 32, 0, 400)


@fault('gap-preferred-latency', battery,
       'The Peripheral Preferred Connection Parameters have a latency of 600; 499 is the most.', f'{GAP}.3')
def _(device):
    preferred(device, 16, 32, 600, 3200)


@fault('gap-preferred-length', battery,
       'The Peripheral Preferred Connection Parameters have six octets.', f'{GAP}.3')
def _(device):
    device.services[0].value('2A04').attribute.value = struct.pack('<HHH', 16, 32, 0)


@fault('gatt-twice', heart_rate, 'The device has two Generic Attribute services.', GATT)
def _(device):
    device.services.append(gatt())


@fault('gatt-changed-no-indicate', battery,
       'Service Changed has the property notify and not indicate.', f'{GATT}.1')
def _(device):
    device.services[1] = gatt(characteristic('2A05', 'notify'))


@fault('gatt-changed-readable', serial,
       'Service Changed has the property read and can be read.', f'{GATT}.1')
def _(device):
    device.services[1] = gatt(characteristic('2A05', 'read indicate', struct.pack('<HH', 1, 0xFFFF)))


@fault('gatt-hash-wrong', many, 'The Database Hash is not the hash of the database.', f'{GATT}.3')
def _(device):
    device.changes.append(lambda server: setattr(
        server.database.named('2B2A'), 'read', lambda _: bytes([server.hash[0] ^ 0x01]) + server.hash[1:]))


@fault('gatt-hash-short', many, 'The Database Hash has eight octets.', f'{GATT}.3')
def _(device):
    device.changes.append(lambda server: setattr(
        server.database.named('2B2A'), 'read', lambda _: server.hash[:8]))


@fault('gatt-hash-not-constant', health,
       'The Database Hash differs from one reading to the next, though nothing changes.', f'{GATT}.3')
def _(device):
    def count(server):
        server.readings = 0

        def read(_client):
            server.readings += 1
            return server.hash if server.readings == 1 else bytes([server.readings & 0xFF]) + server.hash[1:]

        server.database.named('2B2A').read = read
    device.changes.append(count)


@fault('gatt-hash-secure', many, 'Reading the Database Hash needs pairing.', f'{GATT}.3')
def _(device):
    device.services[1].value('2B2A').attribute.secure = True


@fault('gatt-features-cleared', many,
       'Client Supported Features lets a client clear a bit that it has set.', f'{GATT}.2', needs='writes')
def _(device):
    def write_features(_server, _original, client, octets):
        client.features = octets[0] & 7
    override(device, write_features=write_features)


@fault('gatt-features-shared', many,
       'Client Supported Features that one client has written are read by another client.', f'{GATT}.2', needs='writes')
def _(device):
    def share(server):
        features, server.features = server.database.named('2B29'), 0
        features.read = lambda client: bytes([server.features])

        def write(client, octets):
            server.write_features(client, octets)
            server.features = client.features
        features.write = write
    device.changes.append(share)
