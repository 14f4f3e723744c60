"""Compares the advertised values of `harald decode --advertisement` with those of other decoders.

    advertised.py [--count 4000] [--seed 1] [--decoder PATH]

Random valid advertisements are built here from each format's document, others are mutations of them by one byte. The
judges are bthome-ble, ruuvitag-ble, xiaomi-ble, govee-ble, inkbird-ble, beacontools and theengsdecoder. Prints a line of JSON with
the numbers of advertisements by format, of differences by their known reason, and examples of unknown differences; the
status is 1 if there is an unknown difference.
"""

import argparse
import collections
import json
import logging
import random
import struct
import subprocess
import sys

import TheengsDecoder
from beacontools import parse_packet
from bthome_ble import BTHomeBluetoothDeviceData
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from govee_ble import GoveeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from inkbird_ble import INKBIRDBluetoothDeviceData
from ruuvitag_ble import RuuvitagBluetoothDeviceData
from xiaomi_ble import XiaomiBluetoothDeviceData

logging.disable(logging.CRITICAL)
BASE = "-0000-1000-8000-00805f9b34fb"
# The differences that are meant, each with the document that decides.
REASONS = {
    "truncated": "bthome.io/format: an object has the length of its identifier; a frame that ends before is no reading. "
    "bthome-ble keeps the objects before, xiaomi-ble those of an incomplete list (MiBeacon, Object: length)",
    "reserved": "bthome.io/format: bits 1, 3 and 4 of the device information are reserved; bit 1 was an "
    "address. eddystone-url: 0x0E to 0x20 and 0x7F to 0xFF are reserved, beacontools shows them",
    "recognition": "MiBeacon, Object definition: objects mean the same for every product, xiaomi-ble omits or rounds some; "
    "theengs/decoder, H5179: the data begin with 0xEC, govee-ble looks at the company only; Tilt Pro has one more digit, "
    "which theengsdecoder does not know; SwitchBot, meter: the first byte is the model, theengsdecoder knows others",
    "probe": "theengs/decoder, IBT_2X: a temperature with the upper byte 0xFF is that of a probe that is not plugged in; "
    "for inkbird-ble only 0xFFFF is",
    "sign": "theengs/decoder, H5072: the humidity is the rest of the division by 1000; of negative temperatures "
    "theengsdecoder does not remove it, unlike in H5102. Proximity Beacon Specification: major and minor are unsigned, "
    "theengsdecoder has a sign; eddystone-tlm: the temperature has a sign, beacontools has none",
    "sensor error": "theengs/decoder, H5072: the highest bit of the battery is set if the sensor failed; then no value is one",
    "rounding": "bthome.io/format, 0x58: the factor is 0.35; bthome-ble rounds to one digit",
    "unit": "openScale wiki, Mi scale: a bit tells pounds or catties; xiaomi-ble converts to kilograms, theengsdecoder "
    "has formats for kilograms and pounds only",
    "state": "bthome.io/format, binary sensors: 0 is false and 1 is true; other numbers have no meaning",
    "legacy": "MiBeacon, protocol v5: versions 2 and 3 have no message integrity check; harald tells, and does not decode",
}


