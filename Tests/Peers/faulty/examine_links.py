"""The self test's look at subscriptions, security and pairing, over several links."""

import asyncio
import struct

from bumble import crypto
from bumble.core import ProtocolError
from bumble.hci import HCI_Error
from bumble.smp import SMP_DEBUG_KEY_PRIVATE

from .air import QUICK, SMP_CID
from .database import CCCD
from .examine import INDICATE, NOTIFY, READ
from .examine_behaviour import check_extra, packed
from .examine_profiles import check_notified

DEBUG_X = crypto.EccKey.from_private_key_bytes(SMP_DEBUG_KEY_PRIVATE).x[::-1]
NO_ACCESS = (0x05, 0x0F)


def configurations(exam):
    return [(found, handle) for found in exam.values
            for handle in [found.descriptor(CCCD)] if handle and found.properties & (NOTIFY | INDICATE)]


async def check_subscriptions(exam, link, other):
    unasked = await link.values(1, QUICK / 2)
    exam.require(not unasked, 'notify-unsubscribed', unasked)
    for found, handle in configurations(exam):
        answer = await link.read(handle)
        if answer[0] == 0x01:
            exam.find('cccd-read-secure' if answer[4] in NO_ACCESS else 'cccd-unreadable', answer.hex())
            if answer[4] in NO_ACCESS:
                continue
        else:
            exam.require(len(answer) == 3, 'cccd-length', answer.hex())
            exam.require(not any(answer[1:]), 'cccd-not-zero', answer.hex())
        await check_configuration(exam, link, other, found, handle)


async def check_configuration(exam, link, other, found, handle):
    clean = not exam.findings
    if (await link.write(handle, bytes(2)))[4:] in (b'\x05', b'\x0F'):
        return  # only over an encrypted link
    answer = await link.write(handle, b'\x01')
    exam.require(answer[0] == 1 and answer[4] in (0x0D, 0x03), 'error-length-cccd', answer.hex())
    answer = await link.write(handle, b'\x00\x04')
    if answer[0] == 0x13:
        exam.require((await link.read(handle))[2:] in (b'\0', b''), 'cccd-reserved', 'kept')
    both = NOTIFY | INDICATE
    if found.properties & both != both:
        wrong = b'\x02\x00' if found.properties & NOTIFY else b'\x01\x00'
        answer = await link.write(handle, wrong)
        exam.require(answer[0] == 0x01, 'cccd-indicate-accepted', answer.hex())
    bits = b'\x01\x00' if found.properties & NOTIFY else b'\x02\x00'
    link.notified.clear()
    link.longest = 0
    other.notified.clear()
    answer = await link.write(handle, bits)
    if answer[0] != 0x13:
        exam.find('cccd-unwritable', answer.hex())
        return
    if not exam.findings.keys() & {'cccd-unreadable', 'cccd-length'}:
        exam.require((await link.read(handle))[1:] == bits, 'cccd-reads-zero', bits)
        elsewhere = await other.read(handle)
        exam.require(not any(elsewhere[1:]) or 'cccd-not-zero' in exam.findings, 'subscription-shared', elsewhere.hex())
    came = await link.values(2, QUICK)
    for _, opcode, handle_, octets in came:
        if handle_ != found.handle:
            known = [each.handle for each, _ in configurations(exam)]
            exam.require(handle_ in known, 'notify-wrong-handle', (handle_, found.handle))
            continue
        exam.require(opcode == (0x1B if bits[0] == 1 else 0x1D), 'notify-for-indicate', hex(opcode))
        check_notified(exam, found, octets)
    exam.require(link.longest <= link.mtu, 'notify-longer-than-mtu', link.longest)
    if clean and bits[0] == 2 and came:
        await check_indications(exam, link)
    if clean and other.notified:
        exam.find('subscription-shared', other.notified)
    await link.write(handle, bytes(2))
    count = len(await link.values(1000, QUICK / 4))
    late = await link.values(count + 1, QUICK / 2, after=count)
    if late and 'notify-unsubscribed' not in exam.findings:
        exam.find('notify-after-unsubscribe', late)


async def check_indications(exam, link):
    values = [octets for _, _, _, octets in link.notified]
    exam.require(len(set(values)) == len(values), 'indicate-repeated', values)
    link.confirms = False
    link.notified.clear()
    came = [each for each in await link.values(2, QUICK * 2) if each[1] == 0x1D]
    exam.require(len(came) < 2, 'indicate-unconfirmed', len(came))
    link.confirms = True
    for _ in came:
        link.send(b'\x1E')


