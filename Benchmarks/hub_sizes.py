#!/usr/bin/env python3
"""Measures one and two `harald hub` on one PostgreSQL, and simulated gateways, for Documentation/HubSizes.md.

    hub_sizes.py                                the optimised build, .build/release/harald; about five minutes
    hub_sizes.py --only rates                   parts: rates, gateways, copy
    hub_sizes.py --binary FILE --json FILE      another build; the values are also written to a file

rates: readings per second of one hub and of two hubs, which the same number of clients share, in turn; batches of 100
and single readings; the ratio of two hubs to one is at least 0.9. The processor time of the hubs and of the server.
gateways: `hub simulate`, every gateway posts once in 300 s on average; the times of the responses. Each device belongs
to a person.
copy: `hub copy` of a file into the database, killed twice; then the states of its people.
The server has its default configuration (synchronous commits) and shares the processor with the hubs and the clients.
Exit status: 0 all limits hold, 1 one does not, 2 an error.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from hub import ROOT, Hub, percentile

TICKS = os.sysconf("SC_CLK_TCK")
# The readings of a simulated gateway are at least so many seconds apart on average.
INTERVAL = 300


def processor_time(roots):
    """The processor time of processes and their children, in seconds."""
    parents, times = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        # Including children that have ended.
        times[int(path.parent.name)] = sum(int(field) for field in fields[11:15]) / TICKS

    def belongs(process):
        while process in parents:
            if process in roots:
                return True
            process = parents[process]
        return False
    return sum(time for process, time in times.items() if belongs(process))


class Server:
    """A PostgreSQL server with its default durability."""

    def __init__(self):
        self.process = subprocess.Popen([ROOT / "Tests/Peers/postgres.sh"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the PostgreSQL server does not start")
        self.directory, self.count = json.loads(line)["directory"], 0

    def database(self):
        self.count += 1
        self.query(f"CREATE DATABASE hub{self.count} TEMPLATE template0", "postgres")
        return f"postgres://harald@/hub{self.count}?host={self.directory}"

    def query(self, sql, name=None):
        run = subprocess.run(["psql", "-qAtX", "-h", self.directory, "-U", "harald", "-d", name or f"hub{self.count}",
                              "-c", sql], check=True, capture_output=True, text=True)
        return run.stdout.strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


class Sizes:
    def __init__(self, options, directory):
        self.binary, self.options, self.directory = options.binary, options, directory
        self.values, self.holds = {}, True
        self.server, self.hubs, self.next_number = Server(), [], 0
        self.driver = os.path.join(directory, "hub_clients")
        subprocess.run(["cc", "-O2", "-o", self.driver, str(ROOT / "Benchmarks/hub_clients.c")], check=True)

    def note(self, name, value, unit, least=None):
        self.values[name] = value
        verdict = "" if least is None else f" (at least {least}: {'ok' if value >= least else 'UNDER'})"
        self.holds = self.holds and (least is None or value >= least)
        print(f"{name}: {value:.4g} {unit}{verdict}", flush=True)

    def start(self, count):
        """Runs hubs on a new database; for 0, one hub on a file."""
        store = self.server.database() if count else None
        for number in range(max(1, count)):
            directory = tempfile.mkdtemp(dir=self.directory)
            self.hubs.append(Hub(self.binary, directory, store, f"bench {number}"))

    def stop_hubs(self):
        for hub in self.hubs:
            hub.stop()
        self.hubs = []

    def post(self, hubs, clients, posts, batch):
        """Posts from clients that hubs share; returns readings per second, and the processor time per reading in
        microseconds of the hubs and of the server."""
        before = processor_time({hub.process.pid for hub in self.hubs}), processor_time({self.server.process.pid})
        runs, begin = [], time.perf_counter()
        for number, hub in enumerate(hubs):
            count = clients // len(hubs)
            runs.append(subprocess.Popen(
                [self.driver, str(hub.port), hub.token, str(count), str(posts), str(batch), str(self.next_number),
                 f"BENCH-{number}"], stdout=subprocess.PIPE, text=True))
            self.next_number += count * posts * batch
        outputs = [run.communicate()[0] for run in runs]
        seconds = time.perf_counter() - begin
        if any(run.returncode for run in runs):
            raise RuntimeError("a client failed")
        after = processor_time({hub.process.pid for hub in self.hubs}), processor_time({self.server.process.pid})
        readings = clients * posts * batch
        times = [one for output in outputs for one in json.loads(output)["ms"]]
        return readings / seconds, [(b - a) / readings * 1e6 for a, b in zip(before, after)], times

    def rates(self):
        self.start(2)
        for batch, clients, posts in ((100, 16, 25), (1, 128, 50)):
            self.post(self.hubs, clients, 2, batch)
            ones, twos, costs, times = [], [], [], []
            # In turn, because the speed of a shared processor changes from one second to the next.
            for _ in range(self.options.rounds):
                rate, cost, slow = self.post(self.hubs[:1], clients, posts, batch)
                ones.append(rate)
                costs.append(cost)
                times += slow
                twos.append(self.post(self.hubs, clients, posts, batch)[0])
            kind = f"batches of {batch}" if batch > 1 else "single readings"
            self.note(f"one hub, {clients} clients, {kind}", statistics.median(ones), "readings/s")
            self.note(f"two hubs, {clients} clients, {kind}", statistics.median(twos), "readings/s")
            ratio = statistics.median(two / one for one, two in zip(ones, twos))
            self.note(f"two hubs to one, {kind}", ratio, "", 0.9)
            self.note(f"processor time of the hub, {kind}", statistics.median(one[0] for one in costs), "us a reading")
            self.note(f"processor time of the server, {kind}", statistics.median(one[1] for one in costs),
                      "us a reading")
            self.note(f"99th percentile of one hub, {kind}", percentile(times, 0.99), "ms")
        self.note("memory of a hub", max(hub.memory() for hub in self.hubs), "MB")
        self.stop_hubs()

    def size(self):
        """The octets of the database without those of an empty one."""
        self.server.query("VACUUM ANALYZE")
        return int(self.server.query("SELECT pg_database_size(current_database()) - pg_database_size('template0')"))

    def assign(self, count):
        """Assigns the device of each simulated gateway to a person, whose state each response then has."""
        self.hubs[0].admin("person", "add", "Anna", "--born", "1961-04-30")
        numbers = f"WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) "
        statements = [
            f"{numbers} INSERT INTO person(name, born, guideline, setting, created) "
            "SELECT name, born, guideline, setting, created FROM person, n WHERE n > 1",
            f"{numbers} INSERT INTO device(serial) SELECT 'SIM-' || (n - 1) FROM n",
            "INSERT INTO assignment(device_id, user_index, person_id) SELECT id, -1, id FROM device",
        ]
        store = self.hubs[0].store
        if "://" not in store:
            with sqlite3.connect(store) as connection:
                for statement in statements:
                    connection.execute(statement)
            return connection.close()
        self.server.query("; ".join(statements))
        return self.server.query("VACUUM ANALYZE")

    def gateways(self):
        cases = ((500, 0), (10_000, 0), (10_000, 1), (10_000, 2), (100_000, 1), (100_000, 2))
        for count, hubs in cases:
            if self.options.gateways not in (None, count):
                continue
            self.start(hubs)
            self.assign(count)
            token = os.path.join(self.directory, "token")
            pathlib.Path(token).write_text(self.hubs[0].token)
            urls = [argument for hub in self.hubs for argument in ("--url", f"http://127.0.0.1:{hub.port}")]
            before = processor_time({hub.process.pid for hub in self.hubs} | {self.server.process.pid})
            run = subprocess.run([self.binary, "hub", "simulate", "--gateways", str(count), "--interval", str(INTERVAL),
                                  "--seconds", str(self.options.seconds), "--token-file", token, "--json", *urls],
                                 capture_output=True, text=True)
            if run.returncode:
                raise RuntimeError(run.stderr)
            report = json.loads(run.stdout)
            used = processor_time({hub.process.pid for hub in self.hubs} | {self.server.process.pid}) - before
            place = ("one hub on a file", "one hub", "two hubs")[hubs]
            name = f"{count} gateways, {place}"
            self.note(f"{name}, posts", report["posts"] / report["seconds"], "posts/s")
            for key in ("median", "p95", "p99", "longest"):
                self.note(f"{name}, {key}", report[key], "ms")
            self.note(f"{name}, retries", report["retries"], "")
            if report.get("problem"):
                print(f"the latest reason of a retry: {report['problem']}")
            self.note(f"{name}, processor time of hubs and server", used / report["seconds"], "cores")
            self.stop_hubs()

    def copy(self):
        source = os.path.join(self.directory, "source.sqlite")
        library = os.path.join(os.path.dirname(self.binary), "HubBench")
        if self.options.source:
            source = self.options.source
        else:
            subprocess.run([library, source, str(self.options.readings), "1000", "1000"], check=True,
                           stdout=subprocess.DEVNULL)
        target = self.server.database()
        command = [self.binary, "hub", "copy", "--from", source, "--to", target, "--json"]
        for pause in (3, 6):
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(pause)
            run.kill()
            run.wait()
        print(f"killed twice; {self.server.query('SELECT count(*) FROM reading')} readings are in the database")
        for state in ("the rest", "a comparison only"):
            begin = time.perf_counter()
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            output = run.stdout.read()
            _, status, usage = os.wait4(run.pid, 0)
            if status:
                raise RuntimeError("the copy failed")
            self.note(f"copy, {state}", time.perf_counter() - begin, "s")
            self.note(f"copy, {state}, memory", usage.ru_maxrss / 1000, "MB")
        sides = json.loads(output)
        equal = sides["from"] == sides["to"] and sides["readings"] == int(
            self.server.query("SELECT count(*) FROM reading"))
        self.note("copied readings, equal on both sides", sides["readings"] if equal else 0, "", 1)
        self.hubs.append(Hub(self.binary, tempfile.mkdtemp(dir=self.directory), target))
        self.note("octets a reading in the database", self.size() / sides["readings"], "")
        hub, states = self.hubs[0], []
        connection = hub.connection()
        before = processor_time({hub.process.pid, self.server.process.pid})
        for _ in range(200):
            begin = time.perf_counter()
            hub.request(connection, "GET", f"/api/v1/people/{random.randrange(sides['people']) + 1}/state")
            states.append((time.perf_counter() - begin) * 1000)
        used = processor_time({hub.process.pid, self.server.process.pid}) - before
        self.note("state of one person of many, 95th percentile", percentile(states, 0.95), "ms")
        self.note("state of one person of many, processor time", used / len(states) * 1000, "ms")
        self.stop_hubs()

    def stop(self):
        for hub in self.hubs:
            hub.process.kill()
        self.server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/harald"))
    parser.add_argument("--only", nargs="+", choices=["rates", "gateways", "copy"], default=["rates", "gateways"],
                        help="parts (default: rates gateways)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of one hub and of two hubs, in turn")
    parser.add_argument("--gateways", type=int, choices=[500, 10_000, 100_000], help="only simulations of so many")
    parser.add_argument("--seconds", type=int, default=60, help="duration of a simulation of gateways")
    parser.add_argument("--readings", type=int, default=1_000_000, help="readings in the file that is copied")
    parser.add_argument("--source", help="a file to copy, in place of a new one")
    parser.add_argument("--json", help="a file for the values")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="hub-sizes-")
    sizes = None
    try:
        sizes = Sizes(options, directory)
        for part in options.only:
            getattr(sizes, part)()
    except (OSError, RuntimeError, subprocess.CalledProcessError, ValueError) as error:
        print(f"hub_sizes.py: {error}", file=sys.stderr)
        return 2
    finally:
        if sizes:
            sizes.stop()
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(sizes.values, indent=1) + "\n")
        shutil.rmtree(directory, ignore_errors=True)
    return 0 if sizes.holds else 1


if __name__ == "__main__":
    sys.exit(main())