class Advert:
    """An advertisement, the address of its sender, and the key."""

    def __init__(self, kind, structures, address=None, key=None, mutated=False):
        self.kind, self.structures, self.key, self.mutated = kind, structures, key, mutated
        self.address = address or "A4:C1:38:12:34:56"

    @property
    def data(self):
        return b"".join(bytes([len(s)]) + s for s in self.structures)

    @property
    def line(self):
        return " ".join([self.data.hex(), self.address] + ([self.key.hex()] if self.key else []))

    def info(self):
        """The advertisement for the judges of Home Assistant."""
        name, manufacturer, service, uuids = self.address, {}, {}, []
        for s in self.structures:
            if s[0] == 0x09:
                name = s[1:].decode("utf-8", "replace")
            elif s[0] == 0xFF and len(s) >= 3:
                manufacturer[struct.unpack_from("<H", s, 1)[0]] = s[3:]
            elif s[0] == 0x16 and len(s) >= 3:
                service["0000%04x" % struct.unpack_from("<H", s, 1)[0] + BASE] = s[3:]
        return BluetoothServiceInfoBleak(
            name=name, address=self.address, rssi=-60, manufacturer_data=manufacturer, service_data=service,
            service_uuids=uuids, source="local", device=None, advertisement=None, connectable=False, time=0.0,
            tx_power=None,
        )

    def mutate(self, dice):
        """Changes one byte of the content of the last structure."""
        structures = [bytearray(s) for s in self.structures]
        last = structures[-1]
        # The place of the format stays.
        last[dice.randrange(3, len(last))] = dice.randrange(256)
        return Advert(self.kind, [bytes(s) for s in structures], self.address, self.key, mutated=True)


def service(uuid, content):
    return struct.pack("<BH", 0x16, uuid) + content


def manufacturer(company, content):
    return struct.pack("<BH", 0xFF, company) + content


def name(text):
    return b"\x09" + text.encode()


# MARK: Generators, from the documents

# bthome.io/format: identifier, octets, signed
BTHOME = [
    (0x00, 1, 0), (0x01, 1, 0), (0x02, 2, 1), (0x03, 2, 0), (0x04, 3, 0), (0x05, 3, 0), (0x06, 2, 0), (0x07, 2, 0),
    (0x08, 2, 1), (0x09, 1, 0), (0x0A, 3, 0), (0x0B, 3, 0), (0x0C, 2, 0), (0x0D, 2, 0), (0x0E, 2, 0), (0x12, 2, 0),
    (0x13, 2, 0), (0x14, 2, 0), (0x2E, 1, 0), (0x2F, 1, 0), (0x3D, 2, 0), (0x3E, 4, 0), (0x3F, 2, 1), (0x40, 2, 0),
    (0x41, 2, 0), (0x42, 3, 0), (0x43, 2, 0), (0x44, 2, 0), (0x45, 2, 1), (0x46, 1, 0), (0x47, 2, 0), (0x48, 2, 0),
    (0x49, 2, 0), (0x4A, 2, 0), (0x4B, 3, 0), (0x4C, 4, 0), (0x4D, 4, 0), (0x4E, 4, 0), (0x4F, 4, 0), (0x51, 2, 0),
    (0x52, 2, 0), (0x55, 4, 0), (0x56, 2, 0), (0x57, 1, 1), (0x58, 1, 1), (0x59, 1, 1), (0x5A, 2, 1), (0x5B, 4, 1),
    (0x5C, 4, 1), (0x5D, 2, 1), (0x5E, 2, 0), (0x5F, 2, 0), (0x60, 1, 0), (0x61, 2, 0), (0x62, 4, 1), (0x63, 4, 1),
    (0x65, 1, 0),
] + [(i, 1, 2) for i in (0x0F, 0x10, 0x11, *range(0x15, 0x2E))]


def bthome_objects(dice):
    chosen = sorted(dice.choices(BTHOME, k=dice.randint(1, 4)))
    return b"".join(bytes([i]) + (bytes([dice.randrange(2)]) if s == 2 else dice.randbytes(n)) for i, n, s in chosen)


def bthome(dice):
    return Advert("bthome", [service(0xFCD2, bytes([0x40 | dice.choice((0, 4))]) + bthome_objects(dice))])


def bthome_encrypted(dice):
    key, mac = dice.randbytes(16), dice.randbytes(6)
    info, counter = b"\x41", struct.pack("<I", dice.randrange(2**32))
    sealed = AESCCM(key, tag_length=4).encrypt(mac + b"\xd2\xfc" + info + counter, bthome_objects(dice), None)
    content = info + sealed[:-4] + counter + sealed[-4:]
    return Advert("bthome", [service(0xFCD2, content)], mac.hex(":").upper(), key)


