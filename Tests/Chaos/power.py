#!/usr/bin/env python3
"""Cuts the power of a hub at random instants: QEMU is killed, and all unwritten data of its kernel is lost.

In a machine with Debian's kernel a hub has its store on a disk, and a gateway posts readings to it. Outside the
machine, files list the created and the acknowledged readings. Afterwards every acknowledged reading is in the store,
once, and SQLite finds no damage. With `--without-fsync` the machine ignores fsync, and the check must fail.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINUX = ROOT / ".build/linux"
BINARY = os.environ.get("HARALD", str(ROOT / ".build/debug/harald"))
PRELOAD = "int fsync(int f) { (void)f; return 0; } int fdatasync(int f) { (void)f; return 0; }\n"


class NoMachine(Exception):
    """QEMU is installed, but its machine does not start."""


class Machine:
    """A boot of the machine, by the scripts of Tests/Linux."""

    def __init__(self, exchange, disk, mode, seconds):
        self.exchange = exchange
        for name in ("pid", "up", "status"):
            (exchange / name).unlink(missing_ok=True)
        python = LINUX / "python/bin/python"
        self.process = subprocess.Popen(
            [ROOT / "Tests/Linux/machine/run.sh", LINUX, exchange, str(seconds),
             f"{HERE}/power_guest.sh {BINARY} {python} {HERE} {mode}"],
            env={**os.environ, "DISK": str(disk)}, stdin=subprocess.DEVNULL,
            stdout=open(exchange / "run.log", "ab"), stderr=subprocess.STDOUT)

    def kill(self):
        os.kill(int((self.exchange / "pid").read_text()), signal.SIGKILL)
        self.process.wait(30)


def acknowledged(exchange):
    try:
        return (exchange / "acked").read_text().split("\n")[:-1]
    except FileNotFoundError:
        return []


def cycle(exchange, disk, dice):
    """A boot, some acknowledged readings, and a power cut."""
    machine = Machine(exchange, disk, "run", 600)
    wanted = len(acknowledged(exchange)) + dice.randrange(1, 60)
    end = time.monotonic() + 300
    while len(acknowledged(exchange)) < wanted:
        if machine.process.poll() == 125 and wanted < 60:
            raise NoMachine
        if machine.process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"the machine acknowledges nothing; see {exchange}")
        time.sleep(0.02)
    time.sleep(dice.uniform(0, 0.5))
    machine.kill()


def check(exchange, disk):
    assert Machine(exchange, disk, "check", 600).process.wait() == 0, f"the store cannot be checked; see {exchange}"
    integrity = (exchange / "integrity").read_text().strip()
    assert integrity == "ok", integrity
    stored = [json.loads(line) for line in (exchange / "all.jsonl").read_text().splitlines()]
    times = collections.Counter((one["device"]["serial"], one["hex"]) for one in stored)
    made = [json.loads(line) for line in (exchange / "made").read_text().splitlines()]
    keys = [(one["device"]["serial"], one["hex"]) for one in made]
    acked = {int(line) for line in acknowledged(exchange)}
    lost = [number for number in acked if keys[number] not in times]
    assert not lost, f"{len(lost)} of {len(acked)} acknowledged readings are lost"
    assert set(times.values()) <= {1}, "readings are doubled"
    assert times.keys() <= set(keys), "readings that nobody made"
    return len(acked)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--without-fsync", action="store_true", help="the machine ignores fsync: readings must be lost")
    options = parser.parse_args()
    def skip(reason):
        print(f"SKIPPED: no power was taken from a hub: {reason}", file=sys.stderr)
        return 1 if os.environ.get("HARALD_REQUIRE_PEERS") else 0

    if not (LINUX / "prepared").exists() or not (LINUX / "python/bin/python").exists():
        return skip("there is no machine of QEMU; make test-linux prepares it")
    if not shutil.which("mkfs.ext4"):
        return skip("there is no mkfs.ext4 (apt-get install e2fsprogs)")
    print(f"seed {options.seed}", flush=True)
    exchange = pathlib.Path(tempfile.mkdtemp(prefix="hub-power-"))
    content = exchange / "content"
    content.mkdir()
    store = str(content / "hub.sqlite")

    def admin(*arguments):
        run = subprocess.run([BINARY, "hub", *arguments, "--store", store, "--json"], capture_output=True, text=True,
                             timeout=120, check=True)
        return json.loads(run.stdout.splitlines()[0])

    (exchange / "token").write_text(admin("token", "add", "kitchen")["token"])
    admin("person", "add", "Anna", "--born", "1961-04-30")
    for device in range(4):
        admin("assign", f"CUFF-{device}", "1")
    if options.without_fsync:
        (exchange / "preload.c").write_text(PRELOAD)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", exchange / "preload.so", exchange / "preload.c"], check=True)
    disk = exchange / "disk"
    subprocess.run(["mkfs.ext4", "-q", "-d", content, disk, "256M"], check=True, capture_output=True)
    dice = random.Random(options.seed)
    for number in range(options.kills):
        try:
            cycle(exchange, disk, dice)
        except NoMachine:
            return skip(f"the machine does not come up; see {exchange}/console.log")
        if (number + 1) % 10 == 0:
            print(f"{number + 1} kills, {len(acknowledged(exchange))} readings acknowledged", flush=True)
    try:
        count = check(exchange, disk)
    except AssertionError as error:
        if options.without_fsync and "lost" in str(error):
            print(f"without fsync, as it must be: {error}")
            shutil.rmtree(exchange)
            return 0
        print(f"FAILED with the seed {options.seed}: {error}; the files are in {exchange}", file=sys.stderr)
        return 1
    if options.without_fsync:
        print("FAILED: nothing was lost without fsync, so this check finds nothing", file=sys.stderr)
        return 1
    shutil.rmtree(exchange)
    print(f"{options.kills} times without power: {count} acknowledged readings are in the store, once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
