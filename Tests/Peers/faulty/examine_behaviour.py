"""The self test's look at requests, their errors, values and the MTU."""

import asyncio
import struct

from .air import QUICK
from .database import CHARACTERISTIC, PRIMARY, uuid
from .examine import COMMAND, READ, WRITE, same_error

ABSENT = 0x2AFE  # a type that no device has


async def fails(exam, link, pdu, handle, code, fault, answered=None):
    """The request must fail with that code: `fault` is another code, `answered` no error at all."""
    answer = await link.request(pdu)
    right = same_error(exam, answer, struct.pack('<BBHB', 0x01, pdu[0], handle, code))
    no_error = answer is not None and answer[0] != 0x01
    exam.require(right, answered or fault if no_error else fault, f'{pdu.hex()} -> {answer.hex() if answer else None}')


def check_extra(exam, link):
    """Answers that nothing had asked for; the check of commands has those to commands."""
    extra = [pdu for pdu in link.extra if pdu[:2] not in (b'\x01\x52', b'\x01\x7E')]
    exam.require(not extra, 'response-twice', extra)


def packed(opcode, *numbers, more=b''):
    return struct.pack(f'<B{len(numbers)}H', opcode, *numbers) + more


async def check_errors(exam, link):
    last = max(exam.types)
    absent = last + 40
    readable = [each for each in exam.values if each.value is not None]
    short = struct.pack('<H', ABSENT)
    await fails(exam, link, packed(0x0A, 0), 0, 0x01, 'error-handle-zero')
    await fails(exam, link, packed(0x10, 1, 0xFFFF, more=uuid('2A00')), 1, 0x10, 'error-group-type')
    await fails(exam, link, packed(0x10, 1, 0xFFFF, more=CHARACTERISTIC), 1, 0x10, 'error-group-type',
                'error-group-characteristic')
    await fails(exam, link, packed(0x08, 1, 0xFFFF, more=short), 1, 0x0A, 'error-not-found-code')
    await fails(exam, link, packed(0x04, absent, 0xFFFF), absent, 0x0A, 'error-not-found-empty')
    await fails(exam, link, packed(0x06, 1, 0xFFFF, more=PRIMARY + short), 1, 0x0A, 'error-by-value-end',
                'by-value-any')
    await fails(exam, link, packed(0x04, 5, 3), 5, 0x01, 'error-range-backwards')
    await fails(exam, link, packed(0x08, 9, 2, more=CHARACTERISTIC), 9, 0x01, 'error-type-range-backwards')
    await fails(exam, link, packed(0x10, 0, 0xFFFF, more=PRIMARY), 0, 0x01, 'error-range-zero')
    for found in readable:
        # No value is longer than 512 octets.
        await fails(exam, link, packed(0x0C, found.handle, 600), found.handle, 0x07, 'error-offset-code',
                    'error-offset-ignored')
    for found in exam.values:
        if found.properties & READ or found.handle not in exam.types:
            continue
        await fails(exam, link, packed(0x0A, found.handle), found.handle, 0x02, 'error-read-code', 'error-read-allowed')
    if len(readable) > 1:
        await fails(exam, link, packed(0x0E, readable[0].handle, absent), absent, 0x01, 'multiple-skips')
        first, second = readable[1], readable[0]
        answer = await link.request(packed(0x0E, first.handle, second.handle))
        exam.require(answer == (b'\x0F' + first.value + second.value)[:link.mtu], 'multiple-order', answer)
        answer = await link.request(packed(0x20, second.handle, first.handle))
        expected = packed(0x21, len(second.value)) + second.value + packed(0, len(first.value))[1:] + first.value
        exam.require(exam.findings or answer == expected[:link.mtu], 'multiple-variable', (answer, expected))
    check_extra(exam, link)


async def check_finding(exam, link):
    """Find By Type Value, and ranges."""
    for start, end, name, kind in exam.services:
        if len(name) not in (2, 16) or kind != PRIMARY:
            continue
        answer = await link.request(packed(0x06, 1, 0xFFFF, more=PRIMARY + name))
        listed = [struct.unpack_from('<HH', answer, place) for place in range(1, len(answer or b'') - 3, 4)]
        if exam.findings.keys() & {'group-overlap', 'gap-twice', 'gatt-twice', 'bas-twice'}:
            continue
        if answer and answer[0] == 0x07 and len(listed) > 1:
            exam.find('by-value-any', answer.hex())
        else:
            exam.require(listed == [(start, end)], 'by-value-end', (answer or b'').hex())
    two = [each for each in exam.values if each.handle in exam.types][:2]
    if len(two) == 2:
        answer = await link.request(packed(0x08, two[0].declaration, two[0].declaration, more=CHARACTERISTIC))
        exam.require(answer and len(answer) == 2 + answer[1], 'read-by-type-beyond', answer)
    answer = await link.request(packed(0x04, 1, 1))
    exam.require(answer in (b'\x05\x01\x01\x00' + PRIMARY, b'\x05\x02\x01\x00' + PRIMARY), 'information-beyond', answer)
    # A type of which there may be values of several lengths, in one response.
    for found in exam.values:
        if found.value is not None and found.handle in exam.types:
            answer = await link.request(packed(0x08, found.handle, 0xFFFF, more=found.uuid))
            if answer and answer[0] == 0x09:
                exam.require((len(answer) - 2) % answer[1] == 0, 'read-by-type-mixed', answer.hex())


