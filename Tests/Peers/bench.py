"""The bench service: what a peripheral under test offers, so that every GATT procedure has something to work on.

Both peers know it from here. A peripheral of Harald's that wants to pass `central.py` offers the same:

| number | properties | value |
| ---- | ---- | ---- |
| 01 | read | 20 octets, 00 to 13 |
| 02 | read, write | what was written last, up to 512 octets; at first "hello" |
| 03 | write without response | counted; the first four octets are an index from 0 (32 bits, little endian) |
| 04 | read | what came on 03: commands, octets, how many out of order (32 bits each, little endian) |
| 05 | notify | an index (32 bits, little endian), then a pattern: `pattern` |
| 06 | indicate | the same |
| 07 | read, write | needs an encrypted link |
| 08 | read | 512 octets: `LONG_VALUE` |
| 09 | write | a command: `Control` |
| 0A | notify, indicate | as 05 |
| 0B | read | 01; and a second characteristic of the same UUID with the value 02 |

02 has two descriptors: 2901 with the text "read and write", and D2, which is read and written.
The service includes the device information service.
"""

import enum
import struct

from bumble.core import UUID


def bench_uuid(number):
    """The UUID of one of the numbers above; 0 is the service."""
    return UUID(f'48415241-4C44-4000-8000-{number:012X}')


SERVICE = bench_uuid(0)
READ = bench_uuid(0x01)
READ_WRITE = bench_uuid(0x02)
SINK = bench_uuid(0x03)
COUNTERS = bench_uuid(0x04)
NOTIFY = bench_uuid(0x05)
INDICATE = bench_uuid(0x06)
ENCRYPTED = bench_uuid(0x07)
LONG = bench_uuid(0x08)
CONTROL = bench_uuid(0x09)
EITHER = bench_uuid(0x0A)
TWIN = bench_uuid(0x0B)
NOTE = bench_uuid(0xD2)
ADDED_SERVICE = bench_uuid(0x100)
ADDED_VALUE = bench_uuid(0x101)

READ_VALUE = bytes(range(20))
USER_DESCRIPTION = b'read and write'
# Differs between its first and its second 256 octets, so that a wrong offset shows.
LONG_VALUE = bytes((index ^ (index >> 8)) & 0xFF for index in range(512))
CHANNEL_PSM = 0x0080


class Control(enum.IntEnum):
    """What can be written to 09: an octet, then its arguments, 16 bits little endian each."""

    RESET_COUNTERS = 0  # none
    NOTIFY = 1  # count, octets each: notifications on 05 and 0A
    INDICATE = 2  # count, octets each: indications on 06 and 0A
    REQUEST_PARAMETERS = 3  # interval min and max (1.25 ms), latency, timeout (10 ms): asked for through L2CAP
    ADD_SERVICE = 4  # none: a service more, and Service Changed
    DISCONNECT = 5  # none: the peripheral ends the connection


def command(control, *numbers):
    """The octets of a command."""
    return struct.pack(f'<B{len(numbers)}H', control, *numbers)


def pattern(index, size):
    """The value number `index` of a series: its index, then octets that differ from one value to the next."""
    return struct.pack('<I', index)[:size] + bytes((index + place) & 0xFF for place in range(4, size))
