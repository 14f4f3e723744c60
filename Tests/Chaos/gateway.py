"""A gateway: creates readings, stores each on disk, and posts it until a hub responds.

Usage: gateway.py URLS TOKEN MADE ACKED SEED

URLS are separated by commas; each post goes to one of them. MADE has one reading per line; ACKED has the number of each
acknowledged reading. If SEED is `-` it creates none and posts those of another gateway. Readings are occasionally sent
twice, as from a device's memory.
"""
import http.client
import json
import os
import random
import struct
import sys
import time
import urllib.parse

urls, token, made_path, acked_path, seed = sys.argv[1:]
makes = seed != "-"
hosts = [urllib.parse.urlsplit(url).netloc for url in urls.split(",")]


def lines(path):
    """The complete lines, without one truncated by a kill."""
    try:
        with open(path, "rb") as file:
            return [line for line in file.read().split(b"\n")[:-1] if line]
    except FileNotFoundError:
        return []


def appender(path):
    """A file to append to, whose last line is complete."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    content = os.pread(file, 1 << 30, 0)
    os.ftruncate(file, content.rfind(b"\n") + 1)
    os.lseek(file, 0, os.SEEK_END)
    return file


def reading(number):
    """The reading of that number, the same in every run of the seed."""
    dice = random.Random(f"{seed}/{number}")
    device = dice.randrange(6)
    stamp = struct.pack("<HBBBBB", 2026, 1 + number // 70000 % 12, 1 + number // 3600 % 28, number // 60 % 24,
                        number % 60, dice.randrange(60))
    if device < 4:
        systolic, diastolic = dice.randrange(95, 190), dice.randrange(55, 94)
        octets = struct.pack("<BHHH", 0x06, systolic, diastolic, (systolic + 2 * diastolic) // 3) + stamp
        octets += struct.pack("<H", dice.randrange(50, 110))
        kind, name = "2A35", f"CUFF-{device}"
    else:
        octets, kind, name = struct.pack("<BH", 0x02, dice.randrange(9000, 22000)) + stamp, "2A9D", f"SCALE-{device}"
    return {"id": f"{seed}-{number}", "device": {"serial": name}, "characteristic": kind, "hex": octets.hex().upper(),
            "clockOffset": 0}


def post(batch):
    connection = http.client.HTTPConnection(dice.choice(hosts), timeout=20)
    body = json.dumps({"readings": batch})
    connection.request("POST", "/api/v1/readings", body, {
        "Content-Type": "application/json", "Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    content = response.read()
    return json.loads(content)["results"] if response.status == 200 else None


acked_file = appender(acked_path)
acked = {int(line) for line in lines(acked_path)}
made = [json.loads(line) for line in lines(made_path)]
made_file = appender(made_path) if makes else None
dice = random.Random(os.getpid())
while True:
    if makes:
        for _ in range(dice.randrange(1, 6)):
            made.append(reading(len(made)))
            os.write(made_file, json.dumps(made[-1]).encode() + b"\n")
        os.fsync(made_file)
    else:
        made = [json.loads(line) for line in lines(made_path)]
    waiting = [number for number in range(len(made)) if number not in acked][:50]
    if dice.random() < 0.1 and acked:
        waiting += dice.sample(sorted(acked), min(5, len(acked)))
    if waiting:
        try:
            results = post([made[number] for number in waiting])
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            results = None
        for result in results or []:
            assert result["status"] in ("stored", "known"), result
            number = waiting[result["index"]]
            acked.add(number)
            os.write(acked_file, b"%d\n" % number)
        os.fsync(acked_file)
    time.sleep(0.05 if waiting else 0.2)
