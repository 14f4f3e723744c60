"""Faults of standard services."""

import struct

from .clean import battery, battery_service, heart_rate
from .clean_many import Records, health, many, now
from .database import AttError
from .registry import fault, override

HRS = 'Heart Rate Service 1.0'
BAS = 'Battery Service 1.0'
DIS = 'Device Information Service 1.1'


def value_of(device, service, name):
    return device.service(service).value(name).attribute


@fault('hrs-no-measurement', heart_rate, 'The Heart Rate service has no Heart Rate Measurement.', f'{HRS}, 3')
def _(device):
    device.service('180D').remove('2A37')
    device.service('180D').remove('2A39')
    device.changes.clear()
    device.ticks.clear()


@fault('hrs-measurement-readable', heart_rate,
       'The Heart Rate Measurement has the property read and can be read.', f'{HRS}, 3.1')
def _(device):
    value = device.service('180D').value('2A37')
    value.properties |= 0x02
    value.attribute.readable, value.attribute.value = True, bytes([0x06, 60])


@fault('hrs-measurement-short', heart_rate,
       'The flags of the Heart Rate Measurement say 16 bits, but it has 8.', f'{HRS}, 3.1.1')
def _(device):
    device.ticks = [lambda server: server.notify('2A37', bytes([0x07, 60]))]
    device.service('180D').remove('2A39')
    device.changes.clear()


@fault('hrs-rate-reversed', heart_rate,
       'A heart rate of 16 bits has the most significant octet first.', f'{HRS}, 3.1.1.2')
def _(device):
    device.ticks = [lambda server: server.notify('2A37', bytes([0x07, 0, 60]))]
    device.service('180D').remove('2A39')
    device.changes.clear()


@fault('hrs-location-reserved', heart_rate,
       'The Body Sensor Location is 0x20, which is reserved.', f'{HRS}, 3.2')
def _(device):
    value_of(device, '180D', '2A38').value = b'\x20'


@fault('hrs-no-control-point', heart_rate,
       'The measurements have Energy Expended, but there is no Heart Rate Control Point.', f'{HRS}, 3.3')
def _(device):
    device.service('180D').remove('2A39')
    device.changes = [lambda server: vars(server).update(rate=60, energy=0)]


@fault('hrs-control-point-code', heart_rate,
       'Writing a reserved value to the Heart Rate Control Point gives Value Not Allowed, not the error 0x80.',
       f'{HRS}, 3.3.1', needs='writes')
def _(device):
    def change(server):
        def write(_client, value):
            if value != b'\x01':
                raise AttError(0x13)
            server.energy = 0
        server.database.named('2A39').write = write
    device.changes.append(change)


@fault('bas-level-range', battery, 'The Battery Level is 130; 100 % is the most.', f'{BAS}, 3.1')
def _(device):
    value_of(device, '180F', '2A19').value = bytes([130])


@fault('bas-level-length', battery, 'The Battery Level has two octets.', f'{BAS}, 3.1')
def _(device):
    value_of(device, '180F', '2A19').value = bytes([87, 0])


@fault('bas-no-read', battery, 'The Battery Level can be notified, but not read.', f'{BAS}, 3.1')
def _(device):
    value = device.service('180F').value('2A19')
    value.properties &= ~0x02
    value.attribute.readable = False


@fault('bas-twice', heart_rate,
       'Two Battery services have no Presentation Format by which to tell their levels apart.', f'{BAS}, 3.1.2')
def _(device):
    device.services.append(battery_service(40))


@fault('dis-empty-string', battery, 'The Manufacturer Name String is empty.', f'{DIS}, 3.1')
def _(device):
    value_of(device, '180A', '2A29').value = b''


@fault('dis-not-utf8', battery, 'The Model Number String is not UTF-8.', f'{DIS}, 3.2')
def _(device):
    value_of(device, '180A', '2A24').value = b'EX\xFF1'


@fault('dis-system-id-length', battery, 'The System ID has six octets, not 8.', f'{DIS}, 3.7')
def _(device):
    value_of(device, '180A', '2A23').value = bytes.fromhex('341256563412')


@fault('dis-pnp-length', battery, 'The PnP ID has six octets, not 7.', f'{DIS}, 3.9')
def _(device):
    value_of(device, '180A', '2A50').value = struct.pack('<HHH', 0x05F1, 1, 0x0120)


@fault('dis-pnp-source', battery, 'The source of the vendor in the PnP ID is 0, which is reserved.', f'{DIS}, 3.9')
def _(device):
    value_of(device, '180A', '2A50').value = struct.pack('<BHHH', 0, 0x05F1, 1, 0x0120)


@fault('dis-string-writable', battery,
       'The Serial Number String has the property write.', f'{DIS}, 3')
def _(device):
    value = device.service('180A').value('2A25')
    value.properties |= 0x08
    value.attribute.writable = True