# docs.ruuvi.com
def ruuvi3(dice):
    content = struct.pack(
        ">BBBBHhhhH", 3, dice.randrange(201), dice.randrange(256), dice.randrange(100), dice.randrange(65536),
        *(dice.randint(-32000, 32000) for _ in range(3)), dice.randrange(1800, 3601))
    return Advert("ruuvi-3", [manufacturer(0x0499, content)])


def ruuvi5(dice):
    content = struct.pack(
        ">BhHHhhhHBH6s", 5, dice.randint(-32767, 32767), dice.randrange(40001), dice.randrange(65535),
        *(dice.randint(-32767, 32767) for _ in range(3)), dice.randrange(2047) << 5 | dice.randrange(31),
        dice.randrange(255), dice.randrange(65535), dice.randbytes(6))
    return Advert("ruuvi-5", [manufacturer(0x0499, content)])


def ruuvi6(dice):
    content = struct.pack(
        ">BhHHHHBBBBBB3s", 6, dice.randint(-32767, 32767), dice.randrange(40001), dice.randrange(65535),
        dice.randrange(10001), dice.randrange(40001), dice.randrange(250), dice.randrange(250), dice.randrange(255),
        255, dice.randrange(256), dice.choice((0, 1, 0x40, 0x80, 0xC1)), dice.randbytes(3))
    return Advert("ruuvi-6", [manufacturer(0x0499, content)])


# MiBeacon protocol v5, Object definition
def mi_objects(dice):
    objects = [
        struct.pack("<HBh", 0x1004, 2, dice.randint(-400, 800)), struct.pack("<HBH", 0x1006, 2, dice.randrange(1001)),
        struct.pack("<HB", 0x1007, 3) + dice.randrange(120001).to_bytes(3, "little"),
        struct.pack("<HBB", 0x1008, 1, dice.randrange(101)), struct.pack("<HBH", 0x1009, 2, dice.randrange(5001)),
        struct.pack("<HBB", 0x100A, 1, dice.randrange(101)),
        struct.pack("<HBhH", 0x100D, 4, dice.randint(-400, 800), dice.randrange(1001)),
        struct.pack("<HBH", 0x1010, 2, dice.randrange(65536)), struct.pack("<HBB", 0x1013, 1, dice.randrange(101)),
    ]
    return b"".join(dice.sample(objects, dice.randint(1, 2)))


def mi_beacon(dice):
    mac, product = dice.randbytes(6), dice.choice((0x01AA, 0x045B, 0x0347, 0x0098, 0x03BC))
    has_mac = dice.randrange(2)
    control = dice.choice((4, 5)) << 12 | 2 << 10 | 0x40 | has_mac << 4
    content = struct.pack("<HHB", control, product, dice.randrange(256)) + mac[::-1] * has_mac + mi_objects(dice)
    return Advert("mibeacon", [service(0xFE95, content)], mac.hex(":").upper())


def mi_beacon_encrypted(dice):
    mac, key = dice.randbytes(6), dice.randbytes(16)
    has_mac = dice.randrange(2)
    control = dice.choice((4, 5)) << 12 | 2 << 10 | 0x48 | has_mac << 4
    head = struct.pack("<HHB", control, 0x0347, dice.randrange(256))
    extra = dice.randbytes(3)
    sealed = AESCCM(key, tag_length=4).encrypt(mac[::-1] + head[2:5] + extra, mi_objects(dice), b"\x11")
    content = head + mac[::-1] * has_mac + sealed[:-4] + extra + sealed[-4:]
    return Advert("mibeacon", [service(0xFE95, content)], mac.hex(":").upper(), key)


