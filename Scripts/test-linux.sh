#!/usr/bin/env bash
# test-linux.sh [PART...]: on Debian's kernel and bluetoothd, in a machine of QEMU (.build/linux): central restart
# peripheral user doctor, by default all. Skips, loudly, where the machine cannot be had; HARALD_REQUIRE_PEERS=1 makes that
# a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
linux=$PWD/.build/linux

skip() {
    echo
    echo "SKIPPED: the tests on a real Linux kernel: $*"
    exit "${HARALD_REQUIRE_PEERS:-0}"
}

[ "$(uname -s)" = Linux ] || skip "this is not Linux"
if ! reason=$(Tests/Linux/machine/prepare.sh "$linux" 2>&1); then skip "$reason"; fi
if ! cmp -s Tests/Linux/requirements.txt "$linux/requirements.installed"; then
    rm -rf "$linux/python"
    { python3 -m venv "$linux/python" &&
        "$linux/python/bin/python" -m pip install -q --disable-pip-version-check -r Tests/Linux/requirements.txt &&
        # The machine cannot keep what Python compiles, and would do it again at every start.
        "$linux/python/bin/python" -m compileall -q "$linux/python/lib"
    } >"$linux/python.log" 2>&1 || skip "Bumble and bleak cannot be installed; see $linux/python.log"
    cp Tests/Linux/requirements.txt "$linux/requirements.installed"
fi
if [ "${HARALD_BUILT:-0}" != 1 ]; then
    Scripts/build.sh --product harald
    Scripts/build.sh --product HaraldLinuxChecks
fi
build=$(readlink -f .build/debug)
parts=("$@")
if [ ${#parts[@]} = 0 ]; then parts=(doctor central restart peripheral user); fi
result=0
for part in "${parts[@]}"; do
    # A machine of its own for each part: what one leaves behind is no business of the next.
    Tests/Linux/machine/run.sh "$linux" "$linux/exchange/$part" "${HARALD_LINUX_SECONDS:-900}" \
        "$PWD/Tests/Linux/scenario.sh $build $linux/python/bin/python $part" || result=1
done
exit $result
