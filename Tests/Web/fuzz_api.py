#!/usr/bin/env python3
"""Schemathesis with all checks against a fresh `harald serve --adapter virtual:`, without the stream of events, and
against a fresh `harald hub` with a person, a device and a reading: fuzz_api.py [serve|hub] [OPTIONS OF SCHEMATHESIS]."""
import pathlib
import subprocess
import sys

from hub import Hub
from served import Server


def fuzz(base, token, directory, *options):
    program = pathlib.Path(sys.executable).with_name("schemathesis")
    return subprocess.run([
        program, "run", f"{base}/api/v1/openapi.json", "--checks", "all", "--header", f"Authorization: Bearer {token}",
        "--no-color", *options], check=False, cwd=directory).returncode


def explorer(options):
    server = Server("virtual:")
    try:
        return fuzz(server.base, server.token, server.directory, "--exclude-path", "/api/v1/events", *options)
    finally:
        server.stop()


def health_hub(options):
    # Not more than a token may send.
    hub = Hub("--rate", "0", "--monitor", "virtual:empty")
    try:
        hub.admin("person", "add", "Anna", "--born", "1961-04-30")
        hub.admin("assign", "CUFF", "1")
        hub.post([{"id": "1", "device": {"serial": "CUFF"}, "fields": {"systolic": 142, "diastolic": 88}}])
        # The document has no rules for texts such as names and dates, which are refused with a reason.
        return fuzz(hub.base, hub.secret(), hub.directory, "--exclude-checks", "positive_data_acceptance", *options)
    finally:
        hub.stop()


def main():
    servers = {"serve": explorer, "hub": health_hub}
    options = sys.argv[1:]
    chosen = [servers[options.pop(0)]] if options and options[0] in servers else servers.values()
    return max([one(options) for one in chosen])


if __name__ == "__main__":
    sys.exit(main())
