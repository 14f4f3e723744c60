#!/usr/bin/env bash
# test.sh [ARGUMENTS OF swift test]: builds once, runs the tests, then the packages that use the libraries,
# and ends with the list of skipped tests. Swift Testing counts a skipped test as passed; with HARALD_REQUIRE_PEERS=1, a
# skipped test against a peer is a failure here. With arguments, only the selected tests run.
#
#   HARALD_TEST_MINUTES   stops after that many minutes (20), and lists the tests that hang and, with gdb, the threads
#   HARALD_VERBOSE=1      also shows the start of each test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

required=${HARALD_REQUIRE_PEERS:-0}
events=.build/test-events.jsonl
log=.build/test.log
problems=()

if ! Scripts/peers.sh; then
    if [ "$required" = 1 ]; then
        echo "Stopping, because HARALD_REQUIRE_PEERS=1." >&2
        exit 1
    fi
    echo "The tests against independent peers will be SKIPPED."
fi

Scripts/build.sh --build-tests

shown() {
    if [ "${HARALD_VERBOSE:-0}" = 1 ]; then
        cat
    else
        grep --line-buffered -avE '^◇ .* started\.$|^\[0/1\] Planning build' || true
    fi
}

# The first text of an event's JSON line; others are the test's comments.
text() { sed -E 's/.*"messages":\[\{[^}]*"text":"(([^"\\]|\\.)*)".*/\1/; s/\\(["\/\\])/\1/g'; }

# Prints the stacks of a test process that has not ended after `minutes`.
show_threads() {
    local process
    sleep $((minutes * 60 - 60)) || return 0
    for process in $(pgrep -f '\.xctest .*--testing-library swift-testing'); do
        [ "$(readlink "/proc/$process/cwd")" = "$PWD" ] || continue
        echo "The test process $process has not ended after $((minutes - 1)) minutes:"
        timeout 50 gdb -p "$process" -batch -ex 'set print frame-arguments none' -ex 'thread apply all bt 16' 2>&1 |
            grep -aE '^(Thread|#)' | cut -c -200 || echo "Its stacks are not known: apt-get install gdb"
    done
}

rm -f "$events"
status=0
minutes=${HARALD_TEST_MINUTES:-20}
show_threads &
watcher=$!
# More tests at once would exceed their time limits in Swift's pool, which has one thread for each processor.
# Output into a pipe is buffered in blocks of 4 KB and lost in a crash: stdbuf flushes each line.
# SwiftPM ends its test process on SIGINT, which is therefore sent to a run that hangs.
timeout --foreground --signal=INT --kill-after=30 "${minutes}m" \
    stdbuf -oL swift test --skip-build --disable-xctest \
    --experimental-maximum-parallelization-width $((8 * $(nproc))) \
    --event-stream-output-path "$events" --event-stream-version 0 "$@" 2>&1 | tee "$log" | shown || status=$?
# bash does not report this signal.
pkill -PIPE -P "$watcher" || true

if [ ! -s "$events" ]; then
    echo "The tests did not start; the output of swift test is in $log." >&2
    exit 1
fi
of_kind() { grep -a "\"kind\":\"$1\"" "$events" || true; }
names() { grep -aoE '"testID":"([^"\\]|\\.)*"' | sort -u; }
closing=$(grep -aoE '(✔ |✘ )?Test run with [0-9]+ tests? .*' "$log" | tail -n 1 || true)
if [ -z "$closing" ]; then
    problems+=("the test run did not end")
    comm -23 <(of_kind testStarted | names) <(of_kind testEnded | names) |
        sed 's/^"testID":"/had not ended: /; s/"$//; s/\\//g'
elif [ "$status" != 0 ]; then
    problems+=("tests failed")
fi

if [ $# = 0 ] && [ -n "$closing" ]; then
    Scripts/library-user.sh || problems+=("the package that uses only Harald")
fi

echo
skipped=$(of_kind testSkipped | text | grep -a '^Test ' || true)
peers=$(of_kind testSkipped | grep -a '"text":"Test ' | grep -acE '"testID":"PeerTests\.' || true)
if [ -n "$skipped" ]; then
    printf '%s\n' "$skipped" | sed 's/^Test /SKIPPED: /; s/ skipped: / because /; s/ skipped\.$//'
    echo "$(printf '%s\n' "$skipped" | wc -l) tests were SKIPPED, $peers of them against independent peers."
else
    echo "No test was skipped."
fi
if [ "$required" = 1 ] && [ "$peers" != 0 ]; then
    problems+=("$peers tests against peers were skipped (HARALD_REQUIRE_PEERS=1)")
fi
if [ "$required" = 1 ] && [ $# = 0 ] &&
    [ "$(of_kind testEnded | grep -acE '"testID":"PeerTests\.')" = 0 ]; then
    problems+=("no test against a peer ran (HARALD_REQUIRE_PEERS=1)")
fi

# The first issues again, with their details: they are far from the end of the output.
awk '/ recorded an issue / { sub(/^[^ ]* /, "FAILED: "); shown = 1 }
     !/^(FAILED:|↳)/ { shown = 0 }
     shown && ++lines <= 100' "$log"
if [ -n "$closing" ]; then echo "$closing"; fi
if [ ${#problems[@]} -gt 0 ]; then
    printf 'make test FAILED: %s\n' "${problems[@]}"
    exit 1
fi
