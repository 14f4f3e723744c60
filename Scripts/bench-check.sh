#!/usr/bin/env bash
# bench-check.sh [ARGUMENTS OF bench.py]: checks the cost of operations in the release harald-bench, in instructions and
# allocations, against Benchmarks/limits.json. Takes at most two minutes after the build. Installs valgrind if it is
# missing, or stops with the command that does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
Scripts/prepare.sh bench
exec Benchmarks/bench.py --quick "$@"
