#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET]: fuzzes every decoder and state machine in turn, or one of them, for SECONDS in total.
# libFuzzer generates input that reaches new code, under the address sanitizer.
# Documentation/Fuzzing.md describes it. Status 1 if there are findings, 64 for an unknown target.
#
#   HARALD_FUZZ_KEEP=1   stores a minimal set of inputs that reach all known code in Tests/Fuzz/Corpus
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-1800}
chosen=${2:-}
scratch=.build/fuzz
program=$scratch/release/harald-fuzz
work=$scratch/inputs
found=$scratch/findings
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "FOR must be a number of seconds, not '$seconds'." >&2
    exit 64
fi

# libFuzzer handles traps, and prints the input; hash values are the same in every run.
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:allocator_may_return_null=0}

if [ ! -e "$program" ]; then echo "The first build with sanitizers takes about ten minutes on two cores."; fi
mkdir -p "$scratch"
if ! HARALD_FUZZER=1 swift build -c release --scratch-path "$scratch" --sanitize address \
    -Xswiftc -use-ld=lld --product harald-fuzz >"$scratch/build.log" 2>&1; then
    grep -E 'error:' "$scratch/build.log" || tail -n 20 "$scratch/build.log"
    exit 1
fi

list=$("$program" list)
if [ -n "$chosen" ]; then
    if ! grep -q "^$chosen " <<<"$list"; then
        echo "There is no target '$chosen'; the targets are: $(cut -d' ' -f1 <<<"$list" | xargs)" >&2
        exit 64
    fi
    list=$(grep "^$chosen " <<<"$list")
fi
each=$((seconds / $(wc -l <<<"$list")))
if [ "$each" -lt 1 ]; then each=1; fi

summary() { # LOG: executions, edges and the seconds since the last new edge, as libFuzzer printed them
    awk '
        match($0, /^[0-9]+ #[0-9]+/) {
            time = $1 + 0
            if (begin == "") { begin = time; last = time }
            count = substr($2, 2) + 0
            if (count > executions) executions = count
            for (i = 3; i < NF; i++) if ($i == "cov:" && $(i + 1) + 0 > edges) { edges = $(i + 1) + 0; last = time }
            end = time
        }
        END { print executions + 0, edges + 0, end - last }' "$1"
}

all=0 edges=0 findings=0
while read -r name length _; do
    inputs=$work/$name
    log=$scratch/$name.log
    mkdir -p "$inputs" "$found"
    "$program" unpack "$name" "$inputs"
    options=(-max_total_time="$each" -max_len="$length" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=64
        -artifact_prefix="$found/$name-" -use_value_profile=0)
    if [ -s "Tests/Fuzz/Dictionaries/$name.dict" ]; then options+=(-dict="Tests/Fuzz/Dictionaries/$name.dict"); fi
    status=0
    # Each line is prefixed with its time, from which the time of the last new edge is computed.
    "$program" fuzz "$name" "${options[@]}" "$inputs" 2>&1 |
        while IFS= read -r line; do printf '%(%s)T %s\n' -1 "$line"; done >"$log" || status=$?
    read -r executions reached quiet < <(summary "$log")
    one=0
    if [ "$status" != 0 ]; then
        one=1
        grep -aE ' (FINDING|Fatal error|SUMMARY|ERROR|==[0-9]+== ?ERROR)|Test unit written' "$log" |
            cut -d' ' -f2- || true
        input=$(grep -ao 'Test unit written to .*' "$log" | tail -n 1 | sed 's/Test unit written to //')
        echo "FAILED $name: replay it with: swift run harald-fuzz replay $name ${input:-(see $log)}"
    fi
    echo "fuzz: target=$name executions=$executions edges=$reached findings=$one quiet=${quiet}s"
    all=$((all + executions)) edges=$((edges + reached)) findings=$((findings + one))
    if [ "${HARALD_FUZZ_KEEP:-0}" = 1 ] && [ "$one" = 0 ]; then
        rm -rf "$work/$name.least"
        mkdir -p "$work/$name.least"
        "$program" fuzz "$name" -merge=1 -max_len="$length" "$work/$name.least" "$inputs" >"$log.merge" 2>&1
        "$program" pack "$name" "$work/$name.least"
    fi
done <<<"$list"
echo "fuzz: target=${chosen:-all} executions=$all edges=$edges findings=$findings"
[ "$findings" = 0 ]
