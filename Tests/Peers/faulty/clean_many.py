"""Clean devices with many services: a gadget, a health station with records, and a device with almost nothing."""

import datetime
import struct

from .clean import (SOME_16, battery_service, connect_gatt, device, gap, information_service, short, whole_gatt)
from .database import SECONDARY, AttError, characteristic, descriptor, service
from .registry import clean

VENDOR = 'A7C50001-22B9-4D1E-8F3A-90D6B41E7C55'
VENDOR_MODE, VENDOR_CALIBRATION, VENDOR_OFFSET = (VENDOR.replace('0001-', f'000{number}-', 1) for number in (2, 3, 4))
HEALTH = ('1809', '1810', '1808', '181D')
REPORT, DELETE, ABORT, COUNT, COUNTED, RESULT = 1, 2, 3, 4, 5, 6
ALL, GREATER, FIRST, LAST = 1, 3, 5, 6
SUCCESS, NO_OP_CODE, BAD_OPERATOR, NO_OPERATOR, BAD_OPERAND, NO_RECORDS, NO_OPERAND = 1, 2, 3, 4, 5, 6, 9
# The Glucose Service has codes of its own, from before there were common ones (1.6).
ALREADY_IN_PROGRESS, CCCD_IMPROPER, NOT_ALLOWED = 0x80, 0x81, 0x13


