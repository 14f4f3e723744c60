#!/bin/bash
# scenario.sh DIRECTORY-OF-THE-BUILD PYTHON PART...: what happens inside the machine.
build=$1 python=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checks=$build/HaraldLinuxChecks
harald=$build/harald
failures=0
started=()

daemon=/usr/libexec/bluetooth/bluetoothd
[ -x $daemon ] || daemon=/usr/lib/bluetooth/bluetoothd
export KILL="kill -9 \$(cat /run/bluetoothd.pid)"
export START="$daemon -n >>/exchange/bluetoothd.log 2>&1 & echo \$! >/run/bluetoothd.pid"

part() { echo; echo "== $*"; }
note() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok   $2"; else
        failures=$((failures + 1))
        echo "FAIL $2 (status $1)"
    fi
}
until_true() { # SECONDS COMMAND...: polls, for what tells nobody that it is ready
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then return 1; fi
        sleep 0.3
    done
}
controllers() { [ "$(bluetoothctl list | grep -c Controller)" -ge "$1" ]; }
begin() { # fresh: a bluetoothd without memory
    rm -rf /var/lib/bluetooth/*
    bash -c "$START"
}
finish() {
    for process in "${started[@]}"; do kill -9 "$process" 2>/dev/null; done
    wait "${started[@]}" 2>/dev/null
    started=()
    bash -c "$KILL"
    until_true 20 bash -c '! ls /sys/class/bluetooth | grep -q hci'
}
peer() { # COUNT [alone]
    "$python" -W ignore "$here/peer.py" "$@" >/exchange/peer.log 2>&1 &
    started+=($!)
    until_true 120 grep -q ready /exchange/peer.log && until_true 60 controllers "$1"
    note $? "$1 virtual controllers"
}
device() { # ADAPTER: our own device there, in the background
    HARALD_ADAPTER=$1 timeout 300 "$checks" peripheral >"/exchange/device.log" 2>&1 &
    device=$!
    until_true 90 grep -q 'on the air' /exchange/device.log || cat /exchange/device.log
}
goodbye() {
    wait $device
    note $? "our device saw all of it and ended"
    sed 's/^/     device: /' /exchange/device.log
}

for name in "$@"; do
    case $name in
        central)
            part "Our central over BlueZ, against Bumble"
            begin
            peer 1
            PEER_NAME=TestPeer HARALD_ADAPTER=bluez:hci0 timeout 500 "$checks" central
            note $? "central"
            finish
            ;;
        restart)
            part "bluetoothd is killed in the middle"
            begin
            peer 1
            PEER_NAME=TestPeer HARALD_ADAPTER=auto timeout 400 "$checks" restart
            note $? "restart"
            finish
            ;;
        peripheral)
            part "Our device over BlueZ, visited by bleak"
            begin
            peer 2 alone
            device bluez:hci1
            timeout 200 "$python" -W ignore "$here/visitor.py" hci0
            note $? "bleak"
            goodbye
            part "... and by bluetoothctl"
            device bluez:hci1
            (
                echo "select C0:FF:EE:00:00:01"; echo "scan le"; sleep 15; echo "scan off"
                echo "connect C0:FF:EE:00:00:02"; sleep 20
                echo "menu gatt"; echo "select-attribute a5b70001-1c2d-4e5f-8091-a2b3c4d5e6f7"; echo "read"; sleep 5
                echo "back"; echo "disconnect"; sleep 3; echo "quit"
            ) | bluetoothctl 2>&1 | sed 's/\x1b\[[0-9;]*[a-zA-Z]//g' >/exchange/bluetoothctl.log
            grep -q 'Connection successful' /exchange/bluetoothctl.log && grep -qE '  07  ' /exchange/bluetoothctl.log
            note $? "bluetoothctl connects and reads"
            kill $device
            wait $device
            finish
            ;;
        user)
            part "Our stack on the user channel of one controller, BlueZ on the other"
            begin
            # On a slow machine the kernel may give up on a controller before btvirt serves it.
            for _ in 1 2 3 4 5; do
                btvirt -l2 >/exchange/btvirt.log 2>&1 &
                virtual=$!
                if until_true 15 controllers 2; then break; fi
                kill -9 $virtual
                wait $virtual 2>/dev/null
                sleep 2
            done
            started+=($virtual)
            if ! controllers 2; then
                echo "SKIPPED: the kernel gave up on one of btvirt's controllers; is this machine busy?"
                finish
                continue
            fi
            note 0 "two virtual controllers"
            HARALD_ADAPTER=hci:1 "$harald" scan --timeout 1 2>&1 | grep -q 'is in use'
            note $? "a controller that is up is refused, with the cure"
            setpriv --reuid 65534 --regid 65534 --clear-groups "$harald" scan --adapter hci:1 --timeout 1 2>&1 | grep -q setcap
            note $? "a user without the right is told what to run"
            "$harald" scan --adapter hci:9 --timeout 1 2>&1 | grep -q 'is not there'
            note $? "a controller that is not there is named"
            down() { (echo "select $1"; echo "power off"; sleep 4) | bluetoothctl >/dev/null 2>&1; }
            up() { [ "$(bluetoothctl show "$1" | grep -c 'Powered: yes')" = 1 ]; }
            second=$(bluetoothctl list | grep -a Controller | sort -k2 | tail -n 1 | cut -d' ' -f2)
            down "$second"
            device bluez:hci0
            HARALD_ADAPTER=hci:1 timeout 200 "$checks" visit
            note $? "our central on the user channel, our device over BlueZ"
            goodbye
            until_true 30 controllers 2
            note $? "the controller is given back"
            down "$second"
            device hci:1
            HARALD_ADAPTER=bluez:hci0 timeout 200 "$checks" visit
            note $? "our central over BlueZ, our device on the user channel"
            goodbye
            down "$second"
            "$harald" scan --adapter hci:1 --timeout 100 >/dev/null 2>&1 &
            killed=$!
            sleep 4
            kill -9 $killed
            until_true 30 controllers 2
            note $? "... and given back when the program is killed"
            finish
            ;;
        doctor)
            part "The doctor"
            "$harald" doctor
            [ $? = 69 ]
            note $? "no controller, no bluetoothd: the doctor says so"
            begin
            peer 1
            "$harald" doctor --json | grep -q '"ready":true'
            note $? "with both it says that a scan works"
            "$harald" adapters
            finish
            ;;
        *) note 64 "unknown part $name" ;;
    esac
done
echo
if [ $failures = 0 ]; then echo "All parts went well."; else echo "$failures failures."; fi
exit $((failures > 0))
