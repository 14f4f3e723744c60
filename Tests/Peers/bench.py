"""The bench service: the service of a peripheral under test, with attributes for every GATT procedure.

It is the definition for both peers. A Harald peripheral that should pass `central.py` has the same service:

| number | properties | value |
| ---- | ---- | ---- |
| 01 | read | 20 octets, 00 to 13 |
| 02 | read, write | the last written value, up to 512 octets; initially "hello" |
| 03 | write without response | counted; the first four octets are an index from 0 (32 bits, little endian) |
| 04 | read | statistics of 03: commands, octets, number out of order (32 bits each, little endian) |
| 05 | notify | an index (32 bits, little endian), then a pattern: `pattern` |
| 06 | indicate | the same |
| 07 | read, write | requires an encrypted link |
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
# The first and the second 256 octets differ, so that a wrong offset is detected.
LONG_VALUE = bytes((index ^ (index >> 8)) & 0xFF for index in range(512))
CHANNEL_PSM = 0x0080


class Control(enum.IntEnum):
    """Commands for 09: an octet, then its arguments, 16 bits little endian each."""

    RESET_COUNTERS = 0  # none
    NOTIFY = 1  # count, octets each: notifications on 05 and 0A
    INDICATE = 2  # count, octets each: indications on 06 and 0A
    REQUEST_PARAMETERS = 3  # interval min and max (1.25 ms), latency, timeout (10 ms): requested by L2CAP
    ADD_SERVICE = 4  # none: adds a service, with Service Changed
    DISCONNECT = 5  # none: the peripheral disconnects


def command(control, *numbers):
    """The octets of a command."""
    return struct.pack(f'<B{len(numbers)}H', control, *numbers)


def pattern(index, size):
    """The value number `index` of a series: its index, then octets that differ from one value to the next."""
    return struct.pack('<I', index)[:size] + bytes((index + place) & 0xFF for place in range(4, size))
