#!/usr/bin/env bash
# bluetoothctl-tests.sh: `bluetoothctl` under `harald bluez`, with typed commands (Tests/Peers/bluetoothctl.py). Its expected
# lines are those of BlueZ 5.66. Without that version in the PATH, Debian's package is unpacked into .build/bluetoothctl.
#
#   BLUETOOTHCTL   another program
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

directory=$PWD/.build/bluetoothctl
program=${BLUETOOTHCTL:-$(command -v bluetoothctl || true)}
if [ -z "${BLUETOOTHCTL:-}" ] && ! "${program:-false}" --version 2>/dev/null | grep -q '5\.66'; then
    program=$directory/usr/bin/bluetoothctl
    if [ ! -x "$program" ]; then
        mkdir -p "$directory"
        (cd "$directory" && apt-get download -q bluez && dpkg-deb -x bluez_*.deb .) >"$directory.log" 2>&1 || {
            echo "no bluetoothctl: install BlueZ, or see $directory.log" >&2
            exit 1
        }
    fi
fi
scene=virtual:Tests/Linux/oracle/scene.yaml
exec .build/debug/harald bluez --adapter "$scene" --adapter "$scene" -- \
    "${HARALD_PYTHON:-python3}" -B Tests/Peers/bluetoothctl.py "$program"
