#!/usr/bin/env bash
# Tests the package HaraldShims, and builds and runs Tests/ShimsUser, which uses it like an app.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "$(uname)" != Linux ]; then exit 0; fi
user=Tests/ShimsUser
scratch=.build/shims-user
mkdir -p "$scratch"
if [ ! -e "$scratch/debug/ShimsUser" ]; then
    echo "Building a package that uses HaraldShims (about five minutes on two cores the first time)."
fi

run() {
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        grep -E 'error|✘' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
        echo "$* failed; the output is in $log." >&2
        exit 1
    fi
}
run .build/shims.log swift test --package-path HaraldShims --scratch-path .build/shims --disable-xctest
if compgen -G '.build/shims/checkouts/OpenCombine*' >/dev/null; then
    echo "HaraldShims without the trait Combine fetched OpenCombine." >&2
    exit 1
fi
run .build/shims-user.log swift build --package-path "$user" --scratch-path "$scratch"
timeout 120 "$scratch/debug/ShimsUser" 2>/dev/null
echo "A package that uses HaraldShims was built and run."
