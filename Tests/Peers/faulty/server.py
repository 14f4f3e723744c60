"""An attribute server as the specification describes it (Core 5.4 Vol 3, Parts F and G), on raw PDUs.

Bumble's own server leaves out permissions, several error codes, lengths and the rules of subscriptions, so the devices
have one of their own on Bumble's host. Devices with a fault override its methods.
"""

import asyncio
import collections
import struct

from .database import PRIMARY, SECONDARY, AttError, Database, whole
from .sending import QUEUE_LENGTH, Sending

INVALID_HANDLE, READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, INVALID_PDU = 0x01, 0x02, 0x03, 0x04
INSUFFICIENT_AUTHENTICATION, NOT_SUPPORTED, INVALID_OFFSET = 0x05, 0x06, 0x07
QUEUE_FULL, NOT_FOUND, NOT_LONG, INVALID_LENGTH = 0x09, 0x0A, 0x0B, 0x0D
UNLIKELY, INSUFFICIENT_ENCRYPTION, UNSUPPORTED_GROUP = 0x0E, 0x0F, 0x10

REQUESTS = {
    0x02: 'exchange_mtu', 0x04: 'find_information', 0x06: 'find_by_type_value', 0x08: 'read_by_type', 0x0A: 'read',
    0x0C: 'read_blob', 0x0E: 'read_multiple', 0x10: 'read_by_group_type', 0x12: 'write', 0x16: 'prepare_write',
    0x18: 'execute_write', 0x20: 'read_multiple_variable',
}
COMMAND_BIT = 0x40
# Responses and notifications.
UNASKED = {0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x21, 0x23}


class Client:
    """One link's state."""

    def __init__(self, connection, identity, hang_up):
        self.connection = connection
        self.identity = identity
        self.hang_up = hang_up  # ends the link
        self.mtu = 23
        self.subscriptions = {}  # bits by the handle of the descriptor
        self.features = 0
        self.queue = []  # prepared writes: handle, offset, value
        self.indications = collections.deque()
        self.unconfirmed = False

    @property
    def encrypted(self):
        return bool(self.connection.is_encrypted)


