"""Faults of the order, the groups and the declarations of attributes."""

import struct

from .clean import SERIAL_OUT, SERIAL_SETTINGS, battery, heart_rate, serial
from .clean_many import VENDOR, VENDOR_MODE, many
from .database import (AGGREGATE, CCCD, CHARACTERISTIC, EXTENDED, INCLUDE, PRIMARY, PROPERTIES, WRITABLE_AUXILIARIES,
                       Attribute, uuid, whole)
from .registry import fault, override

DEFINITION = 'Core 5.4 Vol 3, Part G, 3'


def afterwards(device, change):
    """Changes the attributes after they have handles: change(database)."""
    device.changes.append(lambda server: change(server.database))


@fault('group-overlap', heart_rate,
       'The Generic Access service ends after the Generic Attribute service begins.', f'{DEFINITION}.1; Part F, 3.2.3')
def _(device):
    def change(database):
        database.head('1800').end = database.head('1801').handle
    afterwards(device, change)


@fault('group-order', heart_rate,
       'Read By Group Type lists services against the order of their handles.', 'Core 5.4 Vol 3, Part F, 3.4.4.10')
def _(device):
    def read_by_group_type(_server, original, client, pdu):
        response = original(client, pdu)
        size = response[1]
        entries = [response[place:place + size] for place in range(2, len(response), size)]
        return response[:2] + b''.join(reversed(entries))
    override(device, read_by_group_type=read_by_group_type)


@fault('group-end-early', battery,
       'The Device Information service ends before its last characteristic, which is thus in no '
       'service.', f'{DEFINITION}.1')
def _(device):
    def change(database):
        database.head('180A').end = database.declaration('2A50').handle - 1
    afterwards(device, change)


@fault('service-uuid-length', serial,
       'The declaration of a service has a value of four octets; a UUID has 2 or 16.', f'{DEFINITION}.1')
def _(device):
    def change(database):
        last = len(database.attributes) + 1
        database.attributes.append(Attribute(PRIMARY, bytes.fromhex('01E7C5A7'), handle=last, end=last))
    afterwards(device, change)


@fault('service-uuid-128', heart_rate,
       'The Heart Rate service is declared by the 128-bit form of its 16-bit UUID.', f'{DEFINITION}.1; Part F, 3.2.1')
def _(device):
    afterwards(device, lambda database: setattr(database.head('180D'), 'value', whole(uuid('180D'))))


@fault('value-uuid-128', battery,
       'The Battery Level is declared and listed by the 128-bit form of its 16-bit '
       'UUID.', f'{DEFINITION}.3.1; Part F, 3.2.1')
def _(device):
    def change(database):
        level = database.named('2A19')
        database.declaration('2A19').value = struct.pack('<BH', 0x12, level.handle) + whole(uuid('2A19'))
        level.type = whole(uuid('2A19'))
    afterwards(device, change)


@fault('declaration-handle', battery,
       'The declaration of Model Number String has the handle of another value.', f'{DEFINITION}.3.1')
def _(device):
    def change(database):
        database.declaration('2A24').value = struct.pack('<BH', 0x02, database.named('2A25').handle) + uuid('2A24')
    afterwards(device, change)


@fault('declaration-uuid', serial,
       'A declaration names another UUID than the type of its value.', f'{DEFINITION}.3.1 and 3.3.2')
def _(device):
    def change(database):
        log = database.attributes[-1]
        database.at(log.handle - 1).value = struct.pack('<BH', 0x02, log.handle) + uuid(
            '6E400006-B5A3-F393-E0A9-E50E24DCCA9E')
    afterwards(device, change)


@fault('declaration-length', battery,
       'The declaration of Model Number String has four octets, not 5 or 19.', f'{DEFINITION}.3.1')
def _(device):
    def change(database):
        head = database.declaration('2A24')
        head.value = head.value[:4]
    afterwards(device, change)


@fault('value-missing', battery,
       'After the declaration of the last characteristic there is no value.', f'{DEFINITION}.3.2')
def _(device):
    afterwards(device, lambda database: database.remove(database.attributes[-1]))


@fault('notify-without-cccd', heart_rate,
       'The Heart Rate Measurement has the property notify and no Client Characteristic Configuration.',
       f'{DEFINITION}.3.3.3')
def _(device):
    def change(database):
        database.remove(database.at(database.named('2A37').handle + 1))
    afterwards(device, change)


@fault('cccd-without-notify', heart_rate,
       'Body Sensor Location can neither notify nor indicate, but has a Client Characteristic Configuration.',
       f'{DEFINITION}.3.3.3')
def _(device):
    device.service('180D').value('2A38').descriptors.append(
        Attribute(CCCD, bytes(2), writable=True, lengths=(2, 2)))


@fault('cccd-twice', battery,
       'The Battery Level has two Client Characteristic Configurations.', f'{DEFINITION}.3.3.3')
