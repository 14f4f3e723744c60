"""Faults of answers that should be errors."""

import struct

from .clean import SERIAL_SETTINGS, battery, encrypted, heart_rate, serial
from .clean_many import many
from .database import CCCD, PRIMARY, AttError, uuid
from .registry import fault, override
from .server import (INVALID_HANDLE, INVALID_OFFSET, INVALID_PDU, NOT_FOUND, READ_NOT_PERMITTED, UNLIKELY,
                     UNSUPPORTED_GROUP, WRITE_NOT_PERMITTED)

REQUESTS = 'Core 5.4 Vol 3, Part F, 3.4'
ERROR = f'{REQUESTS}.1.1'


def other_code(device, wrong, right, *opcodes):
    """Errors of those requests have another code."""
    def error(_server, original, opcode, handle, code):
        return original(opcode, handle, wrong if code == right and opcode in opcodes else code)
    override(device, error=error)


@fault('error-invalid-handle', heart_rate,
       'Reading a handle that does not exist gives Attribute Not Found, not Invalid Handle.', f'{REQUESTS}.4.3')
def _(device):
    def error(_server, original, opcode, handle, code):
        return original(opcode, handle, NOT_FOUND if (opcode, code) == (0x0A, INVALID_HANDLE) and handle else code)
    override(device, error=error)


@fault('error-handle-zero', serial,
       'Reading handle 0x0000 gives the first attribute, not Invalid Handle.', f'{REQUESTS}.4.3')
def _(device):
    def attribute(server, original, handle):
        return server.database.attributes[0] if handle == 0 else original(handle)
    override(device, attribute=attribute)


@fault('error-write-invalid-handle', battery,
       'Writing a handle that does not exist gives Write Not Permitted, not Invalid Handle.', f'{REQUESTS}.5.1',
       needs='writes')
def _(device):
    other_code(device, WRITE_NOT_PERMITTED, INVALID_HANDLE, 0x12)


@fault('error-read-allowed', heart_rate,
       'Reading a value without the property read gives an empty value, not Read Not Permitted.', f'{REQUESTS}.4.3')
def _(device):
    # The Heart Rate Control Point alone: that the measurement is readable would be a fault of the service too.
    device.service('180D').value('2A39').attribute.readable = True


@fault('error-read-code', serial,
       'Reading a value without the property read gives Unlikely Error, not Read Not Permitted.', f'{REQUESTS}.4.3')
def _(device):
    other_code(device, UNLIKELY, READ_NOT_PERMITTED, 0x0A)


@fault('error-write-allowed', battery,
       'Writing a value without the property write is confirmed, not refused by Write Not Permitted.',
       f'{REQUESTS}.5.1',
       needs='writes')
def _(device):
    # Confirmed, but not kept.
    for value in device.service('180A').values:
        value.attribute.writable = True
        value.attribute.write = lambda _client, _value: None


@fault('error-write-code', heart_rate,
       'Writing a value without the property write gives Read Not Permitted, not Write Not Permitted.',
       f'{REQUESTS}.5.1', needs='writes')
def _(device):
    other_code(device, READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, 0x12)


@fault('error-offset-ignored', battery,
       'Read Blob beyond the end of a value gives an empty part, not Invalid Offset.', f'{REQUESTS}.4.5')
def _(device):
    def read_blob(server, original, client, pdu):
        try:
            return original(client, pdu)
        except AttError as error:
            if error.code == INVALID_OFFSET:
                return b'\x0D'
            raise
    override(device, read_blob=read_blob)


@fault('error-offset-code', serial,
       'Read Blob beyond the end of a value gives Invalid Handle, not Invalid Offset.', f'{REQUESTS}.4.5')
def _(device):
    other_code(device, INVALID_HANDLE, INVALID_OFFSET, 0x0C)


@fault('error-length-cccd', heart_rate,
       'A Client Characteristic Configuration takes one octet; Invalid Attribute Value Length is missing.',
       f'{REQUESTS}.5.1; Part G, 3.3.3.3')
