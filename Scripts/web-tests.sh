#!/usr/bin/env bash
# The pages and the API of `harald serve` against virtual devices: web-tests.sh [SCRIPT [ARGUMENTS]], where SCRIPT is
# one of
#
#   browse.py        every page in Chromium (Debian: chromium, chromium-driver)
#   browse_hub.py    every page of `harald hub` in Chromium
#   browse_site.py   the site of the documentation, after `make site`
#   web_bluetooth.py a page that uses a device, in Chromium on `harald bluez` (Debian: dbus-daemon)
#   firefox.py       the main pages in Firefox (Debian: firefox-esr)
#   fuzz_api.py      schemathesis with all checks against the APIs of serve and hub
#   screenshots.py   one picture of each page
#   ../../Benchmarks/explorer.py   measurements (make bench-explorer)
#
# Without SCRIPT, all but the site and the last two run. Without a browser, its part is skipped with a message; with
# HARALD_REQUIRE_BROWSER=1 this is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Fails if a browser is required.
skip() {
    echo "SKIPPED: $1." >&2
    [ -z "${HARALD_REQUIRE_BROWSER:-}" ]
}

has() {
    local name
    for name in "$@"; do command -v "$name" >/dev/null && return; done
    return 1
}

requirements=Tests/Web/requirements.txt
environment=.build/web-tests
if ! cmp -s "$requirements" "$environment/installed"; then
    rm -rf "$environment"
    problem=
    "${HARALD_PYTHON:-python3}" -m venv "$environment" || problem='python3 cannot create environments (python3-venv)'
    [ -n "$problem" ] ||
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" ||
        problem='pip could not install the requirements (is there a network?)'
    if [ -n "$problem" ]; then
        skip "the pages and the API were not tested: $problem"
        exit
    fi
    cp "$requirements" "$environment/installed"
fi

run() {
    case $1 in
    browse.py | browse_hub.py | browse_site.py | screenshots.py)
        if ! has chromedriver || ! has chromium chromium-browser google-chrome; then
            skip "the pages were not tested in Chromium, which is missing (apt-get install chromium chromium-driver)"
            return
        fi
        ;;
    web_bluetooth.py)
        if ! has chromium chromium-browser || ! has dbus-daemon; then
            skip "Web Bluetooth was not tested: Chromium or dbus-daemon is missing (apt-get install chromium dbus-daemon)"
            return
        fi
        ;;
    firefox.py)
        if ! has firefox-esr firefox; then
            skip "the pages were not tested in Firefox, which is missing (apt-get install firefox-esr)"
            return
        fi
        ;;
    esac
    "$environment/bin/python" "Tests/Web/$1" "${@:2}"
}

if [ $# -gt 0 ]; then
    run "$@"
    exit
fi
status=0
for script in browse.py browse_hub.py web_bluetooth.py firefox.py fuzz_api.py; do run "$script" || status=1; done
exit "$status"