async def check_reconnection(exam, central, link):
    """The state of a client that is not bonded ends with its link."""
    if exam.findings:
        return
    written = []
    for found, handle in configurations(exam):
        if (await link.write(handle, b'\x01\x00' if found.properties & NOTIFY else b'\x02\x00'))[0] == 0x13:
            written.append(handle)
    await link.disconnect()
    link = await central.connect(exam.address)
    for handle in written:
        answer = await link.read(handle)
        exam.require(not any(answer[1:]), 'subscription-kept', answer.hex())
    await link.disconnect()


# Security

async def check_protection(exam, link):
    """What a client without a key gets of values that ask for one."""
    for found in exam.values:
        if found.error is None or found.handle not in exam.types:
            continue
        if found.error == 0x0F:
            exam.find('security-code-no-key', found)
        elif found.error != 0x05:
            exam.require('gap-name-unreadable' in exam.findings, 'security-code-other', found)
        answer = await link.blob(found.handle, 0)
        exam.require(answer[0] == 0x01, 'reveals-by-blob', answer.hex())
        answer = await link.request(packed(0x08, found.handle, found.handle, more=found.uuid))
        exam.require(answer[0] == 0x01, 'reveals-by-type', answer.hex())
        answer = await link.handle_request(0x0E, found.handle, found.handle)
        exam.require(answer[0] == 0x01, 'reveals-by-multiple', answer.hex())
        if len(found.uuid) == 2:
            for guess in range(101):
                answer = await link.request(packed(0x06, found.handle, found.handle, more=found.uuid + bytes([guess])))
                exam.require(answer[0] == 0x01, 'reveals-existence', answer.hex())
        if handle := found.descriptor(CCCD):
            link.notified.clear()
            await link.write(handle, b'\x01\x00')
            exam.require(not await link.values(1), 'reveals-by-notification', link.notified)
            await link.write(handle, bytes(2))


async def check_small_key(exam, central):
    link = await central.connect(exam.address)
    link.send(bytes.fromhex('01030009060303'), SMP_CID)
    await asyncio.sleep(QUICK * link.scale)
    answers = [pdu for pdu in link.pairing if pdu[0] <= 0x0E]
    exam.require(answers and answers[0][0] == 0x05, 'pairing-small-key', link.pairing)
    await link.disconnect()


async def pair(exam, link):
    try:
        async with asyncio.timeout(3):
            await link.connection.pair()
        paired = True
    except (ProtocolError, HCI_Error, TimeoutError, asyncio.CancelledError):
        paired = False
    for pdu in link.pairing:
        if pdu[0] == 0x02:
            exam.require(7 <= pdu[4] <= 16, 'pairing-key-size', pdu.hex())
            exam.require(pdu[1] <= 4, 'pairing-capability', pdu.hex())
            exam.require(not (pdu[5] | pdu[6]) & ~0x03, 'pairing-keys-not-asked', pdu.hex())
        elif pdu[0] == 0x0C:
            exam.require(pdu[1:33] != DEBUG_X, 'pairing-debug-key', pdu.hex())
        exam.require(1 <= pdu[0] <= 0x0E, 'pairing-reserved-code', pdu.hex())
    return paired


def check_key(exam, link):
    """A resolvable private address must be one of the key that came."""
    address = bytes(exam.address)
    keys = [pdu[1:] for pdu in link.pairing if pdu[0] == 0x08]
    if address[5] >> 6 == 1 and keys:
        exam.require(crypto.ah(keys[0], address[3:]) == address[:3], 'address-key-other', address.hex())