def _(device):
    def check_length(_server, original, attribute, length):
        if attribute.type != CCCD:
            original(attribute, length)

    def subscribe(_server, original, client, attribute, octets, allowed):
        original(client, attribute, octets[:2].ljust(2, b'\0'), allowed)
    override(device, check_length=check_length, subscribe=subscribe)


@fault('error-length-code', serial,
       'Writing more than a value can hold gives Invalid Offset, not Invalid Attribute Value Length.',
       f'{REQUESTS}.5.1',
       needs='writes')
def _(device):
    def check_length(_server, original, attribute, length):
        try:
            original(attribute, length)
        except AttError:
            raise AttError(0x0D if attribute.type == CCCD else INVALID_OFFSET, attribute.handle) from None
    override(device, check_length=check_length)


@fault('error-length-cut', serial,
       'Writing more than a value can hold is confirmed, and the value is cut.', f'{REQUESTS}.5.1', needs='writes')
def _(device):
    def store(_server, original, client, attribute, value):
        if attribute.type == uuid(SERIAL_SETTINGS):
            value = value[:attribute.lengths[1]]
        original(client, attribute, value)

    def check_length(_server, original, attribute, length):
        if attribute.type != uuid(SERIAL_SETTINGS):
            original(attribute, length)
    override(device, store=store, check_length=check_length)


@fault('error-group-type', heart_rate,
       'Read By Group Type of a type that is no group gives Attribute Not Found, not Unsupported Group Type.',
       f'{REQUESTS}.4.9')
def _(device):
    other_code(device, NOT_FOUND, UNSUPPORTED_GROUP, 0x10)


@fault('error-group-characteristic', battery,
       'Read By Group Type answers for characteristics, which is not a type that it allows.',
       f'{REQUESTS}.4.9; Part G, 2.5.3')
def _(device):
    def read_by_group_type(server, original, client, pdu):
        if pdu[5:] != bytes.fromhex('0328'):
            return original(client, pdu)
        start, end = struct.unpack_from('<HH', pdu, 1)
        server.check_range(start, end)
        entries = []
        for attribute in server.within(start, end):
            if attribute.type == pdu[5:] and server.fits(client, entries, len(attribute.value) + 4):
                entries.append(struct.pack('<HH', attribute.handle, attribute.end) + attribute.value)
        if not entries:
            raise AttError(NOT_FOUND, start)
        return bytes([0x11, len(entries[0])]) + b''.join(entries)
    override(device, read_by_group_type=read_by_group_type)


@fault('error-not-found-code', battery,
       'Read By Type of a type that is not there gives Invalid Handle, not Attribute Not Found.', f'{REQUESTS}.4.1')
def _(device):
    other_code(device, INVALID_HANDLE, NOT_FOUND, 0x08)


@fault('error-not-found-empty', serial,
       'Find Information after the last attribute gives an empty list, not Attribute Not Found.', f'{REQUESTS}.3.1')
def _(device):
    def find_information(_server, original, client, pdu):
        try:
            return original(client, pdu)
        except AttError as error:
            if error.code == NOT_FOUND:
                return b'\x05\x01'
            raise
    override(device, find_information=find_information)


@fault('error-services-end', many,
       'Read By Group Type after the last service gives Invalid Handle, not Attribute Not Found.', f'{REQUESTS}.4.9')
def _(device):
    other_code(device, INVALID_HANDLE, NOT_FOUND, 0x10)


@fault('error-by-value-end', heart_rate,
       'Find By Type Value of a service that is not there gives Unlikely Error, not Attribute Not '
       'Found.', f'{REQUESTS}.3.3')
def _(device):
    other_code(device, UNLIKELY, NOT_FOUND, 0x06)


@fault('error-range-backwards', heart_rate,
       'Find Information with a start above its end gives Attribute Not Found, not Invalid Handle.', f'{REQUESTS}.3.1')
def _(device):
    def find_information(_server, original, client, pdu):
        start, end = struct.unpack_from('<HH', pdu.ljust(5, b'\0'), 1)
        if start > end and len(pdu) == 5:
            raise AttError(NOT_FOUND, start)
        return original(client, pdu)
    override(device, find_information=find_information)