@fault('bls-no-feature', health,
       'The Blood Pressure service has no Blood Pressure Feature.', 'Blood Pressure Service 1.0, 3')
def _(device):
    device.service('1810').remove('2A49')


@fault('bls-measurement-notify', health,
       'The Blood Pressure Measurement is notified, not indicated.', 'Blood Pressure Service 1.0, 3.1')
def _(device):
    device.service('1810').value('2A35').properties = 0x10


@fault('hts-no-measurement', health,
       'The Health Thermometer service has no Temperature Measurement.', 'Health Thermometer Service 1.0, 3')
def _(device):
    device.service('1809').remove('2A1C')
    device.ticks.clear()


@fault('hts-type-reserved', health,
       'The Temperature Type is 0, which is reserved.', 'Health Thermometer Service 1.0, 3.2', needs='pair')
def _(device):
    value_of(device, '1809', '2A1D').value = b'\x00'


@fault('gls-no-control-point', health,
       'The Glucose service has no Record Access Control Point.', 'Glucose Service 1.0, 3')
def _(device):
    device.service('1808').remove('2A52')
    device.changes.pop()


@fault('gls-control-point-silent', health,
       'The Record Access Control Point does not answer an unknown op code.',
       'Glucose Service 1.0, 3.4.3', needs='writes')
def _(device):
    class Silent(Records):
        def run(self, client, value):
            if 1 <= value[0] <= 4:
                super().run(client, value)

    device.changes[-1] = lambda server: setattr(server, 'records', Silent(server))


@fault('gls-control-point-open', health,
       'The Record Access Control Point takes orders from a client that has not subscribed to its indications.',
       'Glucose Service 1.0, 3.4.1', needs='writes')
def _(device):
    class Open(Records):
        def write(self, client, value):
            if self.server.subscribed(client, self.point, 2):
                super().write(client, value)

    device.changes[-1] = lambda server: setattr(server, 'records', Open(server))


@fault('wss-feature-length', health,
       'The Weight Scale Feature has two octets, not 4.', 'Weight Scale Service 1.0, 3.1', needs='pair')
def _(device):
    value_of(device, '181D', '2A9E').value = bytes(2)


@fault('csc-no-feature', many,
       'The Cycling Speed and Cadence service has no CSC Feature.', 'Cycling Speed and Cadence Service 1.0, 3')
def _(device):
    device.service('1816').remove('2A5C')


@fault('csc-feature-contradicts', many,
       'The CSC Feature knows no crank, but the CSC Measurement has crank revolutions.',
       'Cycling Speed and Cadence Service 1.0, 3.1.1 and 3.2')
def _(device):
    # No feature at all is allowed, but then a measurement has no data.
    value_of(device, '1816', '2A5C').value = bytes(2)


@fault('rsc-measurement-short', many,
       'The RSC Measurement has no cadence.', 'Running Speed and Cadence Service 1.0, 3.1.1')
def _(device):
    def send(server, client, pdu):
        attribute = server.database.named('2A53')
        if pdu[0] == 0x1B and pdu[1:3] == struct.pack('<H', attribute.handle):
            pdu = pdu[:6]
        return pdu

    override(device, send=lambda server, original, client, pdu: original(client, send(server, client, pdu)))


@fault('cts-length', many, 'The Current Time has nine octets, not 10.', 'Current Time Service 1.1, 3.1')
def _(device):
    value_of(device, '1805', '2A2B').read = lambda client: now(client)[:9]


@fault('cts-month', many, 'The month of the Current Time is 13.', 'Current Time Service 1.1, 3.1')
def _(device):
    value_of(device, '1805', '2A2B').read = lambda client: now(client)[:2] + b'\x0D' + now(client)[3:]


@fault('lls-alert-range', many, 'The Alert Level of the Link Loss service is 3.', 'Link Loss Service 1.0, 3.1')
def _(device):
    value_of(device, '1803', '2A06').value = b'\x03'


@fault('lls-alert-accepted', many,
       'The Alert Level of the Link Loss service takes the value 7 and keeps it.',
       'Link Loss Service 1.0, 3.1', needs='writes')
def _(device):
    value_of(device, '1803', '2A06').write = None


@fault('ias-alert-readable', many,
       'The Alert Level of the Immediate Alert service can be read, and not written without response.',
       'Immediate Alert Service 1.0, 3.1')
def _(device):
    value = device.service('1802').value('2A06')
    value.properties = 0x02
    value.attribute.readable, value.attribute.commands, value.attribute.value = True, False, b'\x00'


@fault('tps-range', many, 'The Tx Power Level is 40 dBm; -100 to 20 dBm is the range.', 'Tx Power Service 1.0, 3.1')
def _(device):
    value_of(device, '1804', '2A07').value = bytes([40])
