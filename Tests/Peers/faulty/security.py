"""Faults of security: codes, what is revealed, and pairing."""


from bumble import crypto
from bumble.smp import SMP_DEBUG_KEY_PRIVATE

from .clean import LOCK_CODE, LOCK_STATE, encrypted
from .clean_many import health
from .database import AttError, uuid
from .device import COMMAND_REJECT, SMP_CID, Running
from .registry import fault, override
from .server import INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION, READ_NOT_PERMITTED

CODES = 'Core 5.4 Vol 3, Part C, 10.3.1'
PAIRING = 'Core 5.4 Vol 3, Part H'


@fault('security-code-no-key', encrypted,
       'An access that needs encryption gives Insufficient Encryption to a client that has no key, '
       'not Insufficient Authentication.', CODES)
def _(device):
    override(device, security_error=lambda *_: INSUFFICIENT_ENCRYPTION)


@fault('security-code-key', encrypted,
       'An access that needs encryption gives Insufficient Authentication to a bonded client that has not encrypted '
       'the link, '
       'not Insufficient Encryption.', CODES, needs='pair')
def _(device):
    override(device, security_error=lambda *_: INSUFFICIENT_AUTHENTICATION)


@fault('security-code-other', encrypted,
       'An access that needs encryption gives Read Not Permitted, though the property says read.', CODES)
def _(device):
    def check_security(_server, original, client, attribute):
        if attribute.type == uuid(LOCK_CODE) and not client.encrypted:
            raise AttError(READ_NOT_PERMITTED, attribute.handle)
        original(client, attribute)
    override(device, check_security=check_security)


def revealed(device, opcode, name):
    """One request gets the value without encryption."""
    def value_of(_server, original, client, attribute, code=0x0A):
        if code == opcode and attribute.type == uuid(name):
            return attribute.value
        return original(client, attribute, code)
    override(device, value_of=value_of)


@fault('reveals-by-blob', encrypted,
       'A value that a Read Request refuses without encryption is given by Read '
       'Blob.', 'Core 5.4 Vol 3, Part F, 3.4.4.5')
def _(device):
    revealed(device, 0x0C, LOCK_CODE)


@fault('reveals-by-type', encrypted,
       'A value that a Read Request refuses without encryption is given by Read By '
       'Type.', 'Core 5.4 Vol 3, Part F, 3.4.4.1')
def _(device):
    revealed(device, 0x08, LOCK_CODE)


@fault('reveals-by-multiple', encrypted,
       'A value that a Read Request refuses without encryption is given by Read '
       'Multiple.', 'Core 5.4 Vol 3, Part F, 3.4.4.7')
def _(device):
    revealed(device, 0x0E, LOCK_CODE)


@fault('reveals-by-notification', encrypted,
       'A value that a Read Request refuses without encryption is notified to any '
       'client.', 'Core 5.4 Vol 3, Part G, 8.1')
def _(device):
    device.services[2].value(LOCK_STATE).secure_subscription = False

    def notify(server, original, name, value, only=None):
        attribute = server.database.named(name)
        attribute.secure = False
        original(name, value, only)
        attribute.secure = name == LOCK_STATE
    override(device, notify=notify)


@fault('reveals-existence', encrypted,
       'Find By Type Value tells whether a protected value equals what is asked, without encryption.',
       'Core 5.4 Vol 3, Part F, 3.4.3.3')
def _(device):
    # Only types of 16 bits can be asked for in this way.
    value = device.service('180F').value('2A19')
    value.attribute.secure = True

    def matches(server, original, client, start, end, kind, octets):
        if kind != uuid('2A19'):
            return original(client, start, end, kind, octets)
        return [each for each in server.within(start, end) if each.type == kind and each.value == octets]
    override(device, matches=matches)


def response_with(place, octet):
    """A running device whose Pairing Response has another octet at that place. It is computed with, too."""
    class Responding(Running):
        def send_pdu(self, handle, cid, pdu):
            if cid == SMP_CID and pdu[0] == 0x02:
                pdu = pdu[:place] + bytes([octet]) + pdu[place + 1:]
                self.device.smp_manager.sessions[handle].pres = pdu
            super().send_pdu(handle, cid, pdu)
    return Responding


@fault('pairing-key-size', encrypted,
       'The Pairing Response has a maximum encryption key size of 5; 7 to 16 is allowed.',
       f'{PAIRING}, 3.5.2', needs='pair')
def _(device):
    device.host = response_with(4, 5)


@fault('pairing-capability', encrypted,
       'The Pairing Response has a reserved IO capability.', f'{PAIRING}, 3.5.2', needs='pair')
def _(device):
    device.host = response_with(1, 0x07)


@fault('pairing-keys-not-asked', encrypted,
       'The Pairing Response announces keys that the Pairing Request did not ask for.',
       f'{PAIRING}, 3.6.1', needs='pair')
def _(device):
    device.host = response_with(6, 0x07 | 0x08)


@fault('pairing-reserved-code', encrypted,
       'The device sends pairing commands with a reserved code in answer to a Pairing Request.', f'{PAIRING}, 3.3',
       needs='pair')
def _(device):
    class Chatty(Running):
        def pairing_goes_on(self, connection, pdu):
            if pdu[:1] == b'\x01':
                self.send_pdu(connection.handle, SMP_CID, b'\x0F\x00')
            return super().pairing_goes_on(connection, pdu)
    device.host = Chatty


@fault('pairing-debug-key', encrypted,
       'The device pairs with the debug key pair of the specification, which everybody knows.', f'{PAIRING}, 2.3.5.6.1',
       needs='pair')
def _(device):
    class Debugging(Running):
        def pairing_goes_on(self, connection, pdu):
            proceeds = super().pairing_goes_on(connection, pdu)
            self.device.smp_manager._ecc_key = crypto.EccKey.from_private_key_bytes(SMP_DEBUG_KEY_PRIVATE)
            return proceeds
    device.host = Debugging


@fault('pairing-small-key', encrypted,
       'The device answers a Pairing Request of a maximum key size of 6, below 7, in place of failing.',
       f'{PAIRING}, 3.5.1',
       needs='pair')
def _(device):
    class Lenient(Running):
        def pairing_goes_on(self, connection, pdu):
            if pdu[:1] == b'\x01' and len(pdu) == 7 and pdu[4] < 7:
                pdu = pdu[:4] + b'\x10' + pdu[5:]
            return super().pairing_goes_on(connection, pdu)
    device.host = Lenient


@fault('bond-forgotten', encrypted,
       'A bonded client that connects again cannot encrypt the link: the device has lost the key.', f'{PAIRING}, 2.4.4',
       needs='pair')
def _(device):
    class Forgetful(Running):
        def on_disconnection(self, client, handle):
            super().on_disconnection(client, handle)
            self.start_task(self.device.keystore.delete_all())
    device.host = Forgetful


@fault('reveals-after-bond', health,
       'To a bonded client the device gives protected values before the link is encrypted again.', CODES, needs='pair')
def _(device):
    def check_security(server, original, client, attribute):
        if client.identity not in server.bonds:
            original(client, attribute)
    override(device, check_security=check_security)


@fault('signalling-silent', encrypted,
       'An unknown command of the signalling channel is not answered by Command Reject.', 'Core 5.4 Vol 3, Part A, 4.1',
       needs='hostile')
def _(device):
    class Silent(Running):
        def on_signal(self, connection, pdu):
            if self.signal_answer(pdu[0], pdu[4:])[0] != COMMAND_REJECT or pdu[0] < 0x1B:
                super().on_signal(connection, pdu)
    device.host = Silent
