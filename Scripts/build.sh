#!/usr/bin/env bash
# build.sh ARGUMENTS...: `swift build --traits Programs ARGUMENTS`, static where it is a release, and a word about how
# long the first build takes.
# Every build of the Makefile goes through here, so that all use the same options and none compiles again what another
# did.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Measured on two cores, in minutes, dependencies included.
first_debug=5
first_tests=8
first_release=9

# A release carries the Swift libraries in itself: it runs where there is no toolchain, starts faster and needs less
# memory, because nothing has to be found and bound at every start.
options=(--traits Programs)
case " $* " in
    *' release '*)
        toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
        if [ "$(uname -s)" = Linux ] && [ -d "$toolchain/lib/swift_static" ]; then options+=(--static-swift-stdlib); fi
        ;;
esac

cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
case " $* " in
    *' release '*) minutes=$first_release made=.build/release/harald ;;
    *' --build-tests '*) minutes=$first_tests made=.build/debug/HaraldPackageTests.xctest ;;
    *) minutes=$first_debug made=.build/debug/harald ;;
esac
if [ ! -e "$made" ]; then
    if [ -e .build/debug/harald ] && [ "$minutes" = "$first_tests" ]; then
        echo "Building the tests takes about $((first_tests - first_debug)) minutes on two cores (this machine has $cores)."
    else
        echo "The first build takes about $minutes minutes on two cores (this machine has $cores), later ones take seconds."
    fi
fi

if [ -t 1 ]; then
    # SwiftPM keeps one line of progress in a terminal.
    exec swift build "${options[@]}" "$@"
fi

# Elsewhere a line every fifteen seconds is enough; whatever is not progress passes through.
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
