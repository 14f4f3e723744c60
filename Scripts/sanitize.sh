#!/usr/bin/env bash
# sanitize.sh KIND [ARGUMENTS OF swift test]: builds the tests with the address sanitizer (KIND is address) or the
# thread sanitizer (thread), checks that it finds a seeded fault, then runs every test, or those that the
# arguments select. The last line has the counts; status 1 if there are findings, or if the seeded fault was not found.
# Documentation/Fuzzing.md describes it.
#
#   HARALD_SANITIZE_MINUTES   gives up after that many minutes (90)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=${1:-}
shift || true
case $kind in
    thread) fault=race test=twoThreadsCount ;;
    address) fault=overflow test=aPointerReachesTheLastByte ;;
    *)
        echo "KIND must be address or thread, not '$kind': make sanitize KIND=thread" >&2
        exit 64
        ;;
esac
scratch=.build/sanitize-$kind
reports=$scratch/reports
log=$scratch/test.log
mkdir -p "$scratch"

if [ ! -e "$scratch/debug/HaraldPackageTests.xctest" ]; then
    echo "The first build with the $kind sanitizer takes about twenty minutes on two cores, later ones seconds."
fi
# lld, because gold ends with an internal error on the code of the sanitizers.
options=(--traits Programs --sanitize "$kind" --scratch-path "$scratch" -Xswiftc -use-ld=lld)
if [ "$kind" = thread ]; then
    clang -O1 -g -fno-omit-frame-pointer -c Tests/Sanitizers/runtime.c -o "$scratch/runtime.o"
    swiftc -parse-as-library -sanitize=thread -g -c Tests/Sanitizers/continuations.swift -o "$scratch/continuations.o"
    options+=(-Xlinker "$PWD/$scratch/runtime.o" -Xlinker "$PWD/$scratch/continuations.o")
fi
if ! swift build "${options[@]}" --build-tests >"$scratch/build.log" 2>&1; then
    grep -E 'error:' "$scratch/build.log" || tail -n 20 "$scratch/build.log"
    exit 1
fi

export SWIFT_BACKTRACE=enable=no
# Reports are written to a file for each process; the tests continue after a race.
export TSAN_OPTIONS="suppressions=$PWD/Tests/Sanitizers/thread.supp halt_on_error=0 exitcode=66 history_size=4 \
log_path=$PWD/$reports/thread second_deadlock_stack=1"
# Memory that the Swift runtime never releases is not a leak.
export ASAN_OPTIONS="detect_leaks=0 log_path=$PWD/$reports/address"

tests() { # ARGUMENTS...: runs tests of the build
    swift test "${options[@]}" --skip-build --disable-xctest "$@"
}
found() { { grep -ahE '^SUMMARY: ' "$reports"/* 2>/dev/null || true; } | sort | uniq -c | sort -rn; }

rm -rf "$reports"
mkdir -p "$reports"
HARALD_SEEDED_FAULT=$fault tests --filter "SeededFaultTests.*$test" >"$scratch/seeded.log" 2>&1 || true
if [ -z "$(found)" ]; then
    echo "The $kind sanitizer did not find the seeded $fault; the output is in $scratch/seeded.log." >&2
    exit 1
fi
echo "The seeded $fault is found:$(found | head -n 1 | sed 's/^ *[0-9]* SUMMARY://')"
rm -rf "$reports"
mkdir -p "$reports"

if [ $# = 0 ]; then
    # Programs of other languages are not instrumented, and sanitizers make the rest too slow for their deadlines.
    set -- --skip PeerTests
fi
events=$scratch/events.jsonl
rm -f "$events"
status=0
timeout --foreground --signal=INT --kill-after=30 "${HARALD_SANITIZE_MINUTES:-90}m" \
    stdbuf -oL swift test "${options[@]}" --skip-build --disable-xctest --event-stream-output-path "$events" \
    --event-stream-version 0 "$@" >"$log" 2>&1 || status=$?
closing=$(grep -aoE 'Test run with [0-9]+ tests?' "$log" | tail -n 1 || true)
of_kind() { grep -a "\"kind\":\"$1\"" "$events" 2>/dev/null || true; }
of_kind testEnded | grep -a '"symbol":"fail"' | sed -E 's/.*"text":"(([^"\\]|\\.)*)".*/\1/; s/\\(["\/\\])/\1/g' |
    grep -a '^Test ' | sed 's/^/FAILED: /' || true
skipped=$(of_kind testSkipped | grep -ac '"text":"Test ' || true)
found
findings=$(found | grep -c SUMMARY || true)
if [ -z "$closing" ]; then
    echo "The test run did not end (status $status); the end of $log:"
    tail -n 5 "$log"
fi
tests=$(grep -oE '[0-9]+' <<<"$closing" || echo 0)
echo "sanitize: $kind tests=$tests skipped=$skipped findings=$findings"
[ "$findings" = 0 ] && [ -n "$closing" ]
