"""Compares `harald dissect` with tshark, packet by packet: which packets are ATT, their opcodes and their handles.

    dissected.py --harald PROGRAM [--seed N] [--mutations N]

The captures are written by commands on the virtual radio, as btsnoop, pcap, PacketLogger and as a sniffer of the air would
have written them, and once more with random octets in place of attribute PDUs.
"""
import argparse
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

COMMANDS = ["demo", "check gadget", "notify polar 180D/2A37 --count 3", "stress gadget --for 1"]
# The PDUs that have a handle at their beginning.
WITH_HANDLE = {0x0A, 0x0C, 0x12, 0x16, 0x1B, 0x1D, 0x52, 0xD2}
ACCESS_ADDRESS = 0x50657A31


def records(file):
    """The packets of a btsnoop file of H4 packets: flags, microseconds, octets."""
    data, place, found = file.read_bytes(), 16, []
    while place < len(data):
        _, size, flags, _, time = struct.unpack(">IIIIq", data[place:place + 24])
        found.append((flags, time, data[place + 24:place + 24 + size]))
        place += 24 + size
    return found


def btsnoop(packets):
    return b"btsnoop\0" + struct.pack(">II", 1, 1002) + b"".join(
        struct.pack(">IIIIq", len(data), len(data), flags, 0, time) + data for flags, time, data in packets)


def pcap(packets, link_type):
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type) + b"".join(
        struct.pack("<IIII", 1, number, len(data), len(data)) + data for number, data in enumerate(packets))


def packet_logger(packets):
    kinds = {(1, 0): 0, (4, 1): 1, (2, 0): 2, (2, 1): 3}
    return b"".join(
        struct.pack(">IIIB", len(data) + 8, 1, number, kinds[data[0], flags & 1]) + data[1:]
        for number, (flags, _, data) in enumerate(packets) if (data[0], flags & 1) in kinds)


def air(packets):
    """The packets of the first link, as a sniffer hears them, with its header that tells the direction."""
    request = b"\x45\x22" + bytes(range(12)) + struct.pack("<I", ACCESS_ADDRESS) + b"\x56\x34\x12"
    request += struct.pack("<BHHHH", 1, 0, 24, 0, 72) + b"\xff\xff\xff\xff\x1f\x05"
    heard, first, sequence = [heard_packet(0, 0x8E89BED6, request)], None, [0, 0]
    for flags, _, data in packets:
        if data[0] != 2 or len(data) < 9:
            continue
        handle = struct.unpack("<H", data[1:3])[0]
        first = handle & 0xFFF if first is None else first
        if handle & 0xFFF == first and len(data) <= 256:
            received = flags & 1
            header = (1 if handle >> 12 & 3 == 1 else 2) | sequence[received] << 3
            sequence[received] ^= 1
            heard.append(heard_packet(3 if received else 2, ACCESS_ADDRESS, bytes([header, len(data) - 5]) + data[5:]))
    return heard


def heard_packet(kind, address, pdu):
    # The check sum was valid, and is left out of the comparison.
    return struct.pack("<BbbBIHI", 0, -50, 0, 0, address, 0x0C13 | kind << 7, address) + pdu + b"\0\0\0"


def altered(packets, chance, count):
    """The packets, some with a random attribute PDU."""
    result = list(packets)
    places = [index for index, (_, _, data) in enumerate(packets)
              if data[0] == 2 and data[7:9] == b"\x04\0" and data[2] >> 4 != 1]
    for index in chance.sample(places, min(count, len(places))):
        flags, time, data = packets[index]
        body = bytes([chance.randrange(256)]) + chance.randbytes(chance.randrange(24))
        result[index] = (flags, time, data[:3] + struct.pack("<HHH", len(body) + 4, len(body), 4) + body)
    return result


def ours(harald, file):
    lines = subprocess.run([harald, "dissect", file, "--json"], capture_output=True, text=True, check=True).stdout
    return {item["number"]: (item["att"]["opcode"], item["att"]["handle"])
            for item in map(json.loads, lines.splitlines()) if item["att"]}


def theirs(file):
    lines = subprocess.run(
        ["tshark", "-r", file, "-Y", "btatt", "-T", "fields", "-E", "occurrence=f", "-e", "frame.number",
         "-e", "btatt.opcode", "-e", "btatt.handle"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in lines.splitlines():
        number, opcode, handle = (line + "\t\t").split("\t")[:3]
        if opcode:
            found[int(number)] = int(opcode, 0), int(handle, 0) if handle else None
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harald", default=".build/debug/harald")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutations", type=int, default=2000)
    options = parser.parse_args()
    if not shutil.which("tshark"):
        sys.exit("SKIPPED: there is no tshark: apt-get install tshark")
    chance, compared, different = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, command in enumerate(COMMANDS):
            written = folder / f"{number}.btsnoop"
            subprocess.run([options.harald, *command.split(), "--adapter", "virtual:", "--capture", written],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            packets = records(written)
            files = {
                "btsnoop": btsnoop(packets),
                "altered": btsnoop(altered(packets, chance, options.mutations)),
                "pcap": pcap([struct.pack(">I", flags & 1) + data for flags, _, data in packets], 201),
                "pklg": packet_logger(packets),
                "air": pcap(air(packets), 256),
            }
            for kind, content in files.items():
                file = folder / f"{number}.{kind}"
                file.write_bytes(content)
                left, right = ours(options.harald, file), theirs(file)
                for frame in sorted(left.keys() | right.keys()):
                    one, other = left.get(frame), right.get(frame)
                    # A PDU that is too short has an error in place of its handle.
                    same = one and other and one[0] == other[0] and (
                        one[0] not in WITH_HANDLE or None in (one[1], other[1]) or one[1] == other[1])
                    compared += 1
                    if not same:
                        different += 1
                        if different <= 20:
                            print(f"{command}, {kind}, packet {frame}: harald {one}, tshark {other}")
                print(f"{command}, {kind}: {len(left)} of {len(right)} ATT packets", flush=True)
    print(f"{compared} packets compared, {different} differences")
    sys.exit(1 if different or not compared else 0)


main()
