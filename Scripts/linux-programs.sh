#!/usr/bin/env bash
# linux-programs.sh [PROGRAM...]: programs for BlueZ that are not packages of Python alone, under `harald bluez`:
#
#   bluetoothctl   with typed commands (Tests/Peers/bluetoothctl.py). Its lines are those of BlueZ 5.66: without that
#                  version in the PATH, Debian's package is unpacked into .build/bluetoothctl
#   bluezero       a server and a client (Tests/Peers/bluezero_programs.py). It needs Debian's python3-dbus, python3-gi
#
#   BLUETOOTHCTL   another bluetoothctl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bluetoothctl() {
    local directory=$PWD/.build/bluetoothctl scene=virtual:Tests/Linux/oracle/scene.yaml program
    program=${BLUETOOTHCTL:-$(type -P bluetoothctl || true)}
    if [ -z "${BLUETOOTHCTL:-}" ] && ! "${program:-false}" --version 2>/dev/null | grep -q '5\.66'; then
        program=$directory/usr/bin/bluetoothctl
        if [ ! -x "$program" ]; then
            mkdir -p "$directory"
            (cd "$directory" && apt-get download -q bluez && dpkg-deb -x bluez_*.deb .) >"$directory.log" 2>&1 || {
                echo "no bluetoothctl: install BlueZ, or see $directory.log" >&2
                return 1
            }
        fi
    fi
    .build/debug/harald bluez --adapter "$scene" --adapter "$scene" -- \
        python3 -B Tests/Peers/bluetoothctl.py "$program"
}

bluezero() {
    local directory=$PWD/.build/bluezero python=/usr/bin/python3
    "$python" -c 'import dbus, gi' 2>/dev/null || {
        echo "bluezero needs the packages python3-dbus and python3-gi" >&2
        return 1
    }
    [ -d "$directory" ] ||
        python3 -m pip install -q --disable-pip-version-check --no-deps --target "$directory" bluezero==0.9.1
    .build/debug/harald bluez --adapter virtual:empty --adapter virtual:empty -- \
        env PYTHONPATH="$directory" "$python" -B Tests/Peers/bluezero_programs.py
}

status=0
if [ $# = 0 ]; then set -- bluetoothctl bluezero; fi
for name in "$@"; do
    case $name in
        bluetoothctl | bluezero) "$name" || status=1 ;;
        *)
            echo "unknown program $name" >&2
            status=64
            ;;
    esac
done
exit $status
