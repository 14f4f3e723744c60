"""Faults of reading, writing and the MTU."""

import struct

from .clean import SERIAL_LOG, SERIAL_SETTINGS, battery, heart_rate, serial
from .clean_many import many
from .database import CHARACTERISTIC, INCLUDE, AttError, uuid, whole
from .registry import fault, override
from .server import NOT_LONG

REQUESTS = 'Core 5.4 Vol 3, Part F, 3.4'
MTU = f'{REQUESTS}.2'


@fault('read-longer-than-mtu', serial,
       'A Read Response has up to 60 octets of a long value whatever the MTU is.', f'{REQUESTS}.4.4; 3.2.8')
def _(device):
    def read(server, original, client, pdu):
        response = original(client, pdu)
        if len(response) < client.mtu or len(response) >= 61:
            return response
        value = server.value_of(client, server.attribute(struct.unpack_from('<H', pdu, 1)[0]))
        return b'\x0B' + value[:60]
    override(device, read=read)


@fault('read-short', serial,
       'A Read Response has at most 20 octets of a long value, less than the MTU - 1 that it must '
       'have.', f'{REQUESTS}.4.4')
def _(device):
    override(device, read=lambda _server, original, client, pdu: original(client, pdu)[:21])


@fault('read-by-type-mixed', heart_rate,
       'A Read By Type Response has entries of different lengths.', f'{REQUESTS}.4.2')
def _(device):
    def read_by_type(server, original, client, pdu):
        response = original(client, pdu)
        if server.kind_of(pdu)[1] in (whole(CHARACTERISTIC), whole(INCLUDE)):
            return response  # the services can still be discovered
        return response + struct.pack('<HB', struct.unpack_from('<H', response, 2)[0] + 1, 0)[:response[1] - 1]
    override(device, read_by_type=read_by_type)


@fault('read-by-type-beyond', battery,
       'Read By Type goes on after the end of the range that was asked for.', f'{REQUESTS}.4.1 and 3.4.4.2')
def _(device):
    def read_by_type(server, original, client, pdu):
        (start, end), _ = server.kind_of(pdu)
        server.check_range(start, end)
        return original(client, pdu[:3] + b'\xFF\xFF' + pdu[5:])
    override(device, read_by_type=read_by_type)


@fault('information-beyond', serial,
       'Find Information goes on after the end of the range that was asked for.', f'{REQUESTS}.3.1 and 3.4.3.2')
def _(device):
    def find_information(server, original, client, pdu):
        start, end = server.parsed(pdu, '<HH')
        server.check_range(start, end)
        return original(client, struct.pack('<BHH', 0x04, start, 0xFFFF) if server.within(start, end) else pdu)
    override(device, find_information=find_information)


@fault('information-format', heart_rate,
       'A Find Information Response with 16-bit UUIDs says format 2, that of 128-bit UUIDs.', f'{REQUESTS}.3.2')
def _(device):
    def find_information(_server, original, client, pdu):
        response = original(client, pdu)
        return response[:1] + b'\x02' + response[2:]
    override(device, find_information=find_information)


@fault('by-value-end', heart_rate,
       'Find By Type Value gives the handle of a service as the end of its group.', f'{REQUESTS}.3.4')
def _(device):
    def find_by_type_value(_server, original, client, pdu):
        response = original(client, pdu)
        return b'\x07' + b''.join(response[place:place + 2] * 2 for place in range(1, len(response), 4))
    override(device, find_by_type_value=find_by_type_value)


@fault('by-value-any', battery,
       'Find By Type Value finds all services, whatever UUID was asked for.', f'{REQUESTS}.3.3')
def _(device):
    def matches(server, _original, _client, start, end, kind, _value):
        return [each for each in server.within(start, end) if each.type == kind and each.readable]
    override(device, matches=matches)


@fault('blob-offset', serial,
       'Read Blob begins one octet after the offset that was asked for.', f'{REQUESTS}.4.5')
def _(device):
    def read_blob(server, original, client, pdu):
        handle, offset = server.parsed(pdu, '<HH')
        value = server.value_of(client, server.attribute(handle))
        if 0 < offset < len(value):
            return original(client, struct.pack('<BHH', 0x0C, handle, offset + 1))
        return original(client, pdu)
    override(device, read_blob=read_blob)


@fault('blob-beginning', serial,
       'Read Blob always gives the beginning of the value, whatever the offset.', f'{REQUESTS}.4.5')
def _(device):
    def read_blob(server, original, client, pdu):
        original(client, pdu)  # for its errors
        handle, offset = server.parsed(pdu, '<HH')
        value = server.value_of(client, server.attribute(handle))
        # As long as the right part, or reading would never end.
        return b'\x0D' + value[:max(0, min(client.mtu - 1, len(value) - offset))]
    override(device, read_blob=read_blob)


@fault('blob-not-long', serial,
       'Read Blob says Attribute Not Long of a value that does not fit a Read Response, so only its beginning can '
       'be read.',
       f'{REQUESTS}.4.5')
def _(device):
    def read_blob(server, original, client, pdu):
        handle, offset = server.parsed(pdu, '<HH')
        response = original(client, pdu)
        if offset and server.attribute(handle).type == uuid(SERIAL_LOG):
            raise AttError(NOT_LONG, handle)
        return response
    override(device, read_blob=read_blob)


@fault('long-write-truncated', serial,
       'A long write is confirmed, but only the first 18 octets of the value are kept.',
       f'{REQUESTS}.6.3; Part G, 4.9.4',
       needs='writes')