@fault('error-range-zero', battery,
       'Read By Group Type from handle 0x0000 is answered, not refused by Invalid Handle.', f'{REQUESTS}.4.9')
def _(device):
    def read_by_group_type(_server, original, client, pdu):
        if pdu[1:3] == bytes(2) and pdu[3:5] != bytes(2):
            pdu = pdu[:1] + b'\x01\x00' + pdu[3:]
        return original(client, pdu)
    override(device, read_by_group_type=read_by_group_type)


@fault('error-type-range-backwards', serial,
       'Read By Type with a start above its end takes the two the other way round and is answered.', f'{REQUESTS}.4.1')
def _(device):
    def read_by_type(_server, original, client, pdu):
        if len(pdu) >= 5 and pdu[1:3] != bytes(2):
            start, end = sorted(struct.unpack_from('<HH', pdu, 1))
            pdu = pdu[:1] + struct.pack('<HH', start or 1, end) + pdu[5:]
        return original(client, pdu)
    override(device, read_by_type=read_by_type)


@fault('error-pdu-code', heart_rate,
       'A request that is too short gives Unlikely Error, not Invalid PDU.', ERROR, needs='hostile')
def _(device):
    other_code(device, UNLIKELY, INVALID_PDU, *range(0x02, 0x21))


@fault('error-pdu-silent', battery,
       'A request that is too short is not answered, so the bearer waits for ever.', ERROR, needs='hostile')
def _(device):
    def answer(_server, original, client, pdu):
        response = original(client, pdu)
        return None if response and response[0] == 0x01 and response[4] == INVALID_PDU else response
    override(device, answer=answer)


@fault('error-opcode', serial,
       'Error responses name the opcode of the response, not the one of the request.', ERROR)
def _(device):
    override(device, error=lambda _server, original, opcode, handle, code: original(opcode + 1, handle, code))


@fault('error-handle', battery,
       'Error responses always have handle 0x0000, not the attribute in error.', ERROR)
def _(device):
    override(device, error=lambda _server, original, opcode, handle, code: original(opcode, 0, code))


@fault('error-then-disconnect', heart_rate,
       'After the error Invalid Handle the device ends the link.', ERROR)
def _(device):
    def error(server, original, opcode, handle, code):
        if code == INVALID_HANDLE:
            for client in list(server.clients):
                server.later(client.hang_up)
        return original(opcode, handle, code)
    override(device, error=error)


@fault('unknown-request-silent', heart_rate,
       'A request with an unknown opcode is not answered by Request Not Supported.', 'Core 5.4 Vol 3, Part F, 3.3',
       needs='hostile')
def _(device):
    override(device, unknown_request=lambda _server, _original, _client, _pdu: None)


@fault('unknown-request-code', battery,
       'A request with an unknown opcode gives Invalid PDU, not Request Not Supported.', ERROR, needs='hostile')
def _(device):
    override(device, unknown_request=lambda server, _original, _client, pdu: server.error(pdu[0], 0, INVALID_PDU))


@fault('unknown-command-answered', serial,
       'A command with an unknown opcode is answered by an error response.',
       'Core 5.4 Vol 3, Part F, 3.3', needs='hostile')
def _(device):
    override(device, unknown_command=lambda server, _original, _client, pdu: server.error(pdu[0], 0, 0x06))


@fault('command-answered', serial,
       'A write command to a value without that property is answered by an error response.', f'{REQUESTS}.5.3',
       needs='writes')
def _(device):
    def write_command(server, original, client, pdu):
        original(client, pdu)
        if len(pdu) < 3:
            return
        handle, = struct.unpack_from('<H', pdu, 1)
        if (attribute := server.database.at(handle)) is None or not attribute.commands:
            server.send(client, server.error(0x52, handle, WRITE_NOT_PERMITTED if attribute else INVALID_HANDLE))
    override(device, write_command=write_command)


@fault('declaration-writable', encrypted,
       'The declaration of the Battery service can be written.', 'Core 5.4 Vol 3, Part G, 3.1', needs='writes')
def _(device):
    def change(server):
        head = server.database.head('180F')
        head.writable, head.write = True, lambda _client, _value: None
        assert head.type == PRIMARY
    device.changes.append(change)
