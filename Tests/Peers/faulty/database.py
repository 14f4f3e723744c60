"""Services as a device lists them, and the attributes that they become."""

import dataclasses
import struct
from collections.abc import Callable

from bumble import crypto

# The Bluetooth Base UUID, least significant octet first, without the 16 bits that a short UUID puts in.
BASE = bytes.fromhex('FB349B5F8000008000100000')

PRIMARY, SECONDARY, INCLUDE, CHARACTERISTIC = (struct.pack('<H', 0x2800 + number) for number in range(4))
EXTENDED, DESCRIPTION, CCCD, SCCD, FORMAT, AGGREGATE = (struct.pack('<H', 0x2900 + number) for number in range(6))

PROPERTIES = {
    'broadcast': 0x01, 'read': 0x02, 'command': 0x04, 'write': 0x08, 'notify': 0x10, 'indicate': 0x20, 'signed': 0x40,
    'extended': 0x80,
}
RELIABLE_WRITE, WRITABLE_AUXILIARIES = 0x0001, 0x0002


def uuid(text):
    """The octets of a UUID as they go over the air."""
    return bytes.fromhex(text.replace('-', ''))[::-1]


def whole(octets):
    """The 128-bit form."""
    return octets if len(octets) == 16 else BASE + octets + bytes(2)


class AttError(Exception):
    """An error that the server answers with; the handle is filled in where the attribute is known."""

    def __init__(self, code, handle=None):
        super().__init__(f'error {code:#04x}')
        self.code = code
        self.handle = handle


@dataclasses.dataclass
class Attribute:
    """One attribute of the database."""

    type: bytes
    value: bytes = b''
    readable: bool = True
    writable: bool = False  # by requests
    commands: bool = False  # by commands
    secure: bool = False  # only over an encrypted link
    secure_write: bool = False  # written only over an encrypted link, read over any
    lengths: tuple[int, int] = (0, 512)  # of what may be written
    read: Callable | None = None  # read(client) gives the value in place of `value`
    write: Callable | None = None  # write(client, value) takes it, or raises AttError
    handle: int = 0
    end: int = 0  # of the group that the attribute begins; its own handle otherwise


@dataclasses.dataclass
class Value:
    """A characteristic: its value, what may be done with it, and its descriptors."""

    uuid: str
    properties: int
    attribute: Attribute
    descriptors: list[Attribute]
    secure_subscription: bool = False

    def declared(self, handle):
        return struct.pack('<BH', self.properties, handle) + uuid(self.uuid)


@dataclasses.dataclass
class Service:
    uuid: str
    values: list[Value]
    includes: list['Service'] = dataclasses.field(default_factory=list)
    type: bytes = PRIMARY
    handle: int = 0
    end: int = 0

    def value(self, name):
        return next(value for value in self.values if value.uuid == name)

    def remove(self, name):
        self.values.remove(self.value(name))


def characteristic(name, properties, value=b'', descriptors=(), secure_subscription=False, **rest):
    """A characteristic whose permissions follow from its properties, a string such as `read notify`."""
    bits = sum(PROPERTIES[word] for word in properties.split())
    attribute = Attribute(
        uuid(name), value, **{
            'readable': bool(bits & PROPERTIES['read']), 'writable': bool(bits & PROPERTIES['write']),
            'commands': bool(bits & PROPERTIES['command']), **rest})
    return Value(name, bits, attribute, list(descriptors), secure_subscription)


def service(name, *values, includes=()):
    return Service(name, list(values), list(includes))


def descriptor(name, value, **rest):
    return Attribute(uuid(name), value, **rest)


def subscribable(value):
    return bool(value.properties & (PROPERTIES['notify'] | PROPERTIES['indicate']))


class Database:
    """Attributes in the order of their handles."""

    def __init__(self, services, make_cccd):
        self.attributes = []
        self.services = services
        included = [each for one in services for each in one.includes]
        # Services that others include come first: a declaration of an include needs their handles.
        for one in sorted(services, key=lambda each: not any(each is other for other in included)
                          and each.uuid not in ('1800', '1801')):
            self._lay_out(one, make_cccd)

    def _append(self, attribute):
        attribute.handle = attribute.end = len(self.attributes) + 1
        self.attributes.append(attribute)
        return attribute

    def _lay_out(self, one, make_cccd):
        declaration = self._append(Attribute(one.type, uuid(one.uuid)))
        for other in one.includes:
            short = uuid(other.uuid) if len(other.uuid) == 4 else b''
            self._append(Attribute(INCLUDE, struct.pack('<HH', other.handle, other.end) + short))
        for value in one.values:
            head = self._append(Attribute(CHARACTERISTIC))
            self._append(value.attribute)
            head.value = value.declared(value.attribute.handle)
            for attribute in value.descriptors:
                self._append(attribute)
            if subscribable(value) and not any(each.type == CCCD for each in value.descriptors):
                self._append(make_cccd(value))
            head.end = self.attributes[-1].handle
        declaration.end = one.end = self.attributes[-1].handle
        one.handle = declaration.handle

    def at(self, handle):
        return next((attribute for attribute in self.attributes if attribute.handle == handle), None)

    def named(self, name):
        """The first attribute of that type: the value of a characteristic, or a descriptor."""
        return next(attribute for attribute in self.attributes if whole(attribute.type) == whole(uuid(name)))

    def declaration(self, name):
        """The declaration of the first characteristic of that UUID."""
        return self.at(self.named(name).handle - 1)

    def head(self, name):
        """The declaration of the first service of that UUID."""
        return next(attribute for attribute in self.attributes
                    if attribute.type in (PRIMARY, SECONDARY) and whole(attribute.value) == whole(uuid(name)))

    def remove(self, attribute):
        """Takes an attribute out; the handles of the others stay, as gaps between handles are allowed."""
        self.attributes.remove(attribute)

    def hash(self):
        """The Database Hash (Core 5.4 Vol 3, Part G, 7.3.1), least significant octet first."""
        message = b''
        for attribute in self.attributes:
            if attribute.type in (PRIMARY, SECONDARY, INCLUDE, CHARACTERISTIC, EXTENDED):
                message += struct.pack('<H', attribute.handle) + attribute.type + attribute.value
            elif attribute.type in (DESCRIPTION, CCCD, SCCD, FORMAT, AGGREGATE):
                message += struct.pack('<H', attribute.handle) + attribute.type
        return crypto.aes_cmac(message, bytes(16))[::-1]
