#!/usr/bin/env bash
# The pages of `harald serve` in a real browser: web-tests.sh [browse.py | screenshots.py] [ARGUMENTS]. Needs Chromium and
# its driver (Debian: chromium, chromium-driver). Without them it skips, and says so; with HARALD_REQUIRE_BROWSER=1 that is
# a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
    echo "SKIPPED: the pages were not tried in a browser: $1." >&2
    [ -z "${HARALD_REQUIRE_BROWSER:-}" ] || exit 1
    exit 0
}

command -v chromedriver >/dev/null || skip 'there is no chromedriver (apt-get install chromium chromium-driver)'
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    skip 'there is no Chromium (apt-get install chromium)'

requirements=Tests/Web/requirements.txt
environment=.build/web-tests
if ! cmp -s "$requirements" "$environment/installed"; then
    rm -rf "$environment"
    "${HARALD_PYTHON:-python3}" -m venv "$environment" || skip 'python3 cannot make environments (python3-venv)'
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" ||
        skip 'pip could not install the requirements (is there a network?)'
    cp "$requirements" "$environment/installed"
fi
script=${1:-browse.py}
[ $# = 0 ] || shift
exec "$environment/bin/python" "Tests/Web/$script" "$@"
