"""Subscriptions, and the values that a server sends (Core 5.4 Vol 3, Part G, 3.3.3.3, 4.10 and 4.11)."""

import struct

from .database import CCCD, PROPERTIES, AttError, Attribute

NOT_ALLOWED, CCCD_IMPROPER = 0x13, 0xFD
QUEUE_LENGTH = 32


class Sending:
    """The half of a server that speaks without being asked."""

    def make_cccd(self, value):
        """The Client Characteristic Configuration of a characteristic, each client's own."""
        # It is always readable; who may write it is up to the service.
        attribute = Attribute(CCCD, writable=True, lengths=(2, 2), secure_write=value.secure_subscription)
        allowed = (1 if value.properties & PROPERTIES['notify'] else 0) | (
            2 if value.properties & PROPERTIES['indicate'] else 0)
        attribute.read = lambda client: self.subscription(client, attribute)
        attribute.write = lambda client, octets: self.subscribe(client, attribute, octets, allowed)
        return attribute

    def subscription(self, client, attribute):
        return struct.pack('<H', client.subscriptions.get(attribute.handle, 0))

    def subscribe(self, client, attribute, octets, allowed):
        bits, = struct.unpack('<H', octets)
        if bits & 3 & ~allowed:
            raise AttError(CCCD_IMPROPER)
        if bits & ~3 and self.definition.rejects_reserved:
            raise AttError(NOT_ALLOWED)
        client.subscriptions[attribute.handle] = bits & 3

    def subscribed(self, client, attribute, bit):
        """Whether a client wants notifications (bit 1) or indications (bit 2) of the value."""
        cccd = self.cccd_of(attribute)
        return cccd is not None and bool(client.subscriptions.get(cccd.handle, 0) & bit)

    def cccd_of(self, attribute):
        end = next((each.end for each in self.database.attributes if each.handle == attribute.handle - 1), 0)
        return next((each for each in self.within(attribute.handle, end) if each.type == CCCD), None)

    def notify(self, name, value, only=None):
        attribute = self.database.named(name)
        for client in [only] if only else list(self.clients):
            if self.subscribed(client, attribute, 1) and not (attribute.secure and not client.encrypted):
                self.send(client, struct.pack('<BH', 0x1B, attribute.handle) + value[:client.mtu - 3])

    def indicate(self, name, value, only=None):
        attribute = self.database.named(name)
        for client in [only] if only else list(self.clients):
            if len(client.indications) < QUEUE_LENGTH and self.subscribed(client, attribute, 2) and not (
                    attribute.secure and not client.encrypted):
                client.indications.append(struct.pack('<BH', 0x1D, attribute.handle) + value[:client.mtu - 3])
                self.indicate_next(client)

    def indicate_next(self, client):
        if client.indications and not client.unconfirmed:
            client.unconfirmed = True
            self.send(client, client.indications.popleft())

    def confirmed(self, client):
        client.unconfirmed = False
        self.indicate_next(client)

    # The Generic Attribute service

    def write_features(self, client, octets):
        """Client Supported Features: a client may set bits and never clear them (Part G, 7.2)."""
        wanted = octets[0] & 0x07
        if client.features & ~wanted:
            raise AttError(NOT_ALLOWED)
        client.features = wanted
