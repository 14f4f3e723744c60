"""Clean devices, which the faulty ones begin from."""

import struct

from .database import (EXTENDED, FORMAT, RELIABLE_WRITE, AttError, Attribute, characteristic, descriptor, service, uuid)
from .device import Definition
from .registry import clean

FLAGS, SOME_16, ALL_16, SOME_128, ALL_128, SHORT_NAME, NAME, TX_POWER = 0x01, 0x02, 0x03, 0x06, 0x07, 0x08, 0x09, 0x0A
APPEARANCE = 0x19
GENERAL = bytes([0x06])  # general discoverable, no BR/EDR

SERIAL = '6E400001-B5A3-F393-E0A9-E50E24DCCA9E'
SERIAL_IN, SERIAL_OUT = SERIAL.replace('0001-', '0002-', 1), SERIAL.replace('0001-', '0003-', 1)
SERIAL_SETTINGS, SERIAL_LOG = SERIAL.replace('0001-', '0004-', 1), SERIAL.replace('0001-', '0005-', 1)
SERIAL_ALARM = SERIAL.replace('0001-', '0006-', 1)
LOCK = '3C4D0001-7E1A-4B52-9D06-2F1B8C5A7E30'
LOCK_CODE, LOCK_STATE, LOCK_ORDER = (LOCK.replace('0001-', f'000{number}-', 1) for number in (2, 3, 4))
LOG = bytes((index ^ (index >> 8) * 0x5A) & 0xFF for index in range(300))


def ad(*structures):
    """Advertising data of (type, octets)."""
    return b''.join(bytes([len(octets) + 1, kind]) + octets for kind, octets in structures)


def short(*names):
    return b''.join(uuid(name) for name in names)


def gap(title, appearance, *more):
    # 20 to 40 ms, no latency, 4 s.
    preferred = characteristic('2A04', 'read', struct.pack('<HHHH', 16, 32, 0, 400))
    return service('1800', characteristic('2A00', 'read', title.encode()),
                   characteristic('2A01', 'read', struct.pack('<H', appearance)), preferred, *more)


def gatt(*more):
    return service('1801', *more)


def whole_gatt():
    """With Service Changed, Client Supported Features and Database Hash."""
    features = characteristic('2B29', 'read write', lengths=(1, 512))
    hashed = characteristic('2B2A', 'read')
    return service('1801', characteristic('2A05', 'indicate'), features, hashed)


def connect_gatt(server):
    """What the values of `whole_gatt` are at run time."""
    features = server.database.named('2B29')
    features.read = lambda client: bytes([client.features])
    features.write = server.write_features
    server.database.named('2B2A').read = lambda client: server.hash


def device(title, appearance, services, listed, **rest):
    """A device whose advertisement lists services and whose scan response has its name."""
    advertisement = ad((FLAGS, GENERAL), *listed, (APPEARANCE, struct.pack('<H', appearance)))
    response = ad((NAME, title.encode()), (TX_POWER, bytes([0])))
    assert len(advertisement) <= 31 and len(response) <= 31, title
    return Definition(title, appearance, services, advertisement, response, **rest)


# Services

def heart_rate_service():
    return service(
        '180D', characteristic('2A37', 'notify'), characteristic('2A38', 'read', b'\x01'),
        characteristic('2A39', 'write', lengths=(1, 1)))


def battery_service(level=87):
    return service('180F', characteristic('2A19', 'read notify', bytes([level])))


def information_service():
    return service(
        '180A', characteristic('2A29', 'read', b'Example Instruments'), characteristic('2A24', 'read', b'EX-1'),
        characteristic('2A25', 'read', b'0001-2345'), characteristic('2A27', 'read', b'B'),
        characteristic('2A26', 'read', b'1.2.0'), characteristic('2A28', 'read', b'1.2.0'),
        characteristic('2A23', 'read', bytes.fromhex('DEBC9AFEFF563412')),
        characteristic('2A50', 'read', struct.pack('<BHHH', 1, 0x05F1, 0x0001, 0x0120)))


def serial_service():
    return service(
        SERIAL, characteristic(SERIAL_IN, 'write command', lengths=(0, 244)),
        characteristic(SERIAL_OUT, 'notify', descriptors=[descriptor('2901', b'output')]),
        characteristic(SERIAL_SETTINGS, 'read write extended', b'9600,8,N,1', lengths=(0, 200), descriptors=[
            Attribute(EXTENDED, struct.pack('<H', RELIABLE_WRITE)),
            # UTF-8 text, no unit, of the Bluetooth SIG.
            Attribute(FORMAT, struct.pack('<BbHBH', 0x19, 0, 0x2700, 1, 0))]),
        characteristic(SERIAL_ALARM, 'indicate'), characteristic(SERIAL_LOG, 'read', LOG))


def lock_service():
    return service(
        LOCK, characteristic(LOCK_CODE, 'read', b'4711-0815', secure=True),
        characteristic(LOCK_STATE, 'read notify', b'\x01', secure=True, secure_subscription=True),
        characteristic(LOCK_ORDER, 'write', lengths=(1, 1), secure=True))


# Devices

def strap(server):
    """A heart that beats, and the energy that its owner has spent."""
    server.rate, server.energy = 60, 0

    def reset(_client, value):
        if value != b'\x01':
            raise AttError(0x80)  # Control Point Not Supported (Heart Rate Service 1.0, 3.3)
        server.energy = 0

    server.database.named('2A39').write = reset


def beat(server):
    # Flags: contact supported and detected, energy expended.
    server.rate = 60 + (server.rate - 59) % 60
    server.energy = min(server.energy + 1, 0xFFFF)
    server.notify('2A37', struct.pack('<BBH', 0x0E, server.rate, server.energy))


@clean('clean-heart-rate')
def heart_rate():
    return device(
        'Pulse', 0x0341, [gap('Pulse', 0x0341), gatt(), heart_rate_service(), battery_service()],
        [(ALL_16, short('180D', '180F'))], changes=[strap], ticks=[beat], rejects_reserved=True)


@clean('clean-battery')
def battery():
    return device(
        'Cell', 0x0000, [gap('Cell', 0x0000), gatt(), battery_service(), information_service()],
        [(SOME_16, short('180F'))], says_not_long=True)


def echo(server):
    """What comes in goes out."""
    def write(client, value):
        server.later(server.notify, SERIAL_OUT, value, client)
    server.database.named(SERIAL_IN).write = write


def alarm(server):
    """One a second and a half, until one is not confirmed."""
    server.alarms = getattr(server, 'alarms', 0) + 1
    if server.alarms % 3 == 0:
        server.indicate(SERIAL_ALARM, struct.pack('<I', server.alarms))


@clean('clean-serial')
def serial():
    return device(
        'Wire', 0x0000, [gap('Wire', 0x0000), gatt(), serial_service()], [(ALL_128, uuid(SERIAL))],
        changes=[echo], ticks=[alarm])


@clean('clean-encrypted')
def encrypted():
    return device(
        'Bolt', 0x0708, [gap('Bolt', 0x0708), gatt(), lock_service(), battery_service()],
        [(SOME_16, short('180F'))], ticks=[lambda server: server.notify(LOCK_STATE, b'\x01')])
