"""Faults of notifications, indications and their configuration, and of the connection."""

import asyncio
import struct

from .clean import battery, encrypted, heart_rate, serial
from .database import CCCD
from .registry import fault, override

CONFIGURATION = 'Core 5.4 Vol 3, Part G, 3.3.3.3'
VALUES = 'Core 5.4 Vol 3, Part F, 3.4.7'


def send_value(server, client, name, value, opcode=0x1B):
    """A notification or an indication without a subscription."""
    server.send(client, struct.pack('<BH', opcode, server.database.named(name).handle) + value)


@fault('notify-unsubscribed', heart_rate,
       'The Heart Rate Measurement is notified without a subscription.', f'{CONFIGURATION}; 4.10')
def _(device):
    override(device, subscribed=lambda *_: True)


@fault('notify-after-unsubscribe', battery,
       'The Battery Level goes on being notified after the subscription was taken back.', f'{CONFIGURATION}; 4.10')
def _(device):
    def subscribe(_server, original, client, attribute, octets, allowed):
        original(client, attribute, octets, allowed)
        client.once = getattr(client, 'once', False) or octets[0] & 1

    device.ticks.append(lambda server: server.notify('2A19', bytes([87])))
    def subscribed(_server, _original, client, *_):
        return getattr(client, 'once', False)
    override(device, subscribe=subscribe, subscribed=subscribed)


@fault('notify-longer-than-mtu', heart_rate,
       'Heart Rate Measurements are notified with 30 octets while the MTU is 23.', f'{VALUES}.1; Part F, 3.2.8')
def _(device):
    def tick(server):
        # RR intervals: 13 of them.
        value = struct.pack('<BBH13H', 0x1E, 60, 1, *[1024] * 13)
        for client in list(server.clients):
            if server.subscribed(client, server.database.named('2A37'), 1):
                send_value(server, client, '2A37', value)
    device.ticks = [tick]


@fault('notify-wrong-handle', heart_rate,
       'The Heart Rate Measurement is notified with the handle of its declaration.', f'{VALUES}.1')
def _(device):
    def send(server, original, client, pdu):
        if pdu[0] == 0x1B:
            pdu = pdu[:1] + struct.pack('<H', struct.unpack_from('<H', pdu, 1)[0] - 1) + pdu[3:]
        original(client, pdu)
    override(device, send=send)


@fault('notify-for-indicate', serial,
       'A client that subscribes to indications gets notifications.', f'{CONFIGURATION}; 4.11')
def _(device):
    def indicate_next(server, _original, client):
        server.send(client, b'\x1B' + client.indications.popleft()[1:])
    override(device, indicate_next=indicate_next)


@fault('subscription-shared', heart_rate,
       'The subscription of one client counts for all clients.', CONFIGURATION)
def _(device):
    shared = {}

    def connected(_server, original, client):
        original(client)
        client.subscriptions = shared
    override(device, connected=connected)


@fault('subscription-kept', battery,
       'The subscription of a client that is not bonded is still there when it connects again.', CONFIGURATION)
def _(device):
    kept = {}

    def connected(_server, original, client):
        original(client)
        client.subscriptions = kept.setdefault(client.identity, {})
    override(device, connected=connected)


@fault('subscription-lost', heart_rate,
       'The subscription of a bonded client is gone when it connects again.', CONFIGURATION, needs='pair')
def _(device):
    def connected(_server, original, client):
        original(client)
        client.subscriptions = {}
    override(device, connected=connected)


@fault('cccd-reserved', battery,
       'A Client Characteristic Configuration keeps and gives back bits that are reserved.', CONFIGURATION)
def _(device):
    def subscribe(_server, original, client, attribute, octets, allowed):
        original(client, attribute, octets, allowed)
        client.subscriptions[attribute.handle], = struct.unpack('<H', octets)
    override(device, subscribe=subscribe)


@fault('cccd-indicate-accepted', heart_rate,
       'The Client Characteristic Configuration of a value that can only notify takes the bit of indications.',
       f'{CONFIGURATION}; CSS 11 Part B, 1.2')
def _(device):
    def subscribe(_server, original, client, attribute, octets, _allowed):
        original(client, attribute, octets, 3)
    override(device, subscribe=subscribe)


@fault('cccd-unreadable', heart_rate,
       'Reading a Client Characteristic Configuration gives Read Not Permitted.', CONFIGURATION)
def _(device):
    def make_cccd(_server, original, value):
        attribute = original(value)
        attribute.readable = False
        return attribute
    override(device, make_cccd=make_cccd)


@fault('cccd-read-secure', encrypted,
       'Reading a Client Characteristic Configuration needs pairing; all clients may read it.', CONFIGURATION)
def _(device):
    def make_cccd(_server, original, value):
        attribute = original(value)
        attribute.secure, attribute.secure_write = attribute.secure_write, False
        return attribute
    override(device, make_cccd=make_cccd)


@fault('cccd-unwritable', battery,
       'Writing a Client Characteristic Configuration gives Write Not Permitted.', CONFIGURATION)
def _(device):
    def make_cccd(_server, original, value):
        attribute = original(value)
        attribute.writable = False
        return attribute
    override(device, make_cccd=make_cccd)


@fault('cccd-reads-zero', serial,
       'A Client Characteristic Configuration is read as 0 after a subscription that works.', CONFIGURATION)
def _(device):
    override(device, subscription=lambda *_: bytes(2))


@fault('cccd-not-zero', battery,
       'The Client Characteristic Configuration of a new client says that it is subscribed.', CONFIGURATION)
def _(device):
    def connected(server, original, client):
        original(client)
        if not client.subscriptions:
            client.subscriptions = {each.handle: 1 for each in server.database.attributes if each.type == CCCD}
    override(device, connected=connected)


@fault('indicate-unconfirmed', serial,
       'The next indication is sent before the one before it is confirmed.', f'{VALUES}.2; 3.3.3')
def _(device):
    def indicate_next(server, _original, client):
        while client.indications:
            server.send(client, client.indications.popleft())
    override(device, indicate_next=indicate_next)


@fault('indicate-repeated', serial,
       'Each indication is sent twice, the second time after it was confirmed.', f'{VALUES}.2 and 3.4.7.3')
def _(device):
    def confirmed(server, original, client):
        again, client.last = getattr(client, 'last', None), None
        if again:
            server.send(client, again)
        else:
            original(client)

    def indicate_next(_server, original, client):
        if client.indications and not client.unconfirmed:
            client.last = client.indications[0]
        original(client)
    override(device, confirmed=confirmed, indicate_next=indicate_next)


def ask(device, *parameters):
    """A Connection Parameter Update Request, 5 s after the connection as a peripheral should wait."""
    async def request(running, connection):
        await asyncio.sleep(10 * running.tick_period)
        if connection.handle in running.clients:
            running.send_pdu(
                connection.handle, 0x05, struct.pack('<BBHHHHH', 0x12, 0x2A, 8, *parameters))

    device.arrivals.append(lambda running, connection: running.start_task(request(running, connection)))


@fault('parameters-invalid', heart_rate,
       '5 s after it is connected, the device asks for connection parameters with a minimum interval above the '
       'maximum.',
       'Core 5.4 Vol 3, Part A, 4.20')
def _(device):
    ask(device, 80, 16, 0, 400)


@fault('parameters-timeout', battery,
       '5 s after it is connected, the device asks for a supervision timeout that its interval and latency do not '
       'fit in.',
       'Core 5.4 Vol 3, Part A, 4.20')
def _(device):
    # 100 ms, latency 30: the timeout must be above 6.2 s, and is 2 s.
    ask(device, 80, 80, 30, 200)
