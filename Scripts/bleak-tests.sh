#!/usr/bin/env bash
# bleak-tests.sh [ARGUMENTS OF pytest]: bleak's own integration tests under `harald bluez`, beside Bumble's devices on
# the air of `harald air`. They are fetched at the revision below, into .build/bleak, and run from there.
#
#   BLEAK_SOURCE   the repository, or a copy of it (https://github.com/hbldh/bleak)
#
# All tests pass, except those that bleak skips on Linux, for the reasons that pytest lists at the end: two that exist
# only with CoreBluetooth (test_pairing_unavailable, test_get_rssi), and the module test_quirks_corebluetooth.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

revision=58d2a65cceb2127327388ac376853f1adc1be2c6
# The versions that the revision names, and one of dbus-fast that it allows.
packages=(dbus-fast==5.2.0 bumble==0.0.226 pytest==8.4.2 pytest-asyncio==1.5.0 pytest-cov==7.1.0 bleak==3.1.0)
root=$PWD
directory=$root/.build/bleak
source=$directory/source
harald=$root/.build/debug/harald

if [ "$(git -C "$source" rev-parse HEAD 2>/dev/null)" != "$revision" ]; then
    rm -rf "$source"
    git clone --quiet --no-checkout "${BLEAK_SOURCE:-https://github.com/hbldh/bleak}" "$source"
    git -C "$source" checkout --quiet "$revision"
fi
if [ "$(cat "$directory/packages" 2>/dev/null)" != "${packages[*]}" ]; then
    rm -rf "$directory/python"
    "${HARALD_PYTHON:-python3}" -m venv "$directory/python"
    "$directory/python/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
    echo "${packages[*]}" >"$directory/packages"
fi

# An air without devices, on a free port. Its events are read, so that it never waits for a reader.
exec 3< <(exec "$harald" air empty --listen tcp:127.0.0.1:0 --no-user-socket --json)
air=$!
trap 'kill "$air" 2>/dev/null || true' EXIT
read -r offered <&3
cat <&3 >/dev/null &
address=$(sed -E 's/.*"tcp:([0-9.]+:[0-9]+)".*/\1/' <<<"$offered")

cd "$source"
# The revision itself, not the package that provides its metadata.
PYTHONPATH=$source "$harald" bluez --adapter "tcp:$address" -- \
    "$directory/python/bin/python" -m pytest tests/integration \
    --bleak-hci-transport="tcp-client:$address" --no-cov -rs -p no:cacheprovider "$@"
