#!/usr/bin/env bash
# Creates .build/peers, a Python environment with the independent peers of the tests (Tests/Peers/requirements.txt).
# Does nothing if it exists. Without Python or a network it reports what is missing, and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=Tests/Peers/requirements.txt
peers=.build/peers
stamp=$peers/requirements.installed

if cmp -s "$requirements" "$stamp" && "$peers/bin/python" -c '' 2>/dev/null; then exit 0; fi

python=
why='there is no python3'
for candidate in ${HARALD_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        why="$candidate is Python $found; Bumble requires 3.11 or later (set HARALD_PYTHON to another one)"
    elif ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
        why="Python $found cannot create environments: install the package python3-venv (or python$found-venv)"
    else
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "No peers: $why." >&2
    exit 1
fi

echo "Installing the peers of the tests in $peers (once, less than a minute):" \
    "$(grep -v '^#' "$requirements" | tr '\n' ' ')"
mkdir -p .build
rm -rf "$peers"
log=.build/peers.log
if ! "$python" -m venv "$peers" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "No peers: '$python -m venv' failed; on Debian and Ubuntu install the package python3-venv." >&2
    rm -rf "$peers"
    exit 1
fi
if ! "$peers/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" \
    >>"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "No peers: pip could not install them (is there a network?); the output is in $log." >&2
    rm -rf "$peers"
    exit 1
fi
cp "$requirements" "$stamp"
