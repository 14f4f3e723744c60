#!/usr/bin/env bash
# repeat-tests.sh SECONDS [ARGUMENTS OF swift test]: repeats tests until the time has elapsed or one fails;
# without arguments, the tests with random input, which differs each time. A failed test prints the seed
# that reproduces the failure; HARALD_FUZZ_SEED sets the seed of the encrypted links.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-1800}
shift || true
if [ $# = 0 ]; then set -- --filter Fuzz; fi
log=.build/repeat.log
Scripts/build.sh --build-tests
# A round takes about as long as this test, whose duration is configured.
export HARALD_FUZZ_SECONDS=${HARALD_FUZZ_SECONDS:-$((seconds < 20 ? seconds : 20))}
rounds=0
SECONDS=0
while [ "$SECONDS" -lt "$seconds" ]; do
    if ! swift test --skip-build --disable-xctest "$@" >"$log" 2>&1; then
        grep -av ' started\.$' "$log"
        echo "Round $((rounds + 1)) FAILED."
        exit 1
    fi
    if grep -aq 'Test run with 0 tests' "$log"; then
        echo "No test matches: $*" >&2
        exit 1
    fi
    rounds=$((rounds + 1))
done
grep -aoE '(✔ )?Test run with [0-9]+ tests? .*' "$log"
echo "$rounds rounds in $SECONDS seconds without a failure."