async def check_values(exam, link):
    """What is read is the same each time and by each way; at an MTU of 23."""
    for found in exam.values:
        if found.value is None:
            continue
        answer = await link.read(found.handle)
        exam.require(len(answer) <= link.mtu, 'read-longer-than-mtu', (link.mtu, len(answer)))
        if found.uuid == uuid('2B2A'):
            exam.require(answer[1:] == found.value, 'gatt-hash-not-constant', (answer[1:].hex(), found.value.hex()))
        if len(answer) == link.mtu:
            answer = await link.blob(found.handle, link.mtu - 1)
            exam.require(answer[0] == 0x0D or len(found.value) > link.mtu - 1, 'blob-not-long', answer)
            for offset in (3, 25):
                answer = await link.blob(found.handle, offset)
                whole = await link.blob(found.handle, 0)
                if answer[0] == whole[0] == 0x0D and offset == 3:
                    exam.require(answer[1:] != whole[1:], 'blob-beginning', answer.hex())
                    exam.require(answer[1:5] == whole[4:8] or answer[1:] == whole[1:], 'blob-offset', answer.hex())


async def check_mtu(exam, link, other):
    """Long values at 23 and at a greater MTU; an exchange in which the client's MTU is the smaller."""
    long = [each for each in exam.values if each.value and len(each.value) >= 20]
    for found in long:
        if len(found.value) == 20 == len((await link.read(found.handle))) - 1:
            answer = await link.read(found.handle)
            more = await link.blob(found.handle, 20)
            exam.require(more[0] != 0x0D or len(more) == 1, 'read-short', answer.hex())
    answer = await other.exchange(64)
    if answer is None or answer[0] != 0x03:
        exam.find('mtu-refused', answer)
        return
    told, = struct.unpack('<H', answer[1:])
    exam.require(told >= 23, 'mtu-below-23', told)
    for found in long:
        answer = await other.read(found.handle)
        fault = 'read-longer-than-mtu' if len(answer) == 61 else 'mtu-not-minimum'
        exam.require(len(answer) <= other.mtu, fault, len(answer))
        at_23 = found.value
        _, at_64 = await other.whole(found.handle)
        if at_64 is None:
            continue
        same = at_23.startswith(at_64) or at_64.startswith(at_23)
        exam.require(exam.findings or same, 'read-differs', (at_23.hex(), at_64.hex()))
        if len(answer) < other.mtu and len(at_64) < len(at_23):
            exam.find('read-short' if len(answer) == 21 else 'mtu-not-used', (len(at_23), len(at_64)))
        if len(at_64) > len(at_23):
            more = await link.blob(found.handle, link.mtu - 1)
            exam.require(more[0] != 0x01, 'blob-not-long', (len(at_23), len(at_64), more.hex()))


async def check_writes(exam, link, other):
    absent = max(exam.types) + 40
    await fails(exam, link, packed(0x12, absent, more=b'\0'), absent, 0x01, 'error-write-invalid-handle')
    await fails(exam, link, packed(0x0A, absent), absent, 0x01, 'error-invalid-handle')
    for start, _, _, _ in exam.services:
        await fails(exam, link, packed(0x12, start, more=b'\0'), start, 0x03, 'error-write-code',
                    'declaration-writable')
    for found in exam.values:
        if found.properties & (WRITE | COMMAND) or found.handle not in exam.types:
            continue
        await fails(exam, link, packed(0x12, found.handle, more=b'\0'), found.handle, 0x03,
                    'error-write-code', 'error-write-allowed')
        link.send(packed(0x52, found.handle, more=b'\0'))
        await asyncio.sleep(QUICK / 20 * link.scale)
        while not link.answers.empty():
            exam.find('command-answered', link.answers.get_nowait())
    for found in exam.values:
        if found.value is not None and found.properties & WRITE and len(found.uuid) == 16:
            await check_writing(exam, link, other, found)


