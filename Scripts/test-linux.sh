#!/usr/bin/env bash
# test-linux.sh [PART...]: runs tests on Debian's kernel and bluetoothd, in a QEMU machine (.build/linux). The parts are
# doctor central explorer workbench shared restart peripheral user btvirt install controller oracle cost comparison; by
# default all of these run. The part soak is for Benchmarks/soak.py. Without the machine they are skipped, with a note.
#
#   HARALD_REQUIRE_PEERS=1  makes a skip a failure
#   HARALD_LINUX_SECONDS    the time limit of one part (900)
#   HARALD_LINUX_MINUTES    skips, with a message, the parts that have not started by then
#   HARALD_LINUX_AGAIN=1    a failed part is tried again in a new machine; the output reports it
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
        # The machine cannot store compiled Python files, and would compile them at every start.
        "$linux/python/bin/python" -m compileall -q "$linux/python/lib"
    } >"$linux/python.log" 2>&1 || skip "Bumble and bleak cannot be installed; see $linux/python.log"
    cp Tests/Linux/requirements.txt "$linux/requirements.installed"
fi
parts=("$@")
if [ ${#parts[@]} = 0 ]; then
    parts=(doctor central explorer workbench shared restart peripheral user btvirt install controller oracle
        cost comparison)
fi
if [ "${HARALD_BUILT:-0}" != 1 ]; then
    Scripts/build.sh --product harald
    Scripts/build.sh --product HaraldLinuxChecks
fi
build=$(readlink -f .build/debug)
case " ${parts[*]} " in
    *' soak '*) if [ "${HARALD_BUILT:-0}" != 1 ]; then Scripts/build.sh --product harald-bench; fi ;;
    *' comparison '* | *' cost '*)
        if [ "${HARALD_BUILT:-0}" != 1 ]; then Scripts/build.sh --configuration release --product HaraldLinuxChecks; fi
        ;;
esac

# Runs outside the machine, at native speed: our air, whose controllers are attached to the machine's kernel.
outside=()
sockets=$(mktemp -d)
leave() {
    for process in "${outside[@]}"; do kill "$process" 2>/dev/null || true; done
    wait "${outside[@]}" 2>/dev/null || true
    outside=()
}
trap 'leave; rm -rf "$sockets"' EXIT
wait_for() { # SECONDS TEXT FILE: waits for a line that another program writes
    local end=$((SECONDS + $1))
    until grep -qs "$2" "$3"; do
        if [ $SECONDS -ge $end ]; then return 1; fi
        sleep 0.2
    done
}
air() { # EXCHANGE SCENE OPTION...
    HARALD_ADAPTER='' "$build/harald" air "$2" --no-user-socket --listen "unix:$sockets/air" "${@:3}" \
        >"$1/air.log" 2>&1 &
    outside+=($!)
    wait_for 30 unix: "$1/air.log"
}
peer() { # EXCHANGE COUNT [alone]: Bumble's controllers, and its device unless `alone`
    local index
    controllers=''
    for ((index = 0; index < $2; index++)); do controllers="$controllers $sockets/hci$index"; done
    rm -f "$sockets"/hci*
    # shellcheck disable=SC2086
    "$linux/python/bin/python" -u -W ignore Tests/Linux/peer.py ${3:-} $controllers >"$1/peer.log" 2>&1 &
    outside+=($!)
    wait_for 60 ready "$1/peer.log"
}
on_the_air() { # EXCHANGE COMMAND...
    HARALD_ADAPTER=unix:$sockets/air "${@:2}" >>"$1/outside.log" 2>&1 &
    outside+=($!)
}

