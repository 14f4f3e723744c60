#!/usr/bin/env python3
"""Measures `harald hub` against a C program that inserts the same rows with equal durability by a prepared statement.

    hub.py                       the optimised build, .build/release/harald
    hub.py --binary FILE         another one
    hub.py --readings 10000000   states of people in a store of that size

Rows: the library in batches of 100 (at least 0.5 of the floor), HTTP with eight clients and batches of 100 (at least
0.25 of the floor), single posts of 200 clients (the 99th percentile below ten median commits of the floor and 20 ms),
memory (below 100 MB), octets per reading (below 200), and `/state` of a person with 10,000 readings (the 95th
percentile below 150 ms). Both write to the same file system, in turn; ratios and the percentile of single posts are
medians of the rounds. Exit status: 0 all limits hold, 1 one does not, 2 an error.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Hub:
    """A running hub, with a token of its own. Its keys are in the directory, also those of a hub with a database."""

    def __init__(self, binary, directory, store=None, name="bench"):
        self.binary, self.store = binary, store or os.path.join(directory, "hub.sqlite")
        self.process = subprocess.Popen([binary, "hub", "--listen", "127.0.0.1:0", "--store", self.store, "--json"],
                                        stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "XDG_DATA_HOME": directory})
        self.port = urllib.parse.urlsplit(json.loads(self.process.stdout.readline())["url"]).port
        self.token = self.admin("token", "add", name, "--role", "administrator")["token"]

    def admin(self, *arguments):
        run = subprocess.run([self.binary, "hub", *arguments, "--store", self.store, "--json"], capture_output=True,
                             text=True, check=True)
        return json.loads(run.stdout.splitlines()[0])

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def request(self, connection, method, path, body=None):
        connection.request(method, path, body, {"Content-Type": "application/json",
                                                "Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{response.status} {content[:200]}")
        return content

    def memory(self):
        """Maximum resident size, in MB."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1000

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def floor(program, hub_binary, directory, count, batch):
    os.makedirs(directory)
    hub = Hub(hub_binary, directory)
    hub.stop()
    run = subprocess.run([program, hub.store, str(count), str(batch)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/harald"))
    parser.add_argument("--readings", type=int, help="only fill a store with so many, and measure states and size")
    parser.add_argument("--people", type=int, default=1000, help="people to whom these belong")
    parser.add_argument("--library", default=str(ROOT / ".build/release/HubBench"))
    parser.add_argument("--batches", type=int, default=400, help="batches of 100")
    parser.add_argument("--rounds", type=int, default=7, help="runs of the floor and of the library, in turn")
    parser.add_argument("--directory", help="where the stores are made (default: the temporary directory)")
    options = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="hub-bench-", dir=options.directory)
    rows = []

    def note(name, value, limit, unit, holds):
        rows.append(holds)
        print(f"{'ok  ' if holds else 'OVER'} {name}: {value:.4g} {unit} (limit {limit:.4g})", flush=True)

    def large():
        """The states of people in a large store."""
        store = os.path.join(directory, "large/hub.sqlite")
        os.makedirs(os.path.dirname(store))
        run = subprocess.run([options.library, store, str(options.readings), "1000", str(options.people)],
                             capture_output=True, text=True, check=True)
        rate = json.loads(run.stdout)["rows_per_second"]
        print(f"{options.readings} readings of {options.people} people: {rate} rows/s", flush=True)
        hub = Hub(options.binary, os.path.dirname(store))
        connection, states = hub.connection(), []
        for _ in range(500):
            person = random.randrange(options.people) + 1
            begin = time.perf_counter()
            hub.request(connection, "GET", f"/api/v1/people/{person}/state")
            states.append((time.perf_counter() - begin) * 1000)
        note("state of one person of many, 95th percentile", percentile(states, 0.95), 150, "ms",
             percentile(states, 0.95) < 150)
        note("memory of the hub", hub.memory(), 100, "MB", hub.memory() < 100)
        hub.stop()
        size = os.path.getsize(store) / options.readings
        note("octets a reading", size, 200, "octets", size < 200)

    try:
        if options.readings:
            large()
            return 0 if all(rows) else 1
        program = os.path.join(directory, "hub_floor")
        subprocess.run(["cc", "-O2", "-o", program, str(ROOT / "Benchmarks/hub_floor.c"), "-lsqlite3"], check=True)
        driver = os.path.join(directory, "hub_clients")
        subprocess.run(["cc", "-O2", "-o", driver, str(ROOT / "Benchmarks/hub_clients.c")], check=True)
        count = options.batches // 8 * 800
        floors, libraries = [], []
        # In turn, because the speed of a disk and of a shared processor changes from one second to the next.
        for turn in range(options.rounds):
            floors.append(floor(program, options.binary, f"{directory}/floor{turn}", count, 100)["rows_per_second"])
            os.makedirs(f"{directory}/library{turn}")
            run = subprocess.run([options.library, f"{directory}/library{turn}/hub.sqlite", str(count), "100", "1"],
                                 capture_output=True, text=True, check=True)
            libraries.append(json.loads(run.stdout)["rows_per_second"])
        rows_per_second = statistics.median(floors)
        print(f"floor: {rows_per_second:.0f} rows/s in batches of 100 ({min(floors):.0f} to {max(floors):.0f})",
              flush=True)
        ratios = sorted(library / base for library, base in zip(libraries, floors))
        ratio = statistics.median(ratios)
        note("the library, batches of 100, of the floor", ratio, 0.5,
             f"(median of {len(ratios)}: {ratios[0]:.3f} to {ratios[-1]:.3f}; "
             f"{statistics.median(libraries):.0f} rows/s)",
             ratio >= 0.5)
        os.makedirs(directory + "/hub")
        hub = Hub(options.binary, directory + "/hub")
        hub.admin("person", "add", "Anna", "--born", "1961-04-30")
        hub.admin("assign", "BENCH", "1")
        before = os.path.getsize(hub.store)

        def clients(number, posts, batch, first, token=hub.token):
            run = subprocess.run([driver, str(hub.port), token, str(number), str(posts), str(batch), str(first)],
                                 capture_output=True, text=True, check=True)
            return json.loads(run.stdout)

        rate = count / clients(8, options.batches // 8, 100, 0)["seconds"]
        note("HTTP, 8 clients, batches of 100, of the floor", rate / rows_per_second, 0.25, f"({rate:.0f} rows/s)",
             rate / rows_per_second >= 0.25)
        posted, single, limits = count, [], []
        for turn in range(options.rounds):
            commits = floor(program, options.binary, f"{directory}/single{turn}", 300, 1)["commit_ms"]
            limits.append(10 * statistics.median(commits) + 20)
            # A token of its own, because posts of one token have a limit.
            token = hub.admin("token", "add", f"clients{turn}", "--role", "gateway")["token"]
            clients(200, 1, 1, posted, token)
            single.append(percentile(clients(200, 10, 1, posted + 200, token)["ms"], 0.99))
            posted += 2200
        note("single posts of 200 clients, 99th percentile", statistics.median(single), statistics.median(limits),
             f"ms (median of {len(single)}: {min(single):.1f} to {max(single):.1f})",
             statistics.median(single) < statistics.median(limits))
        connection, states = hub.connection(), []
        for _ in range(40):
            begin = time.perf_counter()
            hub.request(connection, "GET", "/api/v1/people/1/state")
            states.append((time.perf_counter() - begin) * 1000)
        note(f"state of a person with {count} readings, 95th percentile", percentile(states, 0.95), 150, "ms",
             percentile(states, 0.95) < 150)
        note("memory of the hub", hub.memory(), 100, "MB", hub.memory() < 100)
        hub.stop()
        size = (os.path.getsize(hub.store) - before) / posted
        note("octets a reading", size, 200, "octets", size < 200)
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"hub.py: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