# pvvx/ATC_MiThermometer, README
def pvvx(dice):
    mac = bytes.fromhex("A4C138123456")
    content = mac[::-1] + struct.pack(
        "<hHHBBB", dice.randint(-4000, 8500), dice.randrange(10001), dice.randrange(2000, 3300), dice.randrange(101),
        dice.randrange(256), dice.randrange(32))
    return Advert("pvvx", [service(0x181A, content)])


def atc(dice):
    mac = bytes.fromhex("A4C138123456")
    content = mac + struct.pack(
        ">hBBHB", dice.randint(-400, 850), dice.randrange(101), dice.randrange(101), dice.randrange(2000, 3300),
        dice.randrange(256))
    return Advert("atc", [service(0x181A, content)])


# theengs/decoder, docs/devices
def govee_packed(dice):
    temperature, humidity = dice.randint(-399, 999), dice.randrange(1000)
    packed = abs(temperature) * 1000 + humidity | (0x800000 if temperature < 0 else 0)
    return packed.to_bytes(3, "big") + bytes([dice.randrange(101)])


def govee5075(dice):
    return Advert("govee-h5075", [name("GVH5075_1234"), manufacturer(0xEC88, b"\0" + govee_packed(dice) + b"\0")])


def govee5101(dice):
    model = dice.choice(("5100", "5101", "5102", "5104", "5105", "5174", "5177"))
    return Advert("govee-h5101", [name(f"GVH{model}_1234"), manufacturer(0x0001, b"\1\1" + govee_packed(dice))])


def govee5106(dice):
    temperature = dice.randint(-399, 999)
    packed = abs(temperature) * 1000000 + dice.randrange(1000) * 1000 + dice.randrange(1000)
    packed |= 1 << 31 if temperature < 0 else 0
    return Advert("govee-h5106", [name("GVH5106_1234"), manufacturer(0x0001, b"\1\1" + packed.to_bytes(4, "big"))])


def govee_plain(dice):
    return struct.pack("<hHB", dice.randint(-3999, 9999), dice.randrange(10001), dice.randrange(101))


def govee5074(dice):
    return Advert("govee-h5074", [name("Govee_H5074_1234"), manufacturer(0xEC88, b"\0" + govee_plain(dice) + b"\2")])


def govee5179(dice):
    content = b"\xec\0\1\1" + govee_plain(dice)
    return Advert("govee-h5179", [name("Govee_H5179_1234"), manufacturer(0x8801, content)])


def inkbird(dice):
    content = struct.pack(
        "<hHBHBB", dice.randint(-4000, 8500), dice.randrange(1, 10001), dice.randrange(2), dice.randrange(65536),
        dice.randrange(101), 6)
    return Advert("inkbird-th", [name(dice.choice(("sps", "tps"))), b"\xff" + content])


def inkbird_grill(dice):
    probes = dice.choice((1, 2, 4, 6))
    temperatures = [dice.choice((-1, dice.randint(0, 3000))) for _ in range(probes)]
    content = bytes(4) + dice.randbytes(6) + struct.pack("<%dh" % probes, *temperatures)
    return Advert("inkbird-bbq", [name("iBBQ"), b"\xff" + content])


# OpenWonderLabs/SwitchBotAPI-BLE, devicetypes/meter.md
def switchbot(dice):
    temperature = dice.randint(-400, 800)
    content = bytes([
        dice.choice((0x54, 0x69)), 0, dice.randrange(101), abs(temperature) % 10,
        abs(temperature) // 10 | (0x80 if temperature >= 0 else 0), dice.randrange(100),
    ])
    return Advert("switchbot-meter", [service(0xFD3D, content)])


# openScale wiki
def scale(dice):
    content = struct.pack(
        "<BHHBBBBB", dice.choice((0x22, 0xA2, 0x02)), dice.randrange(400, 40000), 2021, dice.randint(1, 12), 11, 16, 31,
        27)
    return Advert("xiaomi-scale", [service(0x181D, content)])