async def check_bond(exam, central):
    link = await central.connect(exam.address)
    paired = await pair(exam, link)
    if not exam.definition.pairable:
        exam.require(link.pairing == [b'\x05\x05'], 'pairing-refusal', link.pairing)
        await link.disconnect()
        return
    if exam.findings:
        return
    exam.require(paired, 'pairing-fails', link.pairing)
    check_key(exam, link)
    await check_encrypted(exam, link)
    subscribed = []
    for found, handle in configurations(exam):
        bits = b'\x01\x00' if found.properties & NOTIFY else b'\x02\x00'
        answer = await link.write(handle, bits)
        exam.require(answer[0] == 0x13, 'cccd-unwritable', answer.hex())
        subscribed.append((handle, bits))
    for _, opcode, handle, octets in await link.values(8, QUICK):
        found = next(each for each in exam.values if each.handle == handle)
        check_notified(exam, found, octets)
    await link.disconnect()
    link = await central.connect(exam.address)
    for found in exam.values:
        if found.error is not None:
            answer = await link.read(found.handle)
            if answer[0] == 0x0B:
                exam.find('reveals-after-bond', answer.hex())
            else:
                exam.require(answer[4] == 0x0F, 'security-code-key', answer.hex())
    try:
        async with asyncio.timeout(2):
            await link.connection.encrypt()
    except (ProtocolError, HCI_Error, TimeoutError) as error:
        exam.find('bond-forgotten', repr(error))
        return
    for handle, bits in subscribed:
        answer = await link.read(handle)
        exam.require(answer[1:] == bits, 'subscription-lost', answer.hex())
    await link.disconnect()


async def check_encrypted(exam, link):
    """All that can be read only over an encrypted link."""
    from . import examine_profiles
    protected = [found for found in exam.values if found.error is not None and found.properties & READ]
    for found in protected:
        _, found.value = await link.whole(found.handle)
        exam.require(found.value is not None, 'read-encrypted', found)
    examine_profiles.check_fixed(exam)
    if exam.named('2A52'):
        await check_records(exam, link, exam.named('2A52'))


async def check_records(exam, link, point):
    """The Record Access Control Point."""
    answer = await link.write(point.handle, b'\x04\x01')
    exam.require(answer[0] == 1 and answer[4] == 0x81, 'gls-control-point-open', answer.hex())
    await link.write(point.descriptor(CCCD), b'\x02\x00')
    await link.write(exam.named('2A18').descriptor(CCCD), b'\x01\x00')
    for order, expected in (
            (b'\x04\x01', [b'\x05\x00\x03\x00']), (b'\x09\x01', [b'\x06\x00\x09\x02']),
            (b'\x01\x00', [b'\x06\x00\x01\x03']),
            (b'\x01\x07', [b'\x06\x00\x01\x04']),
            (b'\x04\x03\x01\x02\x00', [b'\x05\x00\x02\x00']), (b'\x04\x03\x02', [b'\x06\x00\x04\x09']),
            (b'\x01\x01\x00', [b'\x06\x00\x01\x05']), (b'\x03\x00', [b'\x06\x00\x03\x01'])):
        before = len(link.notified)
        await link.write(point.handle, order)
        came = [octets for _, _, handle, octets in await link.values(1, QUICK, after=before) if handle == point.handle]
        exam.require(came == expected, 'gls-control-point-silent', (order.hex(), came))
    before = len(link.notified)
    await link.write(point.handle, b'\x01\x01')
    came = [handle for _, _, handle, _ in await link.values(4, QUICK * 2, after=before)]
    exam.require(came == [exam.named('2A18').handle] * 3 + [point.handle], 'gls-report', came)
    await link.write(point.descriptor(CCCD), bytes(2))
    await link.write(exam.named('2A18').descriptor(CCCD), bytes(2))


async def check(exam, link, centrals):
    exam.require(bytes(exam.address)[5] >> 6 != 0, 'address-non-resolvable', exam.address)
    for pdu in link.signals:
        if pdu[0] == 0x12:
            low, high, latency, timeout = struct.unpack_from('<HHHH', pdu, 4)
            exam.require(low <= high, 'parameters-invalid', (low, high))
            exam.require(timeout * 10 > (1 + latency) * high * 1.25 * 2, 'parameters-timeout', (high, latency, timeout))
    other = await centrals[1].connect(exam.address)
    await check_subscriptions(exam, link, other)
    await check_protection(exam, link)
    if features := exam.named('2B29'):
        exam.require((await other.read(features.handle))[1:] == b'\0', 'gatt-features-shared', 'bit of another client')
    check_extra(exam, link)
    check_extra(exam, other)
    await other.disconnect()
    await check_reconnection(exam, centrals[0], link)
    await check_small_key(exam, centrals[1])
    if not exam.findings:
        await link.disconnect()
        await check_bond(exam, centrals[0])
