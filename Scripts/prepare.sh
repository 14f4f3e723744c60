#!/usr/bin/env bash
# Checks that this machine can build Harald (`run`), and test it (`test`) or measure it (`bench`): a Swift toolchain,
# and Debian's or Ubuntu's packages. Prints the command that installs missing packages, then runs it as root or with a
# sudo that needs no password; otherwise it stops.
set -euo pipefail

purpose=${1:-run}
packages=()

stop() {
    printf '\n%s\n' "$@" >&2
    exit 1
}

need() { # COMMAND-THAT-TESTS PACKAGE...
    local test=$1
    shift
    if ! eval "$test" >/dev/null 2>&1; then packages+=("$@"); fi
}

python_works() { # PYTHON: is it new enough for the peers?
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

some_python() {
    local python
    for python in ${HARALD_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if python_works "$python" && "$python" -c 'import ensurepip, venv' 2>/dev/null; then return 0; fi
    done
    return 1
}

toolchain_libraries() { # prints the Debian packages of the shared libraries that the toolchain misses
    local build
    build=$(command -v swift-build || true)
    if [ -z "$build" ] || ! command -v ldd >/dev/null; then return 0; fi
    ldd "$(readlink -f "$build")" 2>/dev/null | awk '/not found/ { print $1 }' | while read -r library; do
        case $library in
            libsqlite3.*) echo libsqlite3-0 ;;
            libcurl.*) echo libcurl4 ;;
            libxml2.*) echo libxml2 ;;
            libncurses.*) echo libncurses6 ;;
            libuuid.*) echo libuuid1 ;;
            libz.*) echo zlib1g ;;
            libstdc++.*) echo libstdc++6 ;;
        esac
    done
}

if [ "$(uname -s)" = Linux ]; then
    need 'command -v git' git ca-certificates
    # Headers and start files of C and C++, because swift-crypto contains both. `g++` depends on the right versions on
    # every release.
    need 'ls /usr/lib/gcc*/*/*/crtbeginS.o && ls -d /usr/include/c++/* && ls /usr/include/stdlib.h' g++
    need 'command -v ld.gold || command -v ld.lld || command -v ld' binutils
    # The store of the health hub.
    need 'ls /usr/include/sqlite3.h' libsqlite3-dev
    while read -r package; do packages+=("$package"); done < <(toolchain_libraries)
    if [ "$purpose" != run ] && ! some_python; then
        # Ubuntu 22.04 has an older python3, and a newer one beside it.
        if command -v python3 >/dev/null && ! python_works python3; then
            packages+=(python3.11 python3.11-venv)
        else
            packages+=(python3 python3-venv)
        fi
    fi
    # Required by RootCanal; the package `openssl` depends on it under the name of each release.
    if [ "$purpose" = test ]; then need 'ls /usr/lib/*/libcrypto.so.3' openssl; fi
    # The broker of the forwarding tests, and the client library that the hub opens at run time.
    if [ "$purpose" = test ]; then
        need 'ls /usr/sbin/mosquitto && ls /usr/lib/*/libmosquitto.so.1' mosquitto libmosquitto1
    fi
    # The server of the hub's tests on PostgreSQL, and the client library that the hub opens at run time.
    if [ "$purpose" = test ]; then
        need 'ls /usr/lib/postgresql/*/bin/postgres && command -v psql && ls /usr/lib/*/libpq.so.5' postgresql libpq5
    fi
    # The library that draws QR codes, which the hub opens at run time, and a decoder that judges them.
    if [ "$purpose" = test ]; then
        need 'ls /usr/lib/*/libqrencode.so.4 && command -v zbarimg' libqrencode4 zbar-tools
    fi
    if [ "$purpose" = bench ]; then
        need 'command -v cc' gcc
        need 'command -v python3' python3
        need 'command -v objcopy' binutils
        need 'command -v valgrind' valgrind
    fi
fi

if [ ${#packages[@]} -gt 0 ]; then
    list=$(printf '%s\n' "${packages[@]}" | sort -u | tr '\n' ' ')
    list=${list% }
    install="apt-get update && apt-get install -y --no-install-recommends $list"
    echo "This machine lacks: $list"
    if ! command -v apt-get >/dev/null; then
        stop "It has no apt-get. Install the equivalents of these Debian packages, then try again."
    elif [ "$(id -u)" = 0 ]; then
        echo "Running: $install"
        # shellcheck disable=SC2086
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $list; } ||
            stop "The command failed. Run it manually, then try again:" "    $install"
    else
        install="sudo apt-get update && sudo apt-get install -y --no-install-recommends $list"
        echo "This installs it:"
        echo "    $install"
        if ! command -v sudo >/dev/null; then
            stop "sudo is not installed: run the command as root (without sudo), then try again."
        elif ! sudo -n true 2>/dev/null; then
            stop "sudo requires a password: run the command yourself, then try again."
        fi
        echo "Running it."
        # shellcheck disable=SC2086
        { sudo -n apt-get update -q &&
            sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $list; } ||
            stop "The command failed. Run it manually, then try again."
    fi
fi

if ! command -v swift >/dev/null; then
    stop "There is no Swift toolchain: \`swift\` is not in the PATH." \
        "Harald needs Swift 6.1 or later: https://www.swift.org/install/linux/" \
        "If it is installed, add its folder: export PATH=/path/to/toolchain/usr/bin:\$PATH"
fi
version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
if [ -z "$version" ]; then
    stop "\`swift --version\` does not work on this machine; its output:" "$(swift --version 2>&1 | head -n 5)"
fi
if [ "$(printf '6.1\n%s\n' "$version" | sort -V | head -n 1)" != 6.1 ]; then
    stop "This is Swift $version; Harald requires 6.1 or later: https://www.swift.org/install/linux/"
fi