def body_scale(dice):
    flags = dice.choice((0x2002, 0xA602, 0xA202, 0x2602, 0x0002))
    content = struct.pack(
        "<HHBBBBBHH", flags, 2023, dice.randint(1, 12), 11, 16, 31, 27, dice.randrange(1, 3000),
        dice.randrange(400, 40000))
    return Advert("xiaomi-body-scale", [service(0x181B, content)])


# Proximity Beacon Specification R1
def ibeacon(dice):
    content = struct.pack(">BB16sHHb", 2, 0x15, dice.randbytes(16), *dice.choices(range(65536), k=2), -dice.randrange(128))
    # Some have a byte for the battery behind the message.
    return Advert("iBeacon", [manufacturer(0x004C, content + dice.randbytes(dice.randrange(2)))])


# google/eddystone: eddystone-uid, -url, -tlm, -eid
def eddystone_uid(dice):
    reserved = b"\0\0" if dice.randrange(2) else b""
    content = struct.pack(">Bb", 0, dice.randint(-100, 20)) + dice.randbytes(16)
    return Advert("eddystone-uid", [service(0xFEAA, content + reserved)])


def eddystone_url(dice):
    text = "".join(dice.choices("abcdefghijklmnopqrstuvwxyz0123456789-", k=dice.randint(1, 12)))
    content = struct.pack(">BbB", 0x10, dice.randint(-100, 20), dice.randrange(4)) + text.encode()
    return Advert("eddystone-url", [service(0xFEAA, content + bytes([dice.randrange(14)]))])


def eddystone_tlm(dice):
    content = struct.pack(
        ">BBHhII", 0x20, 0, dice.randrange(1, 5000), dice.randint(-10000, 20000), *dice.choices(range(2**32), k=2))
    return Advert("eddystone-tlm", [service(0xFEAA, content)])


def eddystone_eid(dice):
    return Advert("eddystone-eid", [service(0xFEAA, struct.pack(">Bb", 0x30, dice.randint(-100, 20)) + dice.randbytes(8))])


# Exposure Notification, Bluetooth Specification 1.2
def exposure(dice):
    return Advert("exposure-notification", [b"\x03\x6f\xfd", service(0xFD6F, dice.randbytes(20))])


def tilt(dice):
    colour = dice.choice((0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80))
    content = bytes([2, 0x15, 0xA4, 0x95, 0xBB, colour]) + bytes.fromhex("C5B14B44B5121370F02D74DE")
    content += struct.pack(">HHb", dice.randrange(32, 120), dice.randrange(980, 1120), -dice.randint(30, 90))
    return Advert("tilt", [manufacturer(0x004C, content)])


GENERATORS = [
    bthome, bthome, bthome, bthome_encrypted, ruuvi3, ruuvi5, ruuvi6, mi_beacon, mi_beacon_encrypted, pvvx, atc,
    govee5075, govee5101, govee5106, govee5074, govee5179, inkbird, inkbird_grill, switchbot, scale, body_scale, tilt,
    ibeacon, eddystone_uid, eddystone_url, eddystone_tlm, eddystone_eid, exposure,
]


# MARK: Judges: each gives a list of (name, value) in harald's names

def entities(parser, advert):
    update = parser.update(advert.info())
    values = [(k.key, v.native_value) for k, v in update.entity_values.items()]
    values += [(k.key, v.native_value) for k, v in update.binary_entity_values.items()]
    return [(k, v) for k, v in values if k != "signal_strength" and v is not None]


def judge_home(parser, advert, names):
    result = []
    for key, value in entities(parser, advert):
        key = str(key)
        stem = key.rsplit("_", 1)[0] if key.rsplit("_", 1)[-1].isdigit() else key
        stem = names.get(stem, stem)
        if stem:
            result.append((stem, value))
    return result


