#!/usr/bin/env bash
# mutate.sh [OPTIONS]: makes faults in the sources, one at a time, and reports those that the tests do not detect
# (Documentation/Mutation.md). Builds its tool first; --help lists the options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=.build/mutate/tool
log=.build/mutate/tool.log
mkdir -p .build/mutate
if [ ! -e "$scratch/debug/mutate" ]; then
    echo "Building the tool takes about two minutes the first time, building the tests with the faults about eight."
fi
if ! swift build --package-path Tools/Mutate --scratch-path "$scratch" --product mutate >"$log" 2>&1; then
    grep 'error' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
    echo "The tool does not build; the output is in $log." >&2
    exit 2
fi
exec "$scratch/debug/mutate" "$@"
