#!/usr/bin/env bash
# bench-check.sh [ARGUMENTS OF bench.py]: what an operation takes in the release harald-bench, in instructions and
# allocations, against Benchmarks/limits.json. Two minutes at most once that is built. Installs valgrind where it is
# missing, or stops and says how.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
Scripts/prepare.sh bench
exec Benchmarks/bench.py --quick "$@"