BTHOME_NAMES = {
    "dew_point": "dewPoint", "volatile_organic_compounds": "tvoc", "uv_index": "uvIndex", "packet_id": "packetId",
    "volume_flow_rate": "volumeFlowRate", "volume_storage": "volumeStorage", "rotational_speed": "rotationalSpeed",
    "settings_revision": "settingsRevision", "battery_charging": "batteryCharging", "garage_door": "garageDoor",
    "carbon_monoxide": "carbonMonoxide", "carbon_dioxide": "co2",
    "light_level": "lightLevel",
}
# The judge has one name for several objects of BTHome.
BTHOME_SHARED = {
    "light": "illuminance", "massPounds": "mass", "distanceMillimetres": "distance", "volumeMillilitres": "volume",
    "batteryState": "battery", "powerState": "power", "gasState": "gas", "moistureState": "moisture",
}


def judge_bthome(advert):
    parser = BTHomeBluetoothDeviceData(advert.key)
    return [(BTHOME_SHARED.get(k, k), v) for k, v in judge_home(parser, advert, BTHOME_NAMES)]


RUUVI_NAMES = {
    "acceleration_x": "accelerationX", "acceleration_y": "accelerationY", "acceleration_z": "accelerationZ",
    "voltage": "battery", "movement_counter": "movements", "acceleration_total": None, "measurement_sequence_number":
    None, "iaqs": None, "volatile_organic_compounds": "voc", "nitrogen_oxide": "nox", "nox_index": "nox", "voc_index":
    "voc", "light": "illuminance", "carbon_dioxide": "co2", "tx_power": None, "indoor_air_quality": None,
}


# The judge has hectopascals, millivolts, and metres per square second.
RUUVI_SCALES = {
    "pressure": 100, "battery": 0.001, "accelerationX": 1 / 9.80665, "accelerationY": 1 / 9.80665,
    "accelerationZ": 1 / 9.80665,
}


def judge_ruuvi(advert):
    values = judge_home(RuuvitagBluetoothDeviceData(), advert, RUUVI_NAMES)
    return [(k, v * RUUVI_SCALES.get(k, 1)) for k, v in values]


XIAOMI_NAMES = {
    "voltage": None, "light": "illuminance", "mass": None, "mass_non_stabilized": "weight", "stabilized": None,
    "impedance": "impedance",
}


def judge_xiaomi(advert):
    return judge_home(XiaomiBluetoothDeviceData(advert.key), advert, XIAOMI_NAMES)


def judge_govee(advert):
    return judge_home(GoveeBluetoothDeviceData(), advert, {})


def judge_inkbird(advert):
    return judge_home(INKBIRDBluetoothDeviceData(), advert, {"temperature_probe": "temperature"})


THEENGS_NAMES = {
    "tempc": "temperature", "tempf": None, "hum": "humidity", "batt": "battery", "volt": "batteryVoltage", "pm25": "pm25",
    "gravity": "specificGravity", "major": "major", "minor": "minor", "txpower": "power", "weight": "weight", "impedance": "impedance", "tempc2": "temperature",
    "tempc3": "temperature", "tempc4": "temperature", "tempc5": "temperature", "tempc6": "temperature",
}


def theengs_message(advert):
    """The advertisement as theengsdecoder gets it."""
    message = {"id": advert.address, "rssi": -60}
    for s in advert.structures:
        if s[0] == 0x09:
            message["name"] = s[1:].decode("utf-8", "replace")
        elif s[0] == 0xFF:
            message["manufacturerdata"] = s[1:].hex()
        elif s[0] == 0x16:
            message["servicedatauuid"] = "%04x" % struct.unpack_from("<H", s, 1)[0]
            message["servicedata"] = s[3:].hex()
    return json.dumps(message)


def judge_theengs(advert):
    answer = TheengsDecoder.decodeBLE(theengs_message(advert))
    if not answer:
        return None
    result = []
    for key, value in json.loads(answer).items():
        # The byte behind an iBeacon has no meaning in its document.
        if advert.kind == "iBeacon" and key == "volt":
            continue
        if advert.kind == "tilt" and key == "tempc":
            value = value * 9 / 5 + 32
        if isinstance(value, (int, float)) and not isinstance(value, bool) and THEENGS_NAMES.get(key):
            result.append((THEENGS_NAMES[key], value))
    return result