def _(device):
    def execute(server, original, client, queue):
        original(client, queue)
        settings = server.database.named(SERIAL_SETTINGS)
        settings.value = settings.value[:18]
    override(device, execute=execute)


@fault('multiple-order', many,
       'Read Multiple gives the values in the order of their handles, not in the order that was asked for.',
       f'{REQUESTS}.4.8')
def _(device):
    override(device, handles_of=lambda _server, original, pdu: sorted(original(pdu)))


@fault('multiple-skips', battery,
       'Read Multiple leaves out handles that do not exist, and gives the other values.', f'{REQUESTS}.4.7')
def _(device):
    def handles_of(server, original, pdu):
        handles = original(pdu)
        there = [handle for handle in handles if server.database.at(handle)]
        return there or handles
    override(device, handles_of=handles_of)


@fault('mtu-below-23', battery, 'The Exchange MTU Response says 20; 23 is the least.', f'{MTU}.2')
def _(device):
    def exchange_mtu(_server, original, client, pdu):
        original(client, pdu)
        client.mtu = 23
        return struct.pack('<BH', 0x03, 20)
    override(device, exchange_mtu=exchange_mtu)


@fault('mtu-not-minimum', serial,
       "After the exchange the device takes its own MTU, though the client's is smaller.", f'{MTU}.2')
def _(device):
    def exchange_mtu(server, original, client, pdu):
        response = original(client, pdu)
        client.mtu = server.largest_mtu
        return response
    override(device, exchange_mtu=exchange_mtu)


@fault('mtu-not-used', serial,
       'After an exchange of 247 the responses still keep to 23, so a long value comes short.', f'{MTU}.2; 3.4.4.4')
def _(device):
    def exchange_mtu(_server, original, client, pdu):
        response = original(client, pdu)
        client.mtu = 23
        return response

    def answer(server, original, client, pdu):
        # Requests are taken in their new length.
        return original(client, pdu) if len(pdu) <= 23 else wide(server, original, client, pdu)

    def wide(server, original, client, pdu):
        client.mtu = server.largest_mtu
        response = original(client, pdu)
        client.mtu = 23
        return response
    override(device, exchange_mtu=exchange_mtu, answer=answer)


@fault('mtu-refused', heart_rate,
       'The device refuses the exchange of the MTU by Unlikely Error.', f'{MTU}.1')
def _(device):
    def exchange_mtu(server, _original, _client, pdu):
        server.parsed(pdu, '<H')
        return server.error(pdu[0], 0, 0x0E)
    override(device, exchange_mtu=exchange_mtu)


@fault('response-twice', heart_rate,
       'Each Read Request is answered twice.', 'Core 5.4 Vol 3, Part F, 3.3.2')
def _(device):
    def read(server, original, client, pdu):
        response = original(client, pdu)
        server.send(client, response)
        return response
    override(device, read=read)


@fault('write-not-kept', serial,
       'A write is confirmed, but the value that can be read stays as it was.', f'{REQUESTS}.5.1', needs='writes')
def _(device):
    def store(server, original, client, attribute, value):
        if attribute.type == uuid(SERIAL_SETTINGS):
            server.check_length(attribute, len(value))
        else:
            original(client, attribute, value)
    override(device, store=store)


@fault('prepare-echo', serial,
       'The Prepare Write Response does not have the octets of the request.', f'{REQUESTS}.6.2', needs='writes')
def _(device):
    def prepare_write(_server, original, client, pdu):
        response = original(client, pdu)
        return response[:5] + bytes(octet ^ 0xFF for octet in response[5:])
    override(device, prepare_write=prepare_write)


@fault('prepare-writes', serial,
       'A prepared write changes the value before it is executed.', f'{REQUESTS}.6.1', needs='writes')
def _(device):
    def prepare_write(server, original, client, pdu):
        response = original(client, pdu)
        attribute = server.attribute(struct.unpack_from('<H', pdu, 1)[0])
        if attribute.type == uuid(SERIAL_SETTINGS):
            offset, = struct.unpack_from('<H', pdu, 3)
            attribute.value = (attribute.value[:offset] + pdu[5:])[:attribute.lengths[1]]
        return response
    override(device, prepare_write=prepare_write)


@fault('execute-cancel-writes', serial,
       'Execute Write with the flag 0, which cancels, writes what was prepared.', f'{REQUESTS}.6.3', needs='writes')
def _(device):
    def execute_write(_server, original, client, pdu):
        return original(client, pdu[:1] + b'\x01' if pdu[1:] == b'\x00' else pdu)
    override(device, execute_write=execute_write)


@fault('execute-offset', serial,
       'A prepared write with an offset beyond the value is executed, not refused by Invalid Offset.',
       f'{REQUESTS}.6.3',
       needs='writes')
def _(device):
    def execute(server, original, client, queue):
        for handle, offset, part in queue:
            attribute = server.attribute(handle)
            if offset > len(attribute.value) and len(queue) == 1:
                server.store(client, attribute, attribute.value.ljust(offset, b' ')[:offset] + part)
                return
        original(client, queue)
    override(device, execute=execute)


@fault('queue-shared', serial,
       'What one client has prepared, another client executes.', f'{REQUESTS}.6.1', needs='writes')
def _(device):
    shared = []

    def prepare_write(_server, original, client, pdu):
        client.queue = shared
        return original(client, pdu)

    def execute_write(_server, original, client, pdu):
        client.queue = list(shared)
        shared.clear()
        return original(client, pdu)
    override(device, prepare_write=prepare_write, execute_write=execute_write)