def _(device):
    def change(server):
        value = device.service('180F').value('2A19')
        first = server.cccd_of(value.attribute)
        second = server.make_cccd(value)
        place = server.database.attributes.index(first) + 1
        # In a gap that is left for it: every later attribute moves up by one.
        for attribute in server.database.attributes:
            attribute.end += attribute.end >= first.handle
        for attribute in server.database.attributes[place:]:
            attribute.handle += 1
        for attribute in server.database.attributes[place:]:
            if attribute.type == CHARACTERISTIC:
                attribute.value = attribute.value[:1] + struct.pack('<H', attribute.handle + 1) + attribute.value[3:]
        second.handle = second.end = first.handle + 1
        server.database.attributes.insert(place, second)
    device.changes.append(change)


@fault('cccd-length', heart_rate,
       'A Client Characteristic Configuration is read as one octet.', f'{DEFINITION}.3.3.3')
def _(device):
    override(device, subscription=lambda _server, original, *arguments: original(*arguments)[:1])


@fault('extended-missing', serial,
       'The property Extended Properties is set, but there is no such descriptor.', f'{DEFINITION}.3.3.1')
def _(device):
    value = device.services[2].value(SERIAL_SETTINGS)
    value.descriptors = [each for each in value.descriptors if each.type != EXTENDED]


@fault('extended-length', serial,
       'The Extended Properties descriptor has one octet.', f'{DEFINITION}.3.3.1')
def _(device):
    device.services[2].value(SERIAL_SETTINGS).descriptors[0].value = b'\x01'


@fault('extended-not-said', serial,
       'There is an Extended Properties descriptor, but the property is not set.', f'{DEFINITION}.3.3.1')
def _(device):
    device.services[2].value(SERIAL_SETTINGS).properties &= ~PROPERTIES['extended']


@fault('auxiliaries-without-description', serial,
       'Extended Properties say Writable Auxiliaries, but there is no User Description to write.',
       f'{DEFINITION}.3.3.1 and 3.3.3.2')
def _(device):
    device.services[2].value(SERIAL_SETTINGS).descriptors[0].value = struct.pack('<H', 1 | WRITABLE_AUXILIARIES)


@fault('broadcast-without-sccd', battery,
       'The Battery Level has the property broadcast and no Server Characteristic '
       'Configuration.', f'{DEFINITION}.3.3.4')
def _(device):
    device.service('180F').value('2A19').properties |= PROPERTIES['broadcast']


@fault('format-length', serial,
       'A Presentation Format descriptor has six octets, not 7.', f'{DEFINITION}.3.3.5')
def _(device):
    format_ = device.services[2].value(SERIAL_SETTINGS).descriptors[1]
    format_.value = format_.value[:6]


@fault('aggregate-wrong', serial,
       'An Aggregate Format descriptor lists a handle that is no Presentation Format.', f'{DEFINITION}.3.3.6')
def _(device):
    device.services[2].value(SERIAL_SETTINGS).descriptors.append(
        Attribute(AGGREGATE, struct.pack('<HH', 0x0003, 0x0005)))


@fault('description-not-utf8', serial,
       'A User Description is not UTF-8.', f'{DEFINITION}.3.3.2')
def _(device):
    device.services[2].value(SERIAL_OUT).descriptors[0].value = b'out\xFF\xFEput'


@fault('include-range', many,
       'An include declaration gives a range of handles at which no service begins.', f'{DEFINITION}.2')
def _(device):
    def change(database):
        include = next(each for each in database.attributes if each.type == INCLUDE)
        start, end = struct.unpack_from('<HH', include.value)
        include.value = struct.pack('<HH', start + 1, end) + include.value[4:]
    afterwards(device, change)


@fault('include-uuid', many,
       'An include declaration names another UUID than the service that it points at.', f'{DEFINITION}.2')
def _(device):
    def change(database):
        include = next(each for each in database.attributes if each.type == INCLUDE)
        include.value = include.value[:4] + uuid('180A')
    afterwards(device, change)


@fault('include-late', many,
       'An include declaration comes after a characteristic of its service.', f'{DEFINITION}.1 and 3.2')
def _(device):
    def change(database):
        # The includes of the service and its first characteristic change places, with their handles.
        head = database.head(VENDOR)
        place = database.attributes.index(head)
        include, other, declaration, value, description = database.attributes[place + 1:place + 6]
        assert include.type == other.type == INCLUDE and value.type == uuid(VENDOR_MODE)
        moved = [include, declaration, value, description, other]
        for offset, attribute in enumerate(moved):
            attribute.handle = attribute.end = head.handle + 1 + offset
        declaration.end = description.handle
        declaration.value = declaration.value[:1] + struct.pack('<H', value.handle) + declaration.value[3:]
        database.attributes[place + 1:place + 6] = moved
    afterwards(device, change)