run() { # PART: the status of its machine, or 1 if a check outside the machine failed
    local exchange=$linux/exchange/$1 visit='' init='' status=0
    controllers=''
    mkdir -p "$exchange"
    rm -f "$exchange"/*.log
    case $1 in
        doctor | central | explorer | workbench | shared | restart | install | soak) peer "$exchange" 1 || status=1 ;;
        peripheral | user) peer "$exchange" 2 alone || status=1 ;;
        controller)
            # With connection events, because with immediate responses BlueZ loses the request that triggers pairing.
            air "$exchange" empty --connection-events || status=1
            controllers=$sockets/air
            on_the_air "$exchange" "$build/HaraldLinuxChecks" peripheral
            on_the_air "$exchange" "$build/harald" simulate polar-h7
            # When the machine's device advertises, our central connects from outside.
            {
                wait_for 600 'on the air' "$exchange/device.log" &&
                    HARALD_ADAPTER=unix:$sockets/air "$build/HaraldLinuxChecks" visit
            } >"$exchange/visit.log" 2>&1 &
            visit=$!
            outside+=("$visit")
            ;;
        oracle)
            air "$exchange" Tests/Linux/oracle/scene.yaml --connection-events || status=1
            controllers="$sockets/air $sockets/air"
            ;;
        comparison | cost)
            air "$exchange" empty || status=1
            controllers="$sockets/air $sockets/air"
            on_the_air "$exchange" "$build/HaraldLinuxChecks" measured
            ;;
    esac
    if [ $status != 0 ]; then
        echo "FAIL the programs outside the machine for '$1' did not start:"
        cat "$exchange"/*.log
        leave
        return $status
    fi
    # The unit requires systemd; without it, this part checks less.
    if [ "$1" = install ] && [ -x /usr/lib/systemd/systemd ]; then init=systemd; fi
    # A separate machine for each part, so that parts do not affect each other.
    CONTROLLERS=$controllers INIT=$init Tests/Linux/machine/run.sh "$linux" "$exchange" "$seconds" \
        "$PWD/Tests/Linux/scenario.sh $build $linux/python/bin/python $1" || status=$?
    if [ -n "$visit" ]; then
        if grep -qs 'on the air' "$exchange/device.log"; then wait "$visit" || status=1; fi
        sed 's/^/outside: /' "$exchange/visit.log"
    fi
    leave
    return $status
}

seconds=${HARALD_LINUX_SECONDS:-900}
failed=0 came=no never=no
summary=() skipped=()
for part in "${parts[@]}"; do
    if [ -n "${HARALD_LINUX_MINUTES:-}" ] && [ $SECONDS -ge $((HARALD_LINUX_MINUTES * 60)) ]; then
        skipped+=("$part: the $HARALD_LINUX_MINUTES minutes for these tests have elapsed")
        continue
    fi
    if [ $never = yes ]; then
        skipped+=("$part: for the same reason")
        continue
    fi
    begun=$SECONDS status=0
    run "$part" || status=$?
    word=ok
    if [ $status != 0 ] && [ $status != 125 ] && [ "${HARALD_LINUX_AGAIN:-0}" = 1 ]; then
        echo
        echo "AGAIN: the part '$part' failed (status $status, $((SECONDS - begun)) s)." \
            "It is tried once more in a new machine:"
        echo "the processor is emulated, and load on the real one can delay it beyond any deadline."
        mkdir -p "$linux/exchange/failed"
        cp -R "$linux/exchange/$part" "$linux/exchange/failed/"
        status=0
        run "$part" || status=$?
        word='ok at the second attempt'
    fi
    case $status in
        0) came=yes ;;
        125)
            skipped+=("$part: the machine did not start; see $linux/exchange/$part/console.log")
            # A machine that never booted does not boot the next time either.
            [ $came = yes ] || never=yes
            continue
            ;;
        *)
            came=yes failed=1
            word="FAILED (status $status)"
            ;;
    esac
    summary+=("$part: $word, $((SECONDS - begun)) s")
done
echo
echo "On a real Linux kernel, in $((SECONDS / 60)) min $((SECONDS % 60)) s:"
for line in "${summary[@]}"; do echo "  $line"; done
if [ ${#skipped[@]} != 0 ]; then
    for line in "${skipped[@]}"; do echo "SKIPPED: $line"; done
    if [ "${HARALD_REQUIRE_PEERS:-0}" = 1 ]; then failed=1; fi
fi
exit $failed
