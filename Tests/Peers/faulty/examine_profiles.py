"""The self test's look at the GAP, GATT and standard services."""

import struct

from .database import FORMAT, uuid, whole
from .examine import COMMAND, INDICATE, READ, WRITE, utf8

MANDATORY = (
    ('1800', '2A00', 'gap-no-name'), ('1800', '2A01', 'gap-no-appearance'), ('180D', '2A37', 'hrs-no-measurement'),
    ('1810', '2A49', 'bls-no-feature'), ('1809', '2A1C', 'hts-no-measurement'),
    ('1808', '2A52', 'gls-no-control-point'), ('1816', '2A5C', 'csc-no-feature'),
)


def check_gap(exam):
    gaps = exam.all_named('1800')
    exam.require(gaps, 'gap-missing', exam.services)
    exam.require(len(gaps) < 2, 'gap-twice', gaps)
    exam.require(len(exam.all_named('1801')) < 2, 'gatt-twice', exam.services)
    if name := exam.named('2A00'):
        exam.require(name.error != 0x02, 'gap-name-unreadable', name.error)
        exam.require(name.error not in (0x05, 0x0F), 'gap-name-secure', name.error)
        if name.value is not None:
            exam.require(len(name.value) <= 248, 'gap-name-long', len(name.value))
            exam.require(utf8(name.value), 'gap-name-not-utf8', name.value)
            exam.require(0 not in name.value, 'gap-name-padded', name.value)
    if (appearance := exam.named('2A01')) and appearance.value is not None:
        exam.require(len(appearance.value) == 2, 'gap-appearance-length', appearance.value)
    if (preferred := exam.named('2A04')) and preferred.value is not None:
        check_preferred(exam, preferred.value)
    if changed := exam.named('2A05'):
        exam.require(changed.properties & INDICATE, 'gatt-changed-no-indicate', changed.properties)
        exam.require(not changed.properties & READ, 'gatt-changed-readable', changed.value)


def check_preferred(exam, value):
    if len(value) != 8:
        exam.find('gap-preferred-length', value)
        return
    low, high, latency, _ = struct.unpack('<HHHH', value)
    exam.require(low <= high, 'gap-preferred-interval', (low, high))
    exam.require(low >= 6, 'gap-preferred-range', low)
    exam.require(latency <= 499, 'gap-preferred-latency', latency)


def value(exam, service, name):
    found = exam.named(name, service)
    return found.value if found else None


def check_fixed(exam):
    """Values with a format: service, characteristic, what must hold, the fault."""
    rules = (
        ('180D', '2A38', lambda octets: octets[0] <= 6, 'hrs-location-reserved'),
        ('180F', '2A19', lambda octets: len(octets) == 1, 'bas-level-length'),
        ('180F', '2A19', lambda octets: octets[0] <= 100, 'bas-level-range'),
        ('180A', '2A29', lambda octets: octets, 'dis-empty-string'),
        ('180A', '2A24', utf8, 'dis-not-utf8'),
        ('180A', '2A23', lambda octets: len(octets) == 8, 'dis-system-id-length'),
        ('180A', '2A50', lambda octets: len(octets) == 7, 'dis-pnp-length'),
        ('180A', '2A50', lambda octets: len(octets) != 7 or octets[0] in (1, 2), 'dis-pnp-source'),
        ('1805', '2A2B', lambda octets: len(octets) == 10, 'cts-length'),
        ('1805', '2A2B', lambda octets: octets[2] <= 12, 'cts-month'),
        ('1803', '2A06', lambda octets: octets[0] <= 2, 'lls-alert-range'),
        ('1804', '2A07', lambda octets: -100 <= struct.unpack('b', octets)[0] <= 20, 'tps-range'),
        ('1809', '2A1D', lambda octets: 1 <= octets[0] <= 9, 'hts-type-reserved'),
        ('181D', '2A9E', lambda octets: len(octets) == 4, 'wss-feature-length'),
    )
    for service, name, holds, fault in rules:
        if (octets := value(exam, service, name)) is not None:
            exam.require(holds(octets), fault, octets.hex())


def check_properties(exam):
    rules = (
        ('180D', '2A37', READ, 0, 'hrs-measurement-readable'), ('180F', '2A19', READ, READ, 'bas-no-read'),
        ('180A', '2A25', WRITE, 0, 'dis-string-writable'),
        ('1810', '2A35', INDICATE, INDICATE, 'bls-measurement-notify'),
        ('1802', '2A06', READ | COMMAND, COMMAND, 'ias-alert-readable'),
    )
    for service, name, mask, wanted, fault in rules:
        if found := exam.named(name, service):
            exam.require(found.properties & mask == wanted, fault, found.properties)


async def check(exam):
    check_gap(exam)
    for service, name, fault in MANDATORY:
        if exam.all_named(service):
            exam.require(exam.named(name, service), fault, 'not there')
    batteries = exam.all_named('180F')
    levels = [each for each in exam.values if whole(each.uuid) == whole(uuid('2A19'))]
    formats = [each for each in levels if each.descriptor(FORMAT)]
    exam.require(len(batteries) < 2 or len(formats) == len(batteries), 'bas-twice', batteries)
    check_fixed(exam)
    check_properties(exam)


def check_notified(exam, found, octets):
    """A value that was notified or indicated."""
    name = found.uuid[::-1].hex().upper()
    if name == '2A37':
        flags = octets[0]
        length = 2 + (flags & 1) + (2 if flags & 8 else 0)
        right = len(octets) >= length if flags & 0x10 else len(octets) == length
        exam.require(right, 'hrs-measurement-short', octets.hex())
        if right and flags & 1:
            exam.require(octets[2] < 2, 'hrs-rate-reversed', octets.hex())
        exam.require(not flags & 8 or exam.named('2A39'), 'hrs-no-control-point', octets.hex())
    elif name == '2A5B':
        feature = struct.unpack('<H', value(exam, '1816', '2A5C') or b'\xFF\xFF')[0]
        exam.require(not octets[0] & ~feature & 3, 'csc-feature-contradicts', octets.hex())
    elif name == '2A53':
        exam.require(len(octets) >= 4, 'rsc-measurement-short', octets.hex())
