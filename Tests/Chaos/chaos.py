#!/usr/bin/env python3
"""Kills a hub and its environment at random instants, and checks the stored readings afterwards.

A hub, two gateways that post the same readings, `harald monitor --send` in a simulated clinic, a webhook receiver, a
FHIR receiver and a mosquitto run; each of them is killed (SIGKILL) and restarted in turn. Afterwards

- every reading that was stored by a gateway, acknowledged by the hub or printed by the monitor is in the hub, once;
- every receiver has every reading of a person, the FHIR server under one identifier each;
- no message is queued or parked, and SQLite finds no damage.

With --postgres two hubs share a PostgreSQL database, and the gateways post to either; the hubs and the database server
are killed.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

from broker import Broker

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("HARALD", str(HERE.parents[1] / ".build/debug/harald"))
# Codes of MDC for a clock's absolute, relative and high resolution time.
CLOCK = {"67975", "67976", "67977"}
CLINIC = ["BP0001", "HS0001", "4C1A2B0017", "PO0001", "GM0001", "CG0001", "eBlood-Pressure", "eBody-Scale"]


def free_port():
    """A free port below those of outgoing connections: no client takes it while its server is down."""
    first, _ = map(int, pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    for port in random.sample(range(10000, max(first, 10200)), 100):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise AssertionError("100 ports were tried, none is free")


def wait(condition, what, seconds):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.1)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return True
    except OSError:
        return False


def json_lines(path):
    """The complete JSON lines of a file."""
    if not path.exists():
        return []
    found = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass  # truncated by a kill
    return found


class Chaos:
    def __init__(self, seed, directory, postgres=False):
        self.seed, self.dir = seed, pathlib.Path(directory)
        self.store = str(self.dir / "hub.sqlite")
        self.database = None
        self.hubs = ["hub", "hub2"] if postgres else ["hub"]
        self.ports = {name: free_port() for name in (*self.hubs, "webhook", "fhir", "broker", "gate")}
        self.processes = {}
        # The number of starts of the monitor in each second.
        self.starts = collections.Counter()
        self.logs = open(self.dir / "log", "ab")
        if postgres:
            self.database = subprocess.Popen(
                [HERE.parent / "Peers/postgres.sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.logs,
                text=True)
            self.socket = self.ready()
            self.query("CREATE DATABASE hub", "postgres")
            self.store = f"postgres://harald@/hub?host={self.socket}"

    def ready(self):
        """Waits until the database server accepts connections; returns the directory of its socket."""
        line = self.database.stdout.readline()
        assert line, f"the database server has ended; see {self.dir}/log"
        return json.loads(line)["directory"]

    def query(self, sql, name="hub"):
        """The rows of a query on the store."""
        if not self.database:
            return [[str(value) for value in row] for row in sqlite3.connect(self.store).execute(sql)]
        run = subprocess.run(["psql", "-qAtX", "-h", self.socket, "-U", "harald", "-d", name, "-c", sql], check=True,
                             capture_output=True, text=True, timeout=60)
        return [line.split("|") for line in run.stdout.splitlines()]

    def spawn(self, name, arguments, output=None):
        self.processes[name] = subprocess.Popen(
            [str(one) for one in arguments], stdin=subprocess.DEVNULL, stdout=output or self.logs, stderr=self.logs)

    def start(self, name):
        if name == "database":
            self.ready()
        elif name in self.hubs:
            address = f"127.0.0.1:{self.ports[name]}"
            self.spawn(name, [BINARY, "hub", "--listen", address, "--store", self.store, "--json"])
        elif name == "monitor":
            self.starts[time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())] += 1
            with open(self.dir / "monitor.jsonl", "ab") as output:
                output.write(b"\n")
                output.flush()
                self.spawn(name, [
                    BINARY, "monitor", "--adapter", "virtual:clinic", "--yes", "--json", "--send", self.url,
                    "--token-file", self.dir / "token", "--queue", self.dir / "queue"], output)
        elif name == "broker":
            self.broker.start()
        elif name in ("webhook", "fhir"):
            self.spawn(name, [
                sys.executable, HERE / "receiver.py", self.ports[name], self.dir / f"{name}.jsonl", self.seed])
        else:
            made = self.dir / "made"
            self.spawn(name, [
                sys.executable, HERE / "gateway.py", self.urls, self.token, made, self.dir / f"{name}.acked",
                self.seed if name == "kitchen" else "-"])

    def kill(self, name):
        if name == "database":
            self.database.stdin.write("kill\n")
            return self.database.stdin.flush()
        if name == "broker":
            return self.broker.kill()
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def admin(self, *arguments):
        """The output of an administration command."""
        run = subprocess.run(
            [BINARY, "hub", *arguments, "--store", self.store, "--json"], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, (arguments, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.ports['hub']}"

    @property
    def urls(self):
        return ",".join(f"http://127.0.0.1:{self.ports[name]}" for name in self.hubs)

    def begin(self):
        self.token = self.admin("token", "add", "kitchen")[0]["token"]
        (self.dir / "token").write_text(self.admin("token", "add", "clinic")[0]["token"])
        for name in ("Anna", "Ben"):
            self.admin("person", "add", name, "--born", "1961-04-30")
        # SCALE-5 is not assigned.
        for number, device in enumerate(["CUFF-0", "CUFF-1", "CUFF-2", "CUFF-3", "SCALE-4", *CLINIC]):
            self.admin("assign", device, str(1 + number % 2))
        self.broker = Broker(self.dir, self.ports["broker"], self.ports["gate"])
        self.admin("forward", "add", "webhook", f"http://127.0.0.1:{self.ports['webhook']}/", "--name", "webhook")
        self.admin("forward", "add", "fhir", f"http://127.0.0.1:{self.ports['fhir']}/", "--name", "fhir")
        self.admin("forward", "add", "mqtt", f"mqtt://127.0.0.1:{self.ports['gate']}", "--name", "mqtt")
        for name in (*self.hubs, "webhook", "fhir", "kitchen", "hall", "monitor"):
            self.start(name)

    def rage(self, count):
        """Kills at `count` instants."""
        dice = random.Random(self.seed)
        names = ["hub"] * 6 if not self.database else ["hub"] * 3 + ["hub2"] * 3 + ["database"] * 3
        names += ["kitchen", "hall", "monitor", "broker", "webhook", "fhir"]
        for number in range(count):
            name, pause, rest = dice.choice(names), dice.uniform(0, 1.2), dice.uniform(0, 0.4)
            time.sleep(pause)
            for other, process in self.processes.items():
                assert process.poll() is None, f"{other} ended by itself with {process.returncode}; see {self.dir}/log"
            self.kill(name)
            time.sleep(rest)
            self.start(name)
            if (number + 1) % 20 == 0:
                print(f"{number + 1} kills", flush=True)

    def settle(self):
        """Waits until everything has been delivered."""
        self.kill("kitchen")
        # The gateway creates no further readings: it posts the existing ones under the name of its token.
        made = [line for line in (self.dir / "made").read_bytes().split(b"\n")[:-1]]
        self.spawn("rest", [sys.executable, HERE / "gateway.py", self.urls, self.token, self.dir / "made",
                            self.dir / "kitchen.acked", "-"])
        for name in ("kitchen", "hall"):
            path = self.dir / f"{name}.acked"
            wait(lambda: len(set(path.read_text().split("\n")[:-1])) >= len(made), f"the readings of {name}", 120)
        # The monitor sends to one hub, which may have been killed last, and has little time at its end.
        for name in self.hubs:
            wait(lambda: listens(self.ports[name]), f"{name} to listen", 60)
        self.processes["monitor"].terminate()
        self.processes["monitor"].wait(30)
        least, progress = None, time.monotonic()
        while True:
            # Pauses after failures are shortened.
            self.admin("forward", "retry")
            boxes = self.admin("forward", "list")
            left = sum(one["pending"] + one["parked"] for one in boxes)
            if left == 0:
                break
            if least is None or left < least:
                least, progress = left, time.monotonic()
            # The lanes of a hub that was killed are free after a minute.
            assert time.monotonic() - progress < 150, f"nothing is delivered any more: {boxes}"
            time.sleep(2)

    def check(self):
        self.admin("export", str(self.dir / "all.jsonl"), "--format", "jsonl")
        stored = json_lines(self.dir / "all.jsonl")
        key = lambda one: (one["device"].get("serial") or one["device"].get("systemID") or one["device"].get("address")
                           or one["device"].get("id"), one.get("hex") or json.dumps(one.get("fields"), sort_keys=True),
                           one.get("deviceTime") or one.get("time"))
        made = json_lines(self.dir / "made")
        of_gateways = [one for one in stored if one["device"].get("serial", "").startswith(("CUFF-", "SCALE-"))]
        times = collections.Counter((one["device"]["serial"], one["hex"]) for one in of_gateways)
        wanted = {(one["device"]["serial"], one["hex"]) for one in made}
        assert len(wanted) == len(made)
        assert not wanted - times.keys(), f"lost: {len(wanted - times.keys())}"
        assert not times.keys() - wanted, "readings that nobody made"
        assert set(times.values()) <= {1}, "doubled in the hub"
        # The monitor stores readings before it prints them.
        lines = json_lines(self.dir / "monitor.jsonl")
        printed = [one for one in lines if "measurement" in one]
        answers = [one["answer"] for one in lines if "answer" in one]
        assert not [one for one in answers if one["status"] == "refused"], "refused"
        left = sqlite3.connect(self.dir / "queue/queue.sqlite").execute("SELECT count(*) FROM entry").fetchone()[0]
        assert left == 0, f"{left} readings are still queued"
        known = {(one.get("hex"), one.get("deviceTime")) for one in stored}
        fields = {json.dumps(one.get("fields"), sort_keys=True) for one in stored}
        lost = [one for one in printed if (one.get("hex"), one.get("deviceTime")) not in known
                and not (one.get("hex") and any(one["hex"] == other for other, _ in known))
                and json.dumps(one.get("fields"), sort_keys=True) not in fields]
        assert not lost, f"the monitor's are lost: {len(lost)} {lost[:2]}"
        # Readings without a device time are identified by the second of their reception. On a busy machine a second can
        # have several equal ones, which the monitor prints individually. A monitor starts its own simulated clinic,
        # which sends the same first values: in the second of a restart, these are further readings.
        measured = collections.Counter(map(key, printed))
        doubled = [one for one, count in collections.Counter(map(key, stored)).items()
                   if one[2] and count > max(1, measured[one]) + self.starts[one[2]]]
        assert not doubled, f"doubled: {doubled[:3]}"
        # The receivers.
        owned = {row[0] for row in self.query("SELECT id FROM reading WHERE person_id IS NOT NULL")}
        # FHIR has no code for values without a quantity, such as the context of a glucose value.
        coded = int(self.query("SELECT count(*) FROM reading WHERE person_id IS NOT NULL AND kind <> 9")[0][0])
        assert self.database or self.query("PRAGMA integrity_check") == [["ok"]]
        webhooks = json_lines(self.dir / "webhook.jsonl")
        assert owned == {one["body"]["data"]["id"] for one in webhooks}, "webhook"
        messages = collections.defaultdict(set)
        for one in webhooks:
            messages[one["body"]["data"]["id"]].add(one["id"])
        assert all(len(ids) == 1 for ids in messages.values()), "a message changed its identifier"
        published = set()
        for topic, text in self.broker.heard:
            if "/person-" in topic and text.startswith("{"):
                published.add(json.loads(text).get("reading"))
        (self.dir / "heard").write_text("".join(f"{topic} {text}\n" for topic, text in self.broker.heard))
        assert owned <= published, f"mqtt: {len(owned - published)} of {len(owned)}"
        transactions = set()
        for one in json_lines(self.dir / "fhir.jsonl"):
            # Readings with the same offset share the observation of the clock.
            requests = [entry["request"] for entry in one["body"]["entry"]
                        if entry["resource"]["resourceType"] == "Observation"
                        and not CLOCK & {coding["code"] for coding in entry["resource"]["code"]["coding"]}]
            assert all(request.get("ifNoneExist") for request in requests), "no conditional create"
            assert requests, "a transaction without an observation"
            transactions.add(frozenset(request["ifNoneExist"] for request in requests))
        assert len(transactions) == coded, f"fhir: {len(transactions)} readings of {coded}"
        identifiers = [name for names in transactions for name in names]
        assert len(identifiers) == len(set(identifiers)), "a server would have merged observations"
        return len(stored), len(owned), len(webhooks), len(identifiers), len(printed)

    def end(self):
        for name in list(self.processes):
            self.kill(name)
        if hasattr(self, "broker"):
            self.broker.stop()
        if self.database:
            self.database.stdin.close()
            self.database.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--postgres", action="store_true", help="two hubs on a PostgreSQL database")
    options = parser.parse_args()
    if not shutil.which("mosquitto"):
        print("SKIPPED: make chaos needs mosquitto (apt-get install mosquitto libmosquitto1)", file=sys.stderr)
        return 1 if os.environ.get("HARALD_REQUIRE_PEERS") else 0
    if options.postgres and not shutil.which("psql"):
        print("SKIPPED: make chaos ARGS=--postgres needs PostgreSQL (apt-get install postgresql)", file=sys.stderr)
        return 1 if os.environ.get("HARALD_REQUIRE_PEERS") else 0
    print(f"seed {options.seed}: replay with --seed {options.seed} --kills {options.kills}", flush=True)
    directory = tempfile.mkdtemp(prefix="hub-chaos-")
    chaos = Chaos(options.seed, directory, options.postgres)
    try:
        chaos.begin()
        chaos.rage(options.kills)
        chaos.settle()
        stored, owned, webhooks, observations, printed = chaos.check()
    except BaseException as error:
        print(f"FAILED with the seed {options.seed}: {error}; the files are in {directory}", file=sys.stderr)
        raise
    finally:
        chaos.end()
    shutil.rmtree(directory)
    print(f"{options.kills} kills: {stored} readings stored once, {owned} of people at each receiver "
          f"({webhooks} webhooks, {observations} observations), {printed} printed by the monitor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