async def check_writing(exam, link, other, found):
    """A readable value of a vendor's, which can be written."""
    present = found.value
    new = bytes(octet ^ 0x01 for octet in present)
    await link.write(found.handle, new)
    _, after = await link.whole(found.handle)
    exam.require(after == new, 'write-not-kept', (after, new))
    await other.exchange(247)
    answer = await other.write(found.handle, b'x' * 240)
    if answer and answer[0] == 0x13:
        exam.find('error-length-cut', answer)
    elif answer:
        exam.require(answer[4] == 0x0D, 'error-length-code', answer.hex())
    await link.write(found.handle, present)
    # Prepared writes.
    answer = await link.prepare(found.handle, 0, new)
    if not answer or answer[0] != 0x17:
        return
    exam.require(answer[1:] == packed(0, found.handle, 0, more=new)[1:], 'prepare-echo', answer.hex())
    exam.require((await link.read(found.handle))[1:] == present, 'prepare-writes', 'changed before its execution')
    await other.execute(1)
    if 'prepare-writes' not in exam.findings:
        exam.require((await link.read(found.handle))[1:] == present, 'queue-shared', 'changed by another client')
    await link.execute(0)
    if not exam.findings.keys() & {'prepare-writes', 'queue-shared'}:
        exam.require((await link.read(found.handle))[1:] == present, 'execute-cancel-writes', 'changed by cancel')
    await link.write(found.handle, present)
    await link.prepare(found.handle, len(present) + 5, b'z')
    answer = await link.execute(1)
    right = answer and answer[0] == 0x01 and answer[4] == 0x07
    exam.require(right or 'prepare-writes' in exam.findings, 'execute-offset', answer)
    long = bytes(0x30 + index % 64 for index in range(60))
    for offset in range(0, len(long), 18):
        await link.prepare(found.handle, offset, long[offset:offset + 18])
    answer = await link.execute(1)
    if answer and answer[0] == 0x19 and not exam.findings:
        _, after = await link.whole(found.handle)
        exam.require(after == long, 'long-write-truncated', (after, long))
    await link.write(found.handle, present)


async def check_hostile(exam, link):
    for pdu in (b'\x0A\x01', b'\x10\x01\x00\xFF', b'\x04\x01', b'\x02\x17'):
        answer = await link.request(pdu)
        if answer is None:
            exam.find('error-pdu-silent', pdu.hex())
        else:
            exam.require(answer[0] == 1 and answer[4] == 0x04, 'error-pdu-code', answer.hex())
    answer = await link.request(b'\x24\x01\x00')
    if answer is None:
        exam.find('unknown-request-silent', '24')
    else:
        exam.require(same_error(exam, answer, b'\x01\x24\x00\x00\x06'), 'unknown-request-code', answer.hex())
    answer = await link.request(b'\x7E\x01\x00', QUICK)
    exam.require(answer is None, 'unknown-command-answered', answer)
    if not exam.findings:
        # A channel without a server; the end of a channel that does not exist; requests for a central only.
        for pdu, code, end in (
                ('1456 0A00 8000 4000 4000 1700 0100', '1556', '0200'),
                ('175A 0A00 8000 4000 4000 0100 4000', '185A', '0200'),
                ('0657 0400 4000 4100', '0157', '0200 4000 4100'), ('1258 0800 0600 0C00 0000 9001', '0158', '0000'),
                ('0A59 0200 0200', '0159', '0000')):
            answer = await link.signal(bytes.fromhex(pdu)) or b''
            right = answer.startswith(bytes.fromhex(code)) and answer.endswith(bytes.fromhex(end))
            exam.require(right, 'signalling', (pdu, answer.hex()))
    answer = await link.signal(b'\x7F\x55\x00\x00')
    exam.require(answer == b'\x01\x55\x02\x00\x00\x00', 'signalling-silent', answer)


async def check(exam, link, centrals):
    await check_errors(exam, link)
    await check_finding(exam, link)
    await check_values(exam, link)
    other = await centrals[1].connect(exam.address)
    await check_mtu(exam, link, other)
    await check_writes(exam, link, other)
    await check_hostile(exam, link)
    await check_known_writes(exam, link)
    await other.disconnect()


async def check_known_writes(exam, link):
    """Control points and values of services whose rules are known."""
    if (point := exam.named('2A39', '180D')) and point.properties & WRITE:
        answer = await link.write(point.handle, b'\x02')
        exam.require(answer and answer[0] == 1 and answer[4] == 0x80, 'hrs-control-point-code', answer)
        answer = await link.write(point.handle, b'\x01')
        exam.require(answer == b'\x13', 'hrs-control-point', answer)
    if alert := exam.named('2A06', '1803'):
        await link.write(alert.handle, b'\x07')
        answer = await link.read(alert.handle)
        exam.require(answer != b'\x0B\x07', 'lls-alert-accepted', answer)
        await link.write(alert.handle, b'\x00')
    if features := exam.named('2B29'):
        await link.write(features.handle, b'\x01')
        answer = await link.write(features.handle, b'\x00')
        exam.require(answer and answer[0] == 1 and answer[4] == 0x13, 'gatt-features-cleared', answer)
