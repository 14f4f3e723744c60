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
options=(--sanitize "$kind" --scratch-path "$scratch" -Xswiftc -use-ld=lld)
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
# Reports are written to a file for each process; the tests continue after a race. A test ends programs with SIGSEGV.
export TSAN_OPTIONS="suppressions=$PWD/Tests/Sanitizers/thread.supp halt_on_error=0 exitcode=66 history_size=4 \
log_path=$PWD/$reports/thread second_deadlock_stack=1 handle_segv=0"
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

tests=0 skipped=0 unfinished=0
events=$scratch/events.jsonl
: >"$log"
of_kind() { grep -a "\"kind\":\"$1\"" "$events" 2>/dev/null || true; }
run() { # ARGUMENTS...: runs tests until the time is over, and counts them
    local status=0 left=$((deadline - SECONDS)) closing
    rm -f "$events"
    [ "$left" -gt 0 ] || left=1
    timeout --foreground --signal=INT --kill-after=30 "$left" \
        stdbuf -oL swift test "${options[@]}" --skip-build --disable-xctest --event-stream-output-path "$events" \
        --event-stream-version 0 "$@" >"$log.part" 2>&1 || status=$?
    cat "$log.part" >>"$log"
    of_kind testEnded | grep -a '"symbol":"fail"' |
        sed -E 's/.*"text":"(([^"\\]|\\.)*)".*/\1/; s/\\(["\/\\])/\1/g' | grep -a '^Test ' | sed 's/^/FAILED: /' || true
    skipped=$((skipped + $(of_kind testSkipped | grep -ac '"text":"Test ' || true)))
    closing=$(grep -aoE 'Test run with [0-9]+ tests?' "$log.part" | tail -n 1 | grep -oE '[0-9]+' || true)
    if [ -z "$closing" ]; then
        echo "The run of $* did not end (status $status); the end of $log.part:"
        tail -n 5 "$log.part"
        unfinished=$((unfinished + 1))
    fi
    tests=$((tests + ${closing:-0}))
}

deadline=$((SECONDS + ${HARALD_SANITIZE_MINUTES:-90} * 60))
if [ $# = 0 ]; then
    # One module at a time, because sanitizers make tests too slow for their time limits if all run at once. Programs of
    # other languages are not instrumented.
    for module in Tests/*Tests; do
        module=${module#Tests/}
        case $module in PeerTests | SanitizerTests) ;; *) run --filter "^$module\\." ;; esac
    done
else
    run "$@"
fi
found
findings=$(found | grep -c SUMMARY || true)
echo "sanitize: $kind tests=$tests skipped=$skipped findings=$findings"
[ "$findings" = 0 ] && [ "$unfinished" = 0 ]