class Server(Sending):
    """Answers the requests of all clients of one device."""

    largest_mtu = 247

    def __init__(self, definition, transmit):
        self.definition = definition
        self.transmit = transmit
        self.clients = []
        self.bonds = {}  # what is kept of a bonded client: subscriptions and features, by its identity
        self.database = Database(definition.services, self.make_cccd)
        for change in definition.changes:
            change(self)
        self.hash = self.database.hash()

    # Clients

    def connected(self, client):
        self.clients.append(client)
        if client.identity in self.bonds:
            subscriptions, client.features = self.bonds[client.identity]
            client.subscriptions = dict(subscriptions)

    def paired(self, client, identity):
        """The client is bonded from now on."""
        client.identity = identity
        self.bonds[identity] = (client.subscriptions, client.features)

    def disconnected(self, client):
        self.clients.remove(client)
        if client.identity in self.bonds:
            self.bonds[client.identity] = (client.subscriptions, client.features)

    # PDUs

    def send(self, client, pdu):
        self.transmit(client, pdu)

    def later(self, work, *arguments):
        """After the response to the present request."""
        asyncio.get_running_loop().call_soon(work, *arguments)

    def receive(self, client, pdu):
        if (response := self.answer(client, pdu)) is not None:
            self.send(client, response)

    def answer(self, client, pdu):
        opcode = pdu[0] if pdu else None
        if opcode is None or opcode in UNASKED:
            return None
        match opcode:
            case 0x1D:
                return bytes([0x1E])
            case 0x1E:
                self.confirmed(client)
                return None
            case 0x52:
                self.write_command(client, pdu)
                return None
        if opcode & COMMAND_BIT:
            return self.unknown_command(client, pdu)
        if opcode not in REQUESTS:
            return self.unknown_request(client, pdu)
        try:
            if len(pdu) > client.mtu:
                raise AttError(INVALID_PDU)
            return getattr(self, REQUESTS[opcode])(client, pdu)
        except AttError as error:
            return self.error(opcode, error.handle or 0, error.code)

    def error(self, opcode, handle, code):
        return struct.pack('<BBHB', 0x01, opcode, handle, code)

    def unknown_request(self, _client, pdu):
        return self.error(pdu[0], 0, NOT_SUPPORTED)

    def unknown_command(self, _client, _pdu):
        return None

    def parsed(self, pdu, layout):
        """The fields of a PDU of exactly that layout."""
        if len(pdu) != struct.calcsize(layout) + 1:
            raise AttError(INVALID_PDU)
        return struct.unpack_from(layout, pdu, 1)

    # Access

    def attribute(self, handle):
        if handle == 0 or (found := self.database.at(handle)) is None:
            raise AttError(INVALID_HANDLE, handle)
        return found

    def check_range(self, start, end):
        if start == 0 or start > end:
            raise AttError(INVALID_HANDLE, start)

    def within(self, start, end):
        return [attribute for attribute in self.database.attributes if start <= attribute.handle <= end]

    def check_security(self, client, attribute):
        if attribute.secure and not client.encrypted:
            raise AttError(self.security_error(client), attribute.handle)

    def security_error(self, client):
        """With a key Insufficient Encryption, without one Insufficient Authentication (Part C, 10.3.1)."""
        return INSUFFICIENT_ENCRYPTION if client.identity in self.bonds else INSUFFICIENT_AUTHENTICATION

    def value_of(self, client, attribute, _opcode=0x0A):
        """What a client reads, whole."""
        if not attribute.readable:
            raise AttError(READ_NOT_PERMITTED, attribute.handle)
        self.check_security(client, attribute)
        try:
            return attribute.read(client) if attribute.read else attribute.value
        except AttError as error:
            raise AttError(error.code, attribute.handle) from None

    def check_write(self, client, attribute):
        if not attribute.writable:
            raise AttError(WRITE_NOT_PERMITTED, attribute.handle)
        self.check_security(client, attribute)
        if attribute.secure_write and not client.encrypted:
            raise AttError(self.security_error(client), attribute.handle)

    def check_length(self, attribute, length):
        shortest, longest = attribute.lengths
        if not shortest <= length <= longest:
            raise AttError(INVALID_LENGTH, attribute.handle)

    def store(self, client, attribute, value):
        self.check_length(attribute, len(value))
        try:
            if attribute.write:
                attribute.write(client, value)
            else:
                attribute.value = value
        except AttError as error:
            raise AttError(error.code, attribute.handle) from None

    # Requests

    def exchange_mtu(self, client, pdu):
        asked, = self.parsed(pdu, '<H')
        # Takes effect after the response, which is shorter than any MTU.
        client.mtu = max(23, min(asked, self.largest_mtu))
        return struct.pack('<BH', 0x03, self.largest_mtu)

    def find_information(self, client, pdu):
        start, end = self.parsed(pdu, '<HH')
        self.check_range(start, end)
        found = self.within(start, end)
        if not found:
            raise AttError(NOT_FOUND, start)
        size = len(found[0].type)
        listed = b''
        for attribute in found:
            if len(attribute.type) != size or len(listed) + 2 + size > client.mtu - 2:
                break
            listed += struct.pack('<H', attribute.handle) + attribute.type
        return bytes([0x05, 1 if size == 2 else 2]) + listed

    def find_by_type_value(self, client, pdu):
        if len(pdu) < 7:
            raise AttError(INVALID_PDU)
        start, end = struct.unpack_from('<HH', pdu, 1)
        self.check_range(start, end)
        listed = b''
        for attribute in self.matches(client, start, end, pdu[5:7], pdu[7:]):
            if len(listed) + 4 > client.mtu - 1:
                break
            listed += struct.pack('<HH', attribute.handle, attribute.end)
        if not listed:
            raise AttError(NOT_FOUND, start)
        return b'\x07' + listed

    def matches(self, client, start, end, kind, value):
        for attribute in self.within(start, end):
            try:
                if attribute.type == kind and self.value_of(client, attribute, 0x06) == value:
                    yield attribute
            except AttError:
                pass  # what may not be read is not found

    def kind_of(self, pdu):
        if len(pdu) not in (7, 21):
            raise AttError(INVALID_PDU)
        return struct.unpack_from('<HH', pdu, 1), whole(pdu[5:])

    def read_by_type(self, client, pdu):
        (start, end), kind = self.kind_of(pdu)
        self.check_range(start, end)
        entries = []
        for attribute in self.within(start, end):
            if whole(attribute.type) != kind:
                continue
            try:
                value = self.value_of(client, attribute, 0x08)[:min(client.mtu - 4, 253)]
            except AttError:
                if entries:
                    break
                raise
            if not self.fits(client, entries, len(value) + 2):
                break
            entries.append(struct.pack('<H', attribute.handle) + value)
        if not entries:
            raise AttError(NOT_FOUND, start)
        return bytes([0x09, len(entries[0])]) + b''.join(entries)

    def fits(self, client, entries, size):
        if not entries:
            return True
        return len(entries[0]) == size and (len(entries) + 1) * size <= client.mtu - 2

    def read(self, client, pdu):
        handle, = self.parsed(pdu, '<H')
        return b'\x0B' + self.value_of(client, self.attribute(handle), 0x0A)[:client.mtu - 1]

    def read_blob(self, client, pdu):
        handle, offset = self.parsed(pdu, '<HH')
        value = self.value_of(client, self.attribute(handle), 0x0C)
        if offset > len(value):
            raise AttError(INVALID_OFFSET, handle)
        if self.definition.says_not_long and offset and len(value) <= client.mtu - 1:
            raise AttError(NOT_LONG, handle)
        return b'\x0D' + value[offset:offset + client.mtu - 1]

    def handles_of(self, pdu):
        if len(pdu) < 5 or len(pdu) % 2 == 0:
            raise AttError(INVALID_PDU)
        return struct.unpack_from(f'<{(len(pdu) - 1) // 2}H', pdu, 1)

    def read_multiple(self, client, pdu):
        values = [self.value_of(client, self.attribute(handle), 0x0E) for handle in self.handles_of(pdu)]
        return b'\x0F' + b''.join(values)[:client.mtu - 1]

    def read_multiple_variable(self, client, pdu):
        values = [self.value_of(client, self.attribute(handle), 0x20) for handle in self.handles_of(pdu)]
        response = b''
        for value in values:
            if len(response) + 2 > client.mtu - 1:
                break
            response += struct.pack('<H', len(value)) + value
        return b'\x21' + response[:client.mtu - 1]

    def read_by_group_type(self, client, pdu):
        (start, end), kind = self.kind_of(pdu)
        self.check_range(start, end)
        if kind not in (whole(PRIMARY), whole(SECONDARY)):
            raise AttError(UNSUPPORTED_GROUP, start)
        entries = []
        for attribute in self.within(start, end):
            if whole(attribute.type) != kind:
                continue
            value = attribute.value[:min(client.mtu - 6, 251)]
            if not self.fits(client, entries, len(value) + 4):
                break
            entries.append(struct.pack('<HH', attribute.handle, attribute.end) + value)
        if not entries:
            raise AttError(NOT_FOUND, start)
        return bytes([0x11, len(entries[0])]) + b''.join(entries)

    def write(self, client, pdu):
        if len(pdu) < 3:
            raise AttError(INVALID_PDU)
        attribute = self.attribute(struct.unpack_from('<H', pdu, 1)[0])
        self.check_write(client, attribute)
        self.store(client, attribute, pdu[3:])
        return b'\x13'

    def write_command(self, client, pdu):
        if not 3 <= len(pdu) <= client.mtu:
            return
        attribute = self.database.at(struct.unpack_from('<H', pdu, 1)[0])
        if attribute is None or not attribute.commands or (attribute.secure and not client.encrypted):
            return
        try:
            self.store(client, attribute, pdu[3:])
        except AttError:
            pass  # a command is never answered

    def prepare_write(self, client, pdu):
        if len(pdu) < 5:
            raise AttError(INVALID_PDU)
        handle, offset = struct.unpack_from('<HH', pdu, 1)
        self.check_write(client, self.attribute(handle))
        if len(client.queue) >= QUEUE_LENGTH:
            raise AttError(QUEUE_FULL, handle)
        client.queue.append((handle, offset, pdu[5:]))
        return b'\x17' + pdu[1:]

    def execute_write(self, client, pdu):
        flags, = self.parsed(pdu, '<B')
        if flags > 1:
            raise AttError(INVALID_PDU)
        queue, client.queue = client.queue, []
        if flags == 1:
            self.execute(client, queue)
        return b'\x19'

    def execute(self, client, queue):
        values = {}
        for handle, offset, part in queue:
            # A write that begins at 0 gives a new value; one that begins later continues the present one.
            attribute = self.attribute(handle)
            present = values.get(handle, b'' if offset == 0 else attribute.value)
            if offset > len(present):
                raise AttError(INVALID_OFFSET, handle)
            values[handle] = present[:offset] + part + present[offset + len(part):]
        for handle, value in values.items():
            self.check_length(self.attribute(handle), len(value))
        for handle, value in values.items():
            self.store(client, self.attribute(handle), value)
