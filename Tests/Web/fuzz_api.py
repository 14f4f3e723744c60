#!/usr/bin/env python3
"""Schemathesis with all checks against a fresh `harald serve --adapter virtual:`, without the stream of events."""
import pathlib
import subprocess
import sys

from served import Server


def main():
    server = Server("virtual:")
    program = pathlib.Path(sys.executable).with_name("schemathesis")
    try:
        return subprocess.run([
            program, "run", f"{server.base}/api/v1/openapi.json", "--checks", "all", "--header",
            f"Authorization: Bearer {server.token}", "--exclude-path", "/api/v1/events", "--no-color", *sys.argv[1:],
        ], check=False, cwd=server.directory).returncode
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
