#!/usr/bin/env bash
# fuzz-coverage.sh: the lines of each source file that the inputs of `make fuzz` reach, as a table in Markdown. The
# inputs are the corpus in the repository, and those of .build/fuzz/inputs that the fuzzer has found here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=.build/fuzz-coverage
program=$scratch/debug/harald-fuzz
tools=$(dirname "$(readlink -f "$(command -v swift)")")

if [ ! -e "$program" ]; then echo "The first build for coverage takes about five minutes on two cores." >&2; fi
mkdir -p "$scratch"
if ! swift build --scratch-path "$scratch" --product harald-fuzz \
    -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping >"$scratch/build.log" 2>&1; then
    grep -E 'error:' "$scratch/build.log" || tail -n 20 "$scratch/build.log"
    exit 1
fi

export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
rm -f "$scratch"/*.profraw
while read -r name _; do
    LLVM_PROFILE_FILE="$scratch/$name.profraw" "$program" replay "$name" >&2
    if [ -n "$(find ".build/fuzz/inputs/$name" -type f -print -quit 2>/dev/null)" ]; then
        find ".build/fuzz/inputs/$name" -type f -print0 |
            LLVM_PROFILE_FILE="$scratch/$name-%p.profraw" xargs -0 -n 5000 "$program" replay "$name" >&2
    fi
done < <(LLVM_PROFILE_FILE="$scratch/list.profraw" "$program" list)
"$tools/llvm-profdata" merge -sparse "$scratch"/*.profraw -o "$scratch/all.profdata"

# Sources that no input reaches, such as front doors, are not concerned.
"$tools/llvm-cov" export -summary-only -instr-profile "$scratch/all.profdata" "$program" |
    python3 -c '
import json, os, sys

files = json.load(sys.stdin)["data"][0]["files"]
rows = []
for file in files:
    path, lines = os.path.relpath(file["filename"]), file["summary"]["lines"]
    if path.startswith("Sources/") and lines["covered"]:
        rows.append((path[len("Sources/"):], lines["covered"], lines["count"]))
print("| file | lines | reached |")
print("| --- | --- | --- |")
for path, covered, count in sorted(rows):
    print(f"| `{path}` | {count} | {100 * covered // count} % |")
covered, count = sum(row[1] for row in rows), sum(row[2] for row in rows)
print(f"| together | {count} | {100 * covered // count} % |")
'
