"""The self test's own look at a device: advertising and the attributes. What it finds has the names of the faults."""

import dataclasses
import struct

from .database import (AGGREGATE, BASE, CCCD, CHARACTERISTIC, DESCRIPTION, EXTENDED, FORMAT, INCLUDE, PRIMARY,
                       PROPERTIES, SCCD, SECONDARY, Attribute, Database, uuid, whole)

READ, WRITE, COMMAND = PROPERTIES['read'], PROPERTIES['write'], PROPERTIES['command']
NOTIFY, INDICATE = PROPERTIES['notify'], PROPERTIES['indicate']


@dataclasses.dataclass
class Found:
    """A characteristic as it was discovered."""

    declaration: int
    properties: int
    handle: int
    uuid: bytes
    end: int = 0
    descriptors: list = dataclasses.field(default_factory=list)  # (handle, type)
    value: bytes | None = None
    error: int | None = None  # the code, when it could not be read

    def descriptor(self, kind):
        return next((handle for handle, each in self.descriptors if each == kind), None)


class Examination:
    """What is known of a device, and what was found wrong."""

    def __init__(self, address, definition):
        self.address, self.definition = address, definition
        self.findings = {}
        self.services = []  # (start, end, uuid, type)
        self.types = {}
        self.values = []

    def find(self, name, evidence):
        self.findings.setdefault(name, evidence if isinstance(evidence, str) else repr(evidence))

    def require(self, condition, name, evidence):
        if not condition:
            self.find(name, evidence)

    def named(self, name, within=None):
        """The first characteristic of that UUID, in the service of the other."""
        wanted = whole(uuid(name))
        for service in self.services:
            if within is None or whole(service[2]) == whole(uuid(within)):
                for value in self.values:
                    if service[0] <= value.declaration <= service[1] and whole(value.uuid) == wanted:
                        return value
        return None

    def all_named(self, name):
        return [each for each in self.services if whole(each[2]) == whole(uuid(name))]


def utf8(octets):
    try:
        octets.decode()
        return True
    except UnicodeDecodeError:
        return False


# Advertising

def structures(exam, data):
    place, found = 0, []
    while place < len(data):
        length = data[place]
        if length == 0:
            exam.require(not any(data[place:]), 'adv-data-after-end', data.hex())
            break
        if place + 1 + length > len(data):
            exam.find('adv-length-overrun', data.hex())
            break
        found.append((data[place + 1], data[place + 2:place + 1 + length]))
        place += 1 + length
    return found


def check_flags(exam, advertised, response):
    if any(kind == 0x01 for kind, _ in response):
        exam.find('adv-flags-in-response', response)
    elif not (flags := [octets for kind, octets in advertised if kind == 0x01]):
        exam.find('adv-flags-missing', advertised)
    else:
        exam.require(flags[0][0] & 3 != 3, 'adv-flags-both-modes', flags)
        exam.require(flags[0][0] & 0x0C != 0x0C, 'adv-flags-contradict', flags)


