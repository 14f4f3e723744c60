"""Faults of advertising data."""

import struct

from .clean import (ALL_16, APPEARANCE, FLAGS, GENERAL, NAME, SERIAL, SHORT_NAME, SOME_16, TX_POWER, ad, battery,
                    encrypted, heart_rate, serial, short)
from .clean_many import health, many
from .database import uuid
from .registry import fault

SERVICE_DATA, MANUFACTURER, INTERVAL_RANGE, INTERVAL = 0x16, 0xFF, 0x12, 0x1A
FORMAT = 'Core 5.4 Vol 3, Part C, 11'
DISCOVERABLE = 'Core 5.4 Vol 3, Part C, 9.2.4.2'


@fault('adv-length-overrun', heart_rate,
       'The length of the last structure of the advertisement goes past its end.', FORMAT)
def _(device):
    device.advertisement += bytes([9, TX_POWER, 0])


@fault('adv-data-after-end', battery,
       'After a structure of length 0, which ends the advertisement, octets follow that are not zero.', FORMAT)
def _(device):
    device.advertisement += bytes([0, 0x5A, 0xA5, 0x01])


@fault('adv-flags-missing', heart_rate,
       'The connectable advertisement has no Flags, so the device is not discoverable.', DISCOVERABLE)
def _(device):
    device.advertisement = device.advertisement[3:]


@fault('adv-flags-both-modes', battery,
       'Flags claim limited and general discoverable mode at the same '
       'time.', 'Core 5.4 Vol 3, Part C, 9.2.3.2 and 9.2.4.2')
def _(device):
    device.advertisement = ad((FLAGS, b'\x07')) + device.advertisement[3:]


@fault('adv-flags-contradict', serial,
       'Flags say Simultaneous LE and BR/EDR (Controller) and BR/EDR Not Supported, which contradict each other.',
       'CSS 11 Part A, 1.3')
def _(device):
    device.advertisement = ad((FLAGS, b'\x0E')) + device.advertisement[3:]


@fault('adv-flags-in-response', heart_rate,
       'Flags are in the scan response, where they are not allowed, in place of the advertisement.',
       'CSS 11 Part A, Table 1.1')
def _(device):
    device.advertisement, device.response = device.advertisement[3:], ad((FLAGS, GENERAL)) + device.response


@fault('adv-name-differs', battery,
       'The Complete Local Name of the scan response is not the Device Name.', 'CSS 11 Part A, 1.2')
def _(device):
    device.response = ad((NAME, b'Accumulator'))


@fault('adv-name-twice', serial,
       'The scan response has the local name twice, shortened and complete.', 'CSS 11 Part A, Table 1.1 and 1.2')
def _(device):
    device.response = ad((SHORT_NAME, b'Wi'), (NAME, b'Wire'))


@fault('adv-short-name-other', heart_rate,
       'The Shortened Local Name is not the beginning of the Device Name.', 'CSS 11 Part A, 1.2')
def _(device):
    device.response = ad((SHORT_NAME, b'Ulse'))


@fault('adv-list-not-complete', heart_rate,
       'The list of 16-bit service UUIDs is marked complete, but the Battery service is not in '
       'it.', 'CSS 11 Part A, 1.1')
def _(device):
    device.advertisement = ad((FLAGS, GENERAL), (ALL_16, short('180D')), (APPEARANCE, struct.pack('<H', 0x0341)))


@fault('adv-service-not-there', battery,
       'The advertisement lists the Health Thermometer service, which the device does not have.', 'CSS 11 Part A, 1.1')
def _(device):
    device.advertisement = ad((FLAGS, GENERAL), (SOME_16, short('180F', '1809')), (APPEARANCE, bytes(2)))


@fault('adv-list-twice', health,
       'The advertisement has two lists of 16-bit service UUIDs, one incomplete and one '
       'complete.', 'CSS 11 Part A, 1.1')
def _(device):
    device.advertisement = ad(
        (FLAGS, GENERAL), (SOME_16, short('1809')), (ALL_16, short('1809', '1810', '1808', '181D', '180A')))


@fault('adv-list-odd', many,
       'The list of 16-bit service UUIDs has five octets.', 'CSS 11 Part A, 1.1')
def _(device):
    device.advertisement = ad((FLAGS, GENERAL), (SOME_16, short('1803', '1805') + b'\x16'))


@fault('adv-appearance-differs', heart_rate,
       'The Appearance of the advertisement is not the one of the GAP service.', 'CSS 11 Part A, 1.12')
def _(device):
    device.advertisement = ad(
        (FLAGS, GENERAL), (ALL_16, short('180D', '180F')), (APPEARANCE, struct.pack('<H', 0x03C1)))


@fault('adv-tx-power-range', battery,
       'The TX Power Level of the scan response is -128 dBm; the range is -127 to 127 dBm.', 'CSS 11 Part A, 1.5')
def _(device):
    device.response = ad((NAME, b'Cell'), (TX_POWER, b'\x80'))


@fault('adv-service-data-short', encrypted,
       'Service Data has one octet, less than the UUID.', 'CSS 11 Part A, 1.11')
def _(device):
    device.advertisement += ad((SERVICE_DATA, b'\x0F'))


@fault('adv-manufacturer-short', serial,
       'Manufacturer Specific Data has one octet, less than the company identifier.', 'CSS 11 Part A, 1.4')
def _(device):
    device.response += ad((MANUFACTURER, b'\xFF'))


@fault('adv-connection-interval', encrypted,
       'The Peripheral Connection Interval Range has a minimum above its maximum.', 'CSS 11 Part A, 1.9')
def _(device):
    device.advertisement += ad((INTERVAL_RANGE, struct.pack('<HH', 80, 24)))


@fault('adv-interval-other', battery,
       'The Advertising Interval of the advertisement is 1 s, but the device advertises each 100 '
       'ms.', 'CSS 11 Part A, 1.15')
def _(device):
    device.advertisement += ad((INTERVAL, struct.pack('<H', 1600)))


@fault('adv-interval-long', heart_rate,
       'The connectable and discoverable device advertises only each 5 s; 1 to 1.2 s is the slowest that is '
       'recommended.',
       'Core 5.4 Vol 3, Part C, Appendix A')
def _(device):
    device.interval = 5000


@fault('adv-uuid-reversed', serial,
       'The 128-bit UUID of the service is advertised with the most significant octet first.', 'CSS 11 Part A, 1.1')
def _(device):
    device.advertisement = device.advertisement.replace(uuid(SERIAL), uuid(SERIAL)[::-1])