BEACON_NAMES = {
    "tx_power": "power", "advertising_count": "count", "seconds_since_boot": "uptime", "voltage": "battery",
    "encrypted_metadata": "metadata", "eid": "id",
}
# Millivolts, and tenths of a second.
BEACON_SCALES = {"voltage": 0.001, "seconds_since_boot": 0.1}


def judge_beacons(advert):
    """beacontools needs the flags, and the service of a frame in the list of services."""
    content = advert.structures[-1]
    before = [b"\x02\x01\x06"] if content[0] == 0xFF else [b"\x02\x01\x06", b"\x03\x03" + content[1:3]]
    parts = [before[0]] + [bytes([len(s)]) + s if s[0] != len(s) - 1 else s for s in before[1:]] + [
        bytes([len(content)]) + content]
    frame = parse_packet(b"".join(parts))
    result = []
    for key, value in vars(frame).items() if frame else []:
        key = key.lstrip("_")
        if isinstance(value, bytes):
            value = value.hex()
        elif key in BEACON_SCALES:
            value *= BEACON_SCALES[key]
        result.append((BEACON_NAMES.get(key, key), value.upper() if isinstance(value, str) and key != "url" else value))
    return result


JUDGES = {
    "iBeacon": [judge_theengs, judge_beacons], "eddystone-uid": [judge_beacons], "eddystone-url": [judge_beacons],
    "eddystone-tlm": [judge_beacons], "eddystone-eid": [judge_beacons], "exposure-notification": [judge_beacons],
    "bthome": [judge_bthome], "ruuvi-3": [judge_ruuvi], "ruuvi-5": [judge_ruuvi], "ruuvi-6": [judge_ruuvi],
    "mibeacon": [judge_xiaomi], "xiaomi-scale": [judge_xiaomi, judge_theengs],
    "xiaomi-body-scale": [judge_xiaomi, judge_theengs],
    "govee-h5075": [judge_govee, judge_theengs], "govee-h5101": [judge_govee, judge_theengs],
    "govee-h5106": [judge_govee, judge_theengs], "govee-h5074": [judge_govee, judge_theengs],
    "govee-h5179": [judge_govee, judge_theengs], "inkbird-th": [judge_inkbird, judge_theengs],
    "inkbird-bbq": [judge_inkbird, judge_theengs], "switchbot-meter": [judge_theengs], "tilt": [judge_theengs],
    "pvvx": [judge_theengs], "atc": [judge_theengs],
}


# MARK: Comparison

# Half of the last digit that a judge shows.
TOLERANCES = {
    "ruuvi-5": {"temperature": 0.0051, "humidity": 0.0051, "pressure": 0.6}, "ruuvi-6": {
        "temperature": 0.0051, "humidity": 0.0051, "pressure": 0.6, "illuminance": 0.51}}
ACCELERATION = 0.0006


def tolerance(kind, name):
    if name.startswith("acceleration") and kind.startswith("ruuvi"):
        return ACCELERATION
    return TOLERANCES.get(kind, {}).get(name, 1e-6)


def flatten(fields):
    for key, value in fields.items():
        key = BTHOME_SHARED.get(key, key)
        values = value.get("value") if isinstance(value, dict) else value
        for one in values if isinstance(values, list) else [values]:
            yield key, one