def check_lists(exam, every):
    listed = []
    for size, some, complete in ((2, 2, 3), (16, 6, 7)):
        lists = [(kind, octets) for kind, octets in every if kind in (some, complete)]
        exam.require(len(lists) < 2, 'adv-list-twice', lists)
        for kind, octets in lists:
            exam.require(len(octets) % size == 0, 'adv-list-odd', octets.hex())
            names = [octets[place:place + size] for place in range(0, len(octets) // size * size, size)]
            backwards = {each[2][::-1] for each in exam.services if size == 16}
            exam.require(not backwards & set(names), 'adv-uuid-reversed', octets.hex())
            names = [name[::-1] if name in backwards else name for name in names]
            listed += names
            there = [each[2] for each in exam.services if each[3] == PRIMARY and len(each[2]) == size]
            missing = set(there) - set(names) - {uuid('1800'), uuid('1801')}
            exam.require(kind != complete or not missing, 'adv-list-not-complete', missing)
    there = {whole(each[2]) for each in exam.services if len(each[2]) in (2, 16)}
    unknown = [name.hex() for name in listed if whole(name) not in there]
    exam.require(not unknown, 'adv-service-not-there', unknown)


def check_advertising(exam, data, response_data, interval):
    advertised, response = structures(exam, data), structures(exam, response_data)
    every = advertised + response
    check_flags(exam, advertised, response)
    check_lists(exam, every)
    own = exam.named('2A00')
    for kind, octets in every:
        match kind:
            case 0x09 if own and own.value is not None:
                exam.require(octets == own.value.rstrip(b'\0'), 'adv-name-differs', (octets, own.value))
            case 0x08 if own and own.value is not None:
                exam.require(own.value.startswith(octets), 'adv-short-name-other', (octets, own.value))
            case 0x0A:
                exam.require(len(octets) == 1 and octets[0] != 0x80, 'adv-tx-power-range', octets)
            case 0x12:
                low, high = struct.unpack('<HH', octets)
                exam.require(6 <= low <= high <= 3200, 'adv-connection-interval', (low, high))
            case 0x16:
                exam.require(len(octets) >= 2, 'adv-service-data-short', octets)
            case 0x19 if (appearance := exam.named('2A01')) and appearance.value is not None:
                exam.require(octets == appearance.value, 'adv-appearance-differs', (octets, appearance.value))
            case 0x1A:
                told = struct.unpack('<H', octets)[0] * 0.625
                exam.require(told <= interval <= told + 10, 'adv-interval-other', (told, interval))
            case 0xFF:
                exam.require(len(octets) >= 2, 'adv-manufacturer-short', octets)
    for block in (advertised, response):
        names = [kind for kind, _ in block if kind in (0x08, 0x09)]
        exam.require(len(names) < 2, 'adv-name-twice', block)
    exam.require(interval <= 1200, 'adv-interval-long', interval)


# Attributes

async def discover_services(exam, link):
    for kind in (PRIMARY, SECONDARY):
        start = 1
        while start <= 0xFFFF:
            answer = await link.request(struct.pack('<BHH', 0x10, start, 0xFFFF) + kind)
            if not answer or answer[0] != 0x11:
                expected = struct.pack('<BBHB', 0x01, 0x10, start, 0x0A)
                exam.require(same_error(exam, answer, expected), 'error-services-end', answer)
                break
            size = answer[1]
            for place in range(2, len(answer), size):
                first, last = struct.unpack_from('<HH', answer, place)
                exam.services.append((first, last, answer[place + 4:place + size], kind))
            start = max(each[1] for each in exam.services) + 1
    starts = [each[0] for each in exam.services if each[3] == PRIMARY]
    exam.require(starts == sorted(starts), 'group-order', starts)
    exam.services.sort()
    for one, other in zip(exam.services, exam.services[1:]):
        exam.require(one[1] < other[0], 'group-overlap', (one, other))
    for start, _, name, _ in exam.services:
        exam.require(len(name) in (2, 16), 'service-uuid-length', (start, name.hex()))
        exam.require(len(name) != 16 or not name.startswith(BASE), 'service-uuid-128', (start, name.hex()))


def same_error(exam, answer, expected):
    """Whether the answer is that error; a wrong opcode or handle in it is a finding of its own."""
    if not answer or answer[0] != 0x01 or len(answer) != 5:
        return False
    exam.require(answer[1] == expected[1], 'error-opcode', answer.hex())
    exam.require(answer[2:4] == expected[2:4], 'error-handle', answer.hex())
    return answer[4] == expected[4]


async def discover_types(exam, link):
    """All attributes by Find Information."""
    start = 1
    while start <= 0xFFFF:
        answer = await link.handle_request(0x04, start, 0xFFFF)
        if not answer or answer[0] != 0x05:
            expected = struct.pack('<BBHB', 0x01, 0x04, start, 0x0A)
            exam.require(same_error(exam, answer, expected), 'error-not-found-empty', answer)
            break
        size = 2 if answer[1] == 1 else 16
        if size == 16 and (len(answer) - 2) % 18:
            exam.find('information-format', answer.hex())
            size = 2
        if len(answer) == 2:
            exam.find('error-not-found-empty', answer.hex())
            break
        for place in range(2, len(answer), 2 + size):
            handle, = struct.unpack_from('<H', answer, place)
            exam.types[handle] = answer[place + 2:place + 2 + size]
        start = max(exam.types) + 1


async def discover_values(exam, link):
    start = 1
    declarations = []
    while start <= 0xFFFF:
        answer = await link.request(struct.pack('<BHH', 0x08, start, 0xFFFF) + CHARACTERISTIC)
        if not answer or answer[0] != 0x09:
            break
        size = answer[1]
        if (len(answer) - 2) % size:
            exam.find('read-by-type-mixed', answer.hex())
        for place in range(2, len(answer) - size + 1, size):
            handle, = struct.unpack_from('<H', answer, place)
            declarations.append((handle, answer[place + 2:place + size]))
        start = declarations[-1][0] + 1
    for place, (handle, octets) in enumerate(declarations):
        if len(octets) not in (5, 19):
            exam.find('declaration-length', octets.hex())
            continue
        found = Found(handle, octets[0], struct.unpack_from('<H', octets, 1)[0], octets[3:])
        service = next((each for each in exam.services if each[0] <= handle <= each[1]), None)
        if service is None:
            exam.find('group-end-early', (handle, octets.hex()))
        following = declarations[place + 1][0] - 1 if place + 1 < len(declarations) else 0xFFFF
        boundary = min((each[0] - 1 for each in exam.services if each[0] > handle), default=0xFFFF)
        found.end = min(following, boundary)
        exam.values.append(found)
    for found in exam.values:
        check_value(exam, found)


def check_value(exam, found):
    after = min((handle for handle in exam.types if handle > found.declaration), default=None)
    if found.handle not in exam.types:
        exam.find('value-missing', found)
    elif after != found.handle:
        exam.find('declaration-handle', found)
    elif len(found.uuid) == 16 and found.uuid.startswith(BASE):
        exam.find('value-uuid-128', found)
    elif exam.types[found.handle] != found.uuid:
        exam.find('declaration-uuid', (found, exam.types[found.handle].hex()))
    found.descriptors = [(handle, kind) for handle, kind in sorted(exam.types.items())
                         if found.declaration + 1 < handle <= found.end and kind != INCLUDE]
    kinds = [kind for _, kind in found.descriptors]
    both = NOTIFY | INDICATE
    exam.require(not found.properties & both or CCCD in kinds, 'notify-without-cccd', found)
    exam.require(found.properties & both or CCCD not in kinds, 'cccd-without-notify', found)
    exam.require(kinds.count(CCCD) < 2, 'cccd-twice', found)
    exam.require(not found.properties & 0x80 or EXTENDED in kinds, 'extended-missing', found)
    exam.require(found.properties & 0x80 or EXTENDED not in kinds, 'extended-not-said', found)
    exam.require(not found.properties & 0x01 or SCCD in kinds, 'broadcast-without-sccd', found)


async def check_includes(exam, link):
    for start, end, _, _ in exam.services:
        place = start
        while place <= end:
            answer = await link.request(struct.pack('<BHH', 0x08, place, end) + INCLUDE)
            if not answer or answer[0] != 0x09:
                break
            for entry in range(2, len(answer), answer[1]):
                handle, first, last = struct.unpack_from('<HHH', answer, entry)
                if handle > end:
                    place = 0x10000
                    break
                name = answer[entry + 6:entry + answer[1]]
                service = next((each for each in exam.services if each[:2] == (first, last)), None)
                exam.require(service, 'include-range', (first, last))
                exam.require(not service or not name or name == service[2], 'include-uuid', name.hex())
                late = any(start < value.declaration < handle for value in exam.values)
                exam.require(not late, 'include-late', handle)
                place = handle + 1


async def check_descriptors(exam, link):
    formats = [handle for handle, kind in exam.types.items() if kind == FORMAT]
    for found in exam.values:
        for handle, kind in found.descriptors:
            if kind not in (EXTENDED, DESCRIPTION, FORMAT, AGGREGATE):
                continue
            _, value = await link.whole(handle)
            value = value or b''
            if kind == EXTENDED:
                exam.require(len(value) == 2, 'extended-length', value)
                if len(value) == 2 and value[0] & 2:
                    exam.require(found.descriptor(DESCRIPTION), 'auxiliaries-without-description', found)
            elif kind == FORMAT:
                exam.require(len(value) == 7, 'format-length', value)
            elif kind == DESCRIPTION:
                exam.require(utf8(value), 'description-not-utf8', value)
            else:
                listed = struct.unpack(f'<{len(value) // 2}H', value)
                exam.require(all(each in formats for each in listed), 'aggregate-wrong', listed)


async def read_all(exam, link):
    for found in exam.values:
        if found.properties & READ and found.handle in exam.types:
            answer, found.value = await link.whole(found.handle)
            if found.value is None and answer:
                found.error = answer[4]


def check_hash(exam):
    """The hash over the attributes as they were discovered."""
    found = exam.named('2B2A')
    if not found:
        return
    if found.error in (0x05, 0x0F):
        exam.find('gatt-hash-secure', found.error)
    elif found.value is None or len(found.value) != 16:
        exam.find('gatt-hash-short', found.value)
    else:
        copy = Database([], None)
        copy.attributes = [Attribute(kind, exam.raw.get(handle, b''), handle=handle)
                           for handle, kind in sorted(exam.types.items())]
        exam.require(copy.hash() == found.value, 'gatt-hash-wrong', (copy.hash().hex(), found.value.hex()))


async def read_declarations(exam, link):
    exam.raw = {}
    for handle, kind in exam.types.items():
        if kind in (PRIMARY, SECONDARY, INCLUDE, CHARACTERISTIC, EXTENDED):
            exam.raw[handle] = (await link.whole(handle))[1] or b''
