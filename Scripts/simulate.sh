#!/usr/bin/env bash
# simulate.sh [FOR=SECONDS] [SEED=NUMBER] [PROGRAM=FILE] [FAULT=NAME]: builds harald-simulate and runs it. Status 0 if
# all invariants held, 1 if one failed, 64 for invalid arguments. `make` reports every failure as status 2.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=()
fault=
for word in "$@"; do
    value=${word#*=}
    [ -n "$value" ] || continue
    case $word in
        FOR=*) arguments+=(--for "$value") ;;
        SEED=*) arguments+=(--seed "$value") ;;
        PROGRAM=*) arguments+=(--program "$value") ;;
        FAULT=*) fault=$value ;;
        *)
            echo "simulate.sh: '$word' is not one of FOR=, SEED=, PROGRAM=, FAULT=" >&2
            exit 64
            ;;
    esac
done
if [ "$fault" = list ]; then exec Scripts/simulate-faults --list; fi
if [ -n "$fault" ]; then
    # A separate build whose sources contain the faults; it stops when it detects the enabled fault.
    Scripts/simulate-faults --build-only
    if [ ${#arguments[@]} = 0 ]; then arguments=(--for 60); fi
    exec .build/faults/build/release/harald-simulate "${arguments[@]}" --fault "$fault"
fi
# Without arguments, for a minute. Without a seed, with a random seed that is printed.
if [ ${#arguments[@]} = 0 ]; then arguments=(--for 60); fi
case " ${arguments[*]}" in
    *' --seed '* | *' --program '*) ;;
    *)
        seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
        echo "seeds from $seed on"
        arguments+=(--seed "$seed")
        ;;
esac
Scripts/build.sh --product harald-simulate
exec .build/debug/harald-simulate "${arguments[@]}"
