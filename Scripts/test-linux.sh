#!/usr/bin/env bash
# test-linux.sh [PART...]: on Debian's kernel and bluetoothd, in a machine of QEMU (.build/linux): doctor central restart
# peripheral user install controller comparison, by default all. Skips, loudly, where the machine cannot be had; HARALD_REQUIRE_PEERS=1 makes that
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
parts=("$@")
if [ ${#parts[@]} = 0 ]; then parts=(doctor central restart peripheral user install controller comparison); fi
if [ "${HARALD_BUILT:-0}" != 1 ]; then
    Scripts/build.sh --product harald
    Scripts/build.sh --product HaraldLinuxChecks
fi
build=$(readlink -f .build/debug)
case " ${parts[*]} " in
    *' comparison '*)
        if [ "${HARALD_BUILT:-0}" != 1 ]; then Scripts/build.sh --configuration release --product HaraldLinuxChecks; fi
        ;;
esac

# What runs outside of the machine, at native speed: our air, whose controllers the machine's kernel gets.
outside=()
sockets=$(mktemp -d)
leave() {
    for process in "${outside[@]}"; do kill "$process" 2>/dev/null || true; done
    wait "${outside[@]}" 2>/dev/null || true
    outside=()
}
trap 'leave; rm -rf "$sockets"' EXIT
wait_for() { # SECONDS TEXT FILE: a line that another program writes
    local end=$((SECONDS + $1))
    until grep -qs "$2" "$3"; do
        if [ $SECONDS -ge $end ]; then return 1; fi
        sleep 0.2
    done
}
air() { # EXCHANGE: an air with nothing on it
    HARALD_ADAPTER='' "$build/harald" air empty --no-user-socket --listen "unix:$sockets/air" >"$1/air.log" 2>&1 &
    outside+=($!)
    wait_for 30 unix: "$1/air.log"
}
on_the_air() { # EXCHANGE COMMAND...
    HARALD_ADAPTER=unix:$sockets/air "${@:2}" >>"$1/outside.log" 2>&1 &
    outside+=($!)
}

result=0
for part in "${parts[@]}"; do
    exchange=$linux/exchange/$part
    mkdir -p "$exchange"
    rm -f "$exchange"/*.log
    controllers='' visit=''
    case $part in
        controller)
            air "$exchange"
            controllers=$sockets/air
            on_the_air "$exchange" "$build/HaraldLinuxChecks" peripheral
            on_the_air "$exchange" "$build/harald" simulate polar-h7
            # When the machine's device is on the air, our central comes from outside.
            {
                wait_for 600 'on the air' "$exchange/device.log" &&
                    HARALD_ADAPTER=unix:$sockets/air "$build/HaraldLinuxChecks" visit
            } >"$exchange/visit.log" 2>&1 &
            visit=$!
            outside+=($visit)
            ;;
        comparison)
            air "$exchange"
            controllers="$sockets/air $sockets/air"
            on_the_air "$exchange" "$build/HaraldLinuxChecks" measured
            ;;
    esac
    # A machine of its own for each part: what one leaves behind is no business of the next.
    CONTROLLERS=$controllers Tests/Linux/machine/run.sh "$linux" "$exchange" "${HARALD_LINUX_SECONDS:-900}" \
        "$PWD/Tests/Linux/scenario.sh $build $linux/python/bin/python $part" || result=1
    if [ -n "$visit" ]; then
        if grep -qs 'on the air' "$exchange/device.log"; then wait "$visit" || result=1; fi
        sed 's/^/outside: /' "$exchange/visit.log"
    fi
    leave
done
exit $result