def known_reason(advert, judge, ours, missing):
    """The reason of a difference; None if it is not known."""
    content = advert.structures[-1][3:]
    problem = ours.get("problem") if ours else None
    if problem and ("needed" in problem or "early" in problem or "tenths" in problem or "outside" in problem):
        return "truncated"
    if problem and "is reserved" in problem:
        return "reserved"
    if problem and "reports an error" in problem:
        return "sensor error"
    if advert.kind in ("xiaomi-scale", "xiaomi-body-scale") and ours and ours["fields"].get("weight", {}).get("unit") != "kg":
        return "unit"
    if advert.kind == "bthome":
        if advert.mutated and ours and not problem and all(isinstance(v, bool) for _, v in missing):
            return "state"
        if ours and all(
            isinstance(value, bool) and advert.mutated or any(k == key and isinstance(v, float) and abs(v - value) < 0.051 for k, v in flatten(ours["fields"]))
            for key, value in missing):
            return "rounding"
        if content[0] & 0x1A:
            return "reserved"
        if ours and "unknown" in ours["fields"]:
            return "truncated"
    if advert.kind == "govee-h5075" and judge is judge_theengs and [k for k, _ in missing] == ["temperature"]:
        return "sign"
    if advert.kind in ("iBeacon", "eddystone-tlm") and ours and {k for k, _ in missing} <= {"major", "minor", "temperature"}:
        return "sign"
    if advert.kind in ("govee-h5179", "tilt", "switchbot-meter") and advert.mutated:
        return "recognition"
    if advert.kind == "inkbird-bbq":
        return "probe"
    if advert.kind == "mibeacon":
        if content[1] >> 4 < 4 and content[0] & 8:
            return "legacy"
        return "recognition"
    return None


def compare(advert, ours, judge):
    """The values of a judge that harald does not have."""
    try:
        theirs = judge(advert)
    except (ValueError, IndexError, struct.error):
        theirs = None
    if not theirs:
        return []
    left = list(flatten(ours["fields"])) if ours else []
    missing = []
    for key, value in theirs:
        if not isinstance(value, (int, float)) and judge is not judge_beacons:
            continue
        for candidate in left:
            is_number = isinstance(value, (int, float)) and isinstance(candidate[1], (int, float))
            if candidate[0] == key and (candidate[1] == value or is_number and abs(
                candidate[1] - value) <= tolerance(advert.kind, key)):
                left.remove(candidate)
                break
        else:
            missing.append((key, value))
    return missing


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=4000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--decoder", default=".build/debug/harald decode --advertisement - --json")
    options = arguments.parse_args()
    dice = random.Random(options.seed)
    adverts = []
    for number in range(options.count):
        advert = GENERATORS[number % len(GENERATORS)](dice)
        adverts.append(advert if dice.randrange(3) else advert.mutate(dice))
    run = subprocess.run(
        options.decoder.split(), input="".join(a.line + "\n" for a in adverts), text=True, capture_output=True)
    answers = run.stdout.splitlines()
    if run.returncode or len(answers) != len(adverts):
        print(run.stderr, file=sys.stderr)
        sys.exit(f"{len(answers)} answers to {len(adverts)} advertisements, status {run.returncode}")
    counts, reasons, unknown, compared = collections.Counter(), collections.Counter(), [], 0
    for advert, answer in zip(adverts, answers):
        everything = json.loads(answer)["values"]
        values = [v for v in everything if v["kind"] == advert.kind] or everything
        ours = values[0] if values else None
        counts[advert.kind] += 1
        if ours and advert.mutated and ours["kind"].startswith("ruuvi"):
            # Another first byte is another format.
            advert.kind = ours["kind"]
        if not advert.mutated and (ours is None or ours.get("problem")):
            unknown.append([advert.line, "no value", ours and ours["problem"]])
        for judge in JUDGES[advert.kind]:
            missing = compare(advert, ours, judge)
            compared += 1
            if missing:
                reason = known_reason(advert, judge, ours, missing)
                if reason:
                    reasons[reason] += 1
                else:
                    unknown.append([advert.line, judge.__name__, missing, ours and (ours.get("problem") or ours["fields"])])
    print(json.dumps({
        "event": "compared", "advertisements": dict(counts), "comparisons": compared, "differences": dict(reasons),
        "unknown": len(unknown), "examples": unknown[:20]}))
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
