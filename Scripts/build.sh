#!/usr/bin/env bash
# build.sh ARGUMENTS...: `swift build ARGUMENTS`, statically linked for a release, with a message
# about the duration of the first build.
# Every build of the Makefile uses this script, so that all have the same options and share their results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Measured on two cores, in minutes, dependencies included.
first_run=3
first_debug=7
first_tests=8
first_release=9

# `make run` (--to-run): the program without its servers takes half the time, and is enough for most commands. It is
# built until a command needs the servers, or another target has built them.
servers=.build/debug/WebServer.build
if [ "${1:-}" = --to-run ]; then
    shift
    case " ${ARGS:-} " in
        *' monitor '* | *' gateway '* | *' hub '* | *' serve '*) ;;
        *) if [ ! -e $servers ]; then export HARALD_WITHOUT_SERVERS=1; first_debug=$first_run; fi ;;
    esac
fi

# A release contains the Swift libraries: it runs without a toolchain, starts faster and uses less
# memory, because no libraries are loaded and bound at every start.
options=()
case " $* " in
    *' release '*)
        toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
        if [ "$(uname -s)" = Linux ]; then
            # The names of its functions, which no other program looks up, would be 7 MB of the file and 3 MB of memory.
            options+=(-Xlinker --no-export-dynamic)
            # Functions that nothing calls are left out, and those with the same code are there once: 6 MB less.
            options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections)
            options+=(-Xlinker --icf=all)
            # Relative relocations take a tenth of the size, which glibc 2.36 or later understands; gold has no such option.
            options+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
            # No tables for unwinding: 8 MB.
            options+=(-Xlinker -T -Xlinker "$PWD/Scripts/release.ld" -Xlinker --no-eh-frame-hdr)
            # The program has no path of this directory, so that two directories give the same bytes.
            options+=(-Xcc "-ffile-prefix-map=$PWD=." -Xswiftc -file-prefix-map -Xswiftc "$PWD=.")
            if [ -d "$toolchain/lib/swift_static" ]; then
                options+=(--static-swift-stdlib)
                if data=$(Scripts/icu-data .build/icu-data.o); then
                    options+=(-Xlinker "$PWD/.build/icu-data.o" -Xlinker "--defsym=$data=harald_icu_data")
                else
                    echo "The program will contain all languages of Foundation, 29 MB more."
                fi
            fi
            # What `harald --version` prints.
            HARALD_COMMIT=$(git rev-parse HEAD 2>/dev/null || true)
            HARALD_DATE=$(git log -1 --format=%cs 2>/dev/null || true)
            export HARALD_COMMIT HARALD_DATE
        fi
        ;;
esac

cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
built=0
if [ -e $servers ]; then built=$first_debug; elif [ -e .build/debug/harald ]; then built=$first_run; fi
case " $* " in
    *' release '*) minutes=$first_release made=.build/release/harald built=0 ;;
    *' --build-tests '*) minutes=$first_tests made=.build/debug/HaraldPackageTests.xctest ;;
    *) minutes=$first_debug made=$servers ;;
esac
if [ ! -e $made ] && [ $((minutes -= built)) -gt 0 ]; then
    echo "This first build takes about $minutes minutes on two cores (this machine has $cores)," \
        "later ones take seconds."
fi

if [ -t 1 ]; then
    # In a terminal SwiftPM updates one line of progress.
    exec swift build "${options[@]}" "$@"
fi

# Otherwise progress is printed every fifteen seconds; all other lines are printed unchanged.
swift build "${options[@]}" "$@" 2>&1 | {
    last=$SECONDS
    while IFS= read -r line; do
        case $line in
            '['[0-9]*/[0-9]*']'*)
                if [ $((SECONDS - last)) -ge 15 ]; then
                    echo "  ${line%%]*}]"
                    last=$SECONDS
                fi
                ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
}