def now(_client=None):
    """Current Time (Current Time Service 1.1, 3.1.1)."""
    moment = datetime.datetime.now(datetime.UTC)
    return struct.pack('<HBBBBBBBB', moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second,
                       moment.isoweekday(), moment.microsecond * 256 // 1_000_000, 0)


def set_alert(attribute):
    def write(_client, value):
        if value[0] > 2:
            raise AttError(NOT_ALLOWED)
        attribute.value = value
    attribute.write = write


def proximity():
    alert = characteristic('2A06', 'read write', b'\x00', lengths=(1, 1))
    set_alert(alert.attribute)
    return [service('1803', alert), service('1802', characteristic('2A06', 'command', lengths=(1, 1))),
            service('1804', characteristic('2A07', 'read', bytes([0])))]


def time_service():
    return service('1805', characteristic('2A2B', 'read notify', read=now), characteristic('2A0F', 'read', bytes(2)))


def cadence_services():
    return [service('1816', characteristic('2A5B', 'notify'), characteristic('2A5C', 'read', struct.pack('<H', 2)),
                    characteristic('2A5D', 'read', b'\x05')),
            service('1814', characteristic('2A53', 'notify'), characteristic('2A54', 'read', bytes(2)))]


def vendor_services():
    calibration = service(VENDOR_CALIBRATION, characteristic(VENDOR_OFFSET, 'read write', bytes(4), lengths=(4, 4)))
    calibration.type = SECONDARY
    battery = battery_service()
    mode = characteristic(VENDOR_MODE, 'read write', b'\x01', lengths=(1, 1), descriptors=[descriptor('2901', b'mode')])
    return [service(VENDOR, mode, includes=[battery, calibration]), battery, calibration]


def ride(server):
    """One turn of the crank each half second; times in 1/1024 s."""
    server.turns = getattr(server, 'turns', 0) + 1
    server.notify('2A5B', struct.pack('<BHH', 2, server.turns & 0xFFFF, server.turns * 512 & 0xFFFF))
    server.notify('2A53', struct.pack('<BHB', 0, 512, 80))


@clean('clean-many')
def many():
    title, appearance = 'Gadget', 0x00C0
    return device(
        title, appearance, [gap(title, appearance), whole_gatt(), *proximity(), time_service(), *cadence_services(),
                            information_service(), *vendor_services()],
        [(SOME_16, short('1803', '1805', '1816'))], changes=[connect_gatt], ticks=[ride])


# Health

def secure(name, properties, value=b'', **rest):
    """The profiles of these services want all of it encrypted."""
    return characteristic(name, properties, value, secure=True, secure_subscription=True, **rest)


def health_services():
    return [
        service('1809', secure('2A1C', 'indicate'), secure('2A1D', 'read', b'\x02')),
        service('1810', secure('2A35', 'indicate'), secure('2A49', 'read', bytes(2))),
        service('1808', secure('2A18', 'notify'), secure('2A51', 'read', bytes(2)),
                secure('2A52', 'write indicate', lengths=(1, 20))),
        service('181D', secure('2A9D', 'indicate'), secure('2A9E', 'read', bytes(4))),
    ]


def glucose(number):
    """A Glucose Measurement: sequence number, base time, no concentration."""
    return struct.pack('<BHHBBBBB', 0, number, 2026, 3, 1, 12, number, 0)


class Records:
    """The Record Access Control Point (Glucose Service 1.0, 3.4)."""

    def __init__(self, server):
        self.server = server
        self.numbers = [1, 2, 3]
        self.point = server.database.named('2A52')
        self.point.write = self.write

    def write(self, client, value):
        measurement = self.server.database.named('2A18')
        wanted = value[:1] != bytes([REPORT]) or self.server.subscribed(client, measurement, 1)
        if not wanted or not self.server.subscribed(client, self.point, 2):
            raise AttError(CCCD_IMPROPER)
        if client.unconfirmed:
            raise AttError(ALREADY_IN_PROGRESS)
        self.server.later(self.run, client, value)

    def chosen(self, operator, operand):
        """The records that are meant, or what is wrong with the order."""
        if operator == 0:
            return BAD_OPERATOR
        if operator in (ALL, FIRST, LAST):
            if operand:
                return BAD_OPERAND
            return {ALL: self.numbers, FIRST: self.numbers[:1], LAST: self.numbers[-1:]}[operator]
        if operator != GREATER:
            return NO_OPERATOR
        if not operand or operand[0] != 1:
            return NO_OPERAND if operand else BAD_OPERAND  # another filter than the sequence number
        if len(operand) != 3:
            return BAD_OPERAND
        return [number for number in self.numbers if number >= struct.unpack('<H', operand[1:])[0]]

    def run(self, client, value):
        code, operator, operand = value[0], value[1] if len(value) > 1 else 0, value[2:]
        result = None
        if code == ABORT:
            result = SUCCESS if operator == 0 and not operand else BAD_OPERATOR
        elif code not in (REPORT, DELETE, COUNT):
            result = NO_OP_CODE
        elif isinstance(records := self.chosen(operator, operand), int):
            result = records
        elif code == COUNT:
            self.server.indicate('2A52', struct.pack('<BBH', COUNTED, 0, len(records)), client)
        elif code == DELETE:
            self.numbers = [number for number in self.numbers if number not in records]
            result = SUCCESS if records else NO_RECORDS
        else:
            for number in records:
                self.server.notify('2A18', glucose(number), client)
            result = SUCCESS if records else NO_RECORDS
        if result is not None:
            self.server.indicate('2A52', bytes([RESULT, 0, code, result]), client)


def keep_records(server):
    server.records = Records(server)


def measure(server):
    """A value of each kind every three seconds."""
    server.measured = getattr(server, 'measured', 0) + 1
    if server.measured % 6 == 0:
        server.indicate('2A1C', b'\x00' + (366).to_bytes(3, 'little') + b'\xFF')  # 36.6 degrees Celsius
        server.indicate('2A35', struct.pack('<BHHH', 0, 120, 80, 93))  # mmHg
        server.indicate('2A9D', struct.pack('<BH', 0, 14000))  # 70 kg


@clean('clean-health')
def health():
    title, appearance = 'Vital', 0x0300
    return device(
        title, appearance, [gap(title, appearance), whole_gatt(), *health_services(), information_service()],
        [(SOME_16, short(*HEALTH))], changes=[connect_gatt, keep_records], ticks=[measure])


def open_end(server):
    """The last service may end at 0xFFFF."""
    server.database.head(VENDOR).end = 0xFFFF


@clean('clean-minimal')
def minimal():
    services = [gap('Pin', 0x0200), service('1801'), service(VENDOR, characteristic(VENDOR_MODE, 'read', b'\x01'))]
    services[0].remove('2A04')
    definition = device('Pin', 0x0200, services, [], pairable=False, changes=[open_end])
    definition.server = type('Small', (definition.server,), {'largest_mtu': 23})
    return definition
