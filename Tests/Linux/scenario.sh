#!/bin/bash
# scenario.sh DIRECTORY-OF-THE-BUILD PYTHON PART...: runs the parts inside the machine.
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
if [ -d /run/systemd/system ]; then
    KILL="systemctl stop bluetooth"
    START="systemctl start bluetooth"
fi

part() { echo; echo "== $*"; }
note() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok   $2"; else
        failures=$((failures + 1))
        echo "FAIL $2 (status $1)"
        return 1
    fi
}
until_true() { # SECONDS COMMAND...: polls, for services that do not report that they are ready
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
peer() { # COUNT: so many of the controllers that peer.py has outside are the kernel's
    local index
    for ((index = 0; index < $1; index++)); do
        "$python" -I -S "$here/vhci.py" "/dev/hvc$index" >"/exchange/vhci$index.log" 2>&1 &
        started+=($!)
        # One after another, so that their numbers are deterministic.
        until_true 60 controllers $((index + 1))
    done
    controllers "$1"
    note $? "$1 virtual controllers" || cat /exchange/vhci*.log
}
address() {
    bluetoothctl list | sed 's/\x1b\[[0-9;]*m//g' | grep -a Controller | sort -k2 |
        sed -n "$((${1#hci} + 1))p" | cut -d' ' -f2
}
listed() { [ -n "$(address "$1")" ]; }
up() { listed "$1" && bluetoothctl show "$(address "$1")" | grep -q 'Powered: yes'; }
switch() {
    until_true 20 listed "$1"
    (echo "select $(address "$1")"; echo "power $2"; sleep 3) | bluetoothctl >/dev/null 2>&1
}
down() { switch "$1" off; }
taken() { [ "$(bluetoothctl list | grep -c Controller)" = 1 ]; }
radio_switch() { # ADAPTER 0|1
    for radio in /sys/class/rfkill/*; do
        if [ "$(cat "$radio/name")" = "$1" ]; then echo "$2" >"$radio/soft"; fi
    done
}
agent() { # an agent that accepts BlueZ's requests
    "$python" -W ignore "$here/agent.py" >/exchange/agent.log 2>&1 &
    started+=($!)
    until_true 60 grep -q ready /exchange/agent.log
    note $? "an agent"
}
attach() { # COUNT: controllers that run outside, at the machine's serial ports
    local index
    modprobe hci_uart
    for ((index = 0; index < $1; index++)); do
        btattach -B "/dev/hvc$index" -P h4 >"/exchange/btattach$index.log" 2>&1 &
        started+=($!)
        until_true 60 controllers $((index + 1))
    done
    controllers "$1"
    note $? "$1 of our controllers, outside the machine"
}
device() { # ADAPTER: our own device there, in the background
    HARALD_ADAPTER=$1 timeout 300 "$checks" peripheral >"/exchange/device.log" 2>&1 &
    device=$!
    until_true 90 grep -q 'on the air' /exchange/device.log || cat /exchange/device.log
}
finds() { # STATUS WHAT TEXT...: the doctor ends with this status and prints each text; as $HARALD_AS, if it is set
    local expected=$1 what=$2 status text
    local as=()
    shift 2
    if [ -n "${HARALD_AS:-}" ]; then as=(setpriv --reuid "$HARALD_AS" --regid nogroup --clear-groups); fi
    "${as[@]}" "$harald" doctor >/exchange/doctor.log 2>&1
    status=$?
    [ $status = "$expected" ] && for text in "$@"; do grep -qF -- "$text" /exchange/doctor.log || status=$text; done &&
        [ "$status" = "$expected" ]
    note $? "the doctor: $what" || { echo "     $status"; cat /exchange/doctor.log; }
}
main_process() { systemctl show -P MainPID "harald@$1"; }
heard_by() { journalctl -q -o cat -u "harald@$1" --since "@$2" | grep -q TestPeer; }
service() { # the unit, under systemd itself
    local first second begun
    part "... and its unit runs a continuous scan, as a dedicated user"
    mkdir -p /etc/harald
    echo 'ARGUMENTS=scan --adapter auto --timeout 0 --json' >/etc/harald/test.conf
    udevadm control --reload 2>/dev/null
    begun=$(date +%s)
    systemctl daemon-reload && systemctl start harald@test
    note $? "systemctl start harald@test"
    until_true 60 heard_by test "$begun"
    note $? "it finds the device, which is in the journal" || journalctl -q -u harald@test
    first=$(main_process test)
    grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$first/status" | sed 's/^/     /'
    [ "$(stat -c %U "/proc/$first")" = harald ] &&
        grep -qE '^CapEff:[[:space:]]0+$' "/proc/$first/status" &&
        grep -qE '^NoNewPrivs:[[:space:]]1' "/proc/$first/status"
    note $? "as a dedicated user without privileges"
    [ "$(stat -c %U /var/lib/harald)" = harald ]
    note $? "with a dedicated directory for its data"
    kill -9 "$first"
    begun=$(date +%s)
    until_true 60 heard_by test "$begun"
    note $? "after it was killed, it restarts and continues to scan" || systemctl status harald@test
    systemctl restart bluetooth
    begun=$(date +%s)
    until_true 90 heard_by test "$begun"
    note $? "after a restart of bluetoothd it continues to scan" || journalctl -q -u harald@test
    systemctl stop harald@test
    [ "$(systemctl is-active harald@test)" = inactive ]
    note $? "systemctl stop ends it without an error" || systemctl status harald@test
    rm -r /etc/harald
}
installed() { { find /usr/local /etc/udev /etc/systemd /etc/dbus-1; find /etc/sysusers.d -type f; } 2>/dev/null | sort; }
goodbye() {
    # The limit for a device that was not visited.
    until_true 60 bash -c "! kill -0 $device" || kill $device
    wait $device
    note $? "our device received everything and ended"
    sed 's/^/     device: /' /exchange/device.log
}
visits() { # between BlueZ on hci0 and our stack on the user channel of hci1, which is down
    # In this order: of a central that came before BlueZ would show the services that it had, not those that it
    # advertises now.
    device hci:1
    HARALD_ADAPTER=bluez:hci0 timeout 200 "$checks" visit
    note $? "our central over BlueZ, our device on the user channel"
    goodbye
    until_true 30 controllers 2
    note $? "the controller is released"
    until_true 20 up hci1
    down hci1
    device bluez:hci0
    HARALD_ADAPTER=hci:1 timeout 200 "$checks" visit
    note $? "our central on the user channel, our device over BlueZ"
    goodbye
    until_true 30 controllers 2
    note $? "the controller is released again"
}
emulator() { # BlueZ's own emulator with two controllers; a slow kernel gives up on one before it is served
    local process
    for _ in 1 2 3 4 5; do
        btvirt -l2 >/exchange/btvirt.log 2>&1 &
        process=$!
        if until_true 30 controllers 2; then
            started+=($process)
            return
        fi
        kill -9 $process
        wait $process 2>/dev/null
        until_true 20 bash -c '! ls /sys/class/bluetooth | grep -q hci'
    done
    return 1
}

answers() { # TEXT PATH [BODY]: the API of `harald serve` answers with the text
    curl -sS -H "Authorization: Bearer $(cat /root/token)" ${3:+-H 'Content-Type: application/json' -d "$3"} \
        "http://127.0.0.1:8480/api/v1/$2" | tee /exchange/answer | grep -q -- "$1"
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
        explorer)
            part "The explorer, on an adapter of BlueZ that is off"
            begin
            peer 1
            down hci0
            mkdir -p /root/explorer
            "$harald" serve --adapter bluez:hci0 --listen 127.0.0.1:8480 --no-browser --json --token-file /root/token \
                --store /root/explorer >/exchange/serve.log 2>&1 &
            started+=($!)
            until_true 60 answers '"canPowerOn":true' state
            note $? "it reports that the adapter is off, and that it can be switched on" || answers . state
            answers '' radio '{"powered":true}' && until_true 30 up hci0
            note $? "it switches the adapter on"
            until_true 60 answers TestPeer devices
            note $? "and finds the device"
            switch hci0 off && until_true 30 answers '"poweredOff"' state
            note $? "it reports that another program switched the adapter off" || answers . state
            finish
            ;;
        workbench)
            part "harald check and harald run over BlueZ, with Bumble's device"
            begin
            peer 1
            HARALD_ADAPTER=bluez:hci0 timeout 300 "$harald" check TestPeer --json \
                >/exchange/check.json 2>/exchange/check.log
            note $? "check finds no error" || cat /exchange/check.json /exchange/check.log
            "$python" "$here/check_report.py" /exchange/check.json
            note $? "rules are judged, or not run with a reason"
            HARALD_ADAPTER=bluez:hci0 timeout 300 "$harald" run "$here/workbench.yaml" --keep-going
            note $? "each step of a script passes"
            finish
            ;;
        soak)
            part "500 connections over BlueZ"
            begin
            peer 1
            id() { echo "A5B7000$1-1C2D-4E5F-8091-A2B3C4D5E6F7"; }
            "$python" "$here/../../Benchmarks/soak.py" --sample /exchange/linux.json \
                "$build/harald-bench" soak cycles bluez:hci0 TestPeer 500 "$(id 0)" "$(id 1)" "$(id 4)"
            note $? "memory, descriptors, threads and processor time stay constant"
            finish
            ;;
        shared)
            part "Two programs on one adapter of BlueZ"
            begin
            peer 1
            HARALD=$harald HARALD_ADAPTER=bluez:hci0 timeout 400 "$checks" shared
            note $? "two programs"
            finish
            ;;
        restart)
            part "bluetoothd is killed during operations"
            begin
            peer 1
            PEER_NAME=TestPeer HARALD_ADAPTER=auto timeout 400 "$checks" restart
            note $? "restart"
            finish
            ;;
        peripheral)
            part "Our device over BlueZ, visited by bleak"
            begin
            peer 2
            device bluez:hci1
            timeout 200 "$python" -W ignore "$here/visitor.py" hci0
            note $? "bleak"
            goodbye
            part "... and by bluetoothctl"
            device bluez:hci1
            mkfifo /run/bluetoothctl
            stdbuf -oL bluetoothctl </run/bluetoothctl >/exchange/bluetoothctl.log 2>&1 &
            started+=($!)
            exec 9>/run/bluetoothctl
            said() { until_true 90 grep -qaE "$1" /exchange/bluetoothctl.log; }
            said 'Agent registered' && printf '%s\n' "select C0:FF:EE:00:00:01" "scan le" >&9
            said 'Device C0:FF:EE:00:00:02' && printf '%s\n' "scan off" "connect C0:FF:EE:00:00:02" >&9
            said 'Connection successful' && said 'ServicesResolved: yes' &&
                printf '%s\n' "menu gatt" "select-attribute a5b70001-1c2d-4e5f-8091-a2b3c4d5e6f7" "read" >&9
            said '  07  '
            note $? "bluetoothctl connects and reads" || cat /exchange/bluetoothctl.log
            printf '%s\n' "back" "disconnect" "quit" >&9
            exec 9>&-
            kill $device
            wait $device
            finish
            ;;
        user)
            part "Our stack on the user channel of one controller, BlueZ on the other"
            begin
            peer 2
            HARALD_ADAPTER=hci:1 "$harald" scan --timeout 1 2>&1 | grep -q 'is in use'
            note $? "a controller that is up is refused, with a remedy"
            setpriv --reuid 65534 --regid 65534 --clear-groups "$harald" scan --adapter hci:1 --timeout 1 2>&1 |
                grep -q setcap
            note $? "a user without the capability receives the command to run"
            "$harald" scan --adapter hci:9 --timeout 1 2>&1 | grep -q 'was not found'
            note $? "a missing controller is named in the error"
            down hci1
            radio_switch hci1 1
            "$harald" scan --adapter hci:1 --timeout 1 2>&1 | grep -q 'rfkill unblock'
            note $? "a controller blocked by a radio switch is distinguished from a busy one"
            radio_switch hci1 0
            # bluetoothd may power on an adapter that a radio switch releases.
            until_true 10 up hci1
            down hci1
            visits
            until_true 20 up hci1
            down hci1
            "$harald" scan --adapter hci:1 --timeout 0 >/exchange/scan.log 2>&1 &
            killed=$!
            until_true 30 taken
            note $? "a scan holds the controller, and bluetoothd does not" || cat /exchange/scan.log
            "$harald" scan --adapter hci:1 --timeout 1 2>&1 | grep -q 'is in use'
            note $? "... nor does another program"
            "$harald" doctor | grep -q "process $killed) has HCI sockets open"
            note $? "... and the doctor names the program that holds it"
            kill -9 $killed
            wait $killed 2>/dev/null
            until_true 30 controllers 2 && switch hci1 on && until_true 30 up hci1
            note $? "... and after the program is killed, bluetoothd manages it again and switches it on"
            finish
            ;;
        btvirt)
            part "The same visits, on controllers of btvirt"
            begin
            if emulator; then
                note 0 "two virtual controllers"
                down hci1
                visits
            else
                echo "SKIPPED: the kernel gave up on one of btvirt's controllers; is this machine busy?"
            fi
            finish
            ;;
        install)
            part "make install, as root"
            before=$(installed)
            "$here/../../Scripts/install.sh" install "$harald" /usr/local >/dev/null
            note $? "installed"
            for file in /usr/local/bin/harald /usr/local/share/bash-completion/completions/harald \
                /etc/udev/rules.d/60-harald.rules /etc/dbus-1/system.d/harald-bluez.conf \
                /etc/systemd/system/harald@.service /etc/sysusers.d/harald.conf; do
                [ -s $file ]
                note $? "$file"
            done
            systemd-analyze verify /etc/systemd/system/harald@.service 2>&1 | tee /exchange/unit.log
            [ "${PIPESTATUS[0]}" = 0 ] && ! [ -s /exchange/unit.log ]
            note $? "systemd accepts the unit"
            udevadm test --action=add /sys/class/tty/ttyS0 >/exchange/udev.log 2>&1
            grep -q 60-harald.rules /exchange/udev.log && ! grep '60-harald.rules:' /exchange/udev.log
            note $? "udev accepts the rule"
            begin
            peer 1
            # As in the unit: a user without privileges, and without a way to gain any.
            unit() { setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --no-new-privs "$@"; }
            unit /usr/local/bin/harald --help | grep -q OVERVIEW
            note $? "a user without privileges runs its help"
            unit env HOME=/tmp /usr/local/bin/harald doctor >/exchange/doctor.log
            note $? "... the doctor reports that a scan works for this user" || cat /exchange/doctor.log
            unit env HOME=/tmp /usr/local/bin/harald scan --adapter auto --timeout 20 --json | grep -q TestPeer
            note $? "... and a scan works"
            if [ -d /run/systemd/system ]; then service; fi
            "$here/../../Scripts/install.sh" uninstall - /usr/local
            [ "$before" = "$(installed)" ]
            note $? "make uninstall removes all files" || diff <(echo "$before") <(installed)
            finish
            ;;
        controller)
            part "BlueZ on our virtual controller outside the machine: bleak visits our device"
            begin
            attach 1
            agent
            timeout 200 "$python" -W ignore "$here/visitor.py" hci0
            note $? "bleak"
            part "... our central over BlueZ reads the battery service of a strap, which BlueZ hides"
            HARALD_ADAPTER=bluez:hci0 timeout 200 "$harald" read 'Polar H7' 180F/2A19 --timeout 60
            note $? "battery"
            HARALD_ADAPTER=bluez:hci0 timeout 200 "$harald" notify 'Polar H7' 180D/2A37 --count 3 --timeout 60
            note $? "heart rate"
            HARALD_ADAPTER=bluez:hci0 timeout 200 "$harald" rssi 'Polar H7' --count 2 --timeout 60
            note $? "the signal strength of a link, from the kernel"
            part "... our device over BlueZ is visited from outside"
            device bluez:hci0
            goodbye
            finish
            ;;
        oracle)
            part "The answers of bluetoothd to the script of the oracle"
            export START=${START/ -n/ -n --experimental}
            begin
            attach 2
            PYTHONDONTWRITEBYTECODE=1 timeout 600 "$python" "$here/oracle/script.py" /exchange/oracle.txt
            note $? "a recording"
            "$python" "$here/oracle/compare.py" "$here/oracle/bluetoothd-5.66.txt" /exchange/oracle.txt
            note $? "it is the one that the tests use"
            part "... a passive scan over BlueZ, by advertisement monitors"
            HARALD_ADAPTER=bluez:hci0 timeout 100 "$harald" scan --passive --timeout 20 --json >/exchange/passive.log 2>&1
            grep -q '"name":"Gadget"' /exchange/passive.log
            note $? "a device is heard" || head -c 2000 /exchange/passive.log
            finish
            ;;
        cost)
            part "The cost of a read through org.bluez: bluetoothd, and ours on the user channel, in turn"
            begin
            attach 2
            # A debug build is not representative.
            if [ -x "${build%debug}release/HaraldLinuxChecks" ]; then checks=${build%debug}release/HaraldLinuxChecks; fi
            until_true 20 up hci1
            down hci1
            bus=unix:path=/run/private-bus
            cat >/run/private-bus.conf <<EOF
<busconfig><listen>$bus</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
</policy></busconfig>
EOF
            dbus-daemon --config-file=/run/private-bus.conf --nofork >/exchange/bus.log 2>&1 &
            started+=($!)
            until_true 20 test -S /run/private-bus
            HARALD_ADAPTER=hci:1 "$checks" service "$bus" >/exchange/service.log 2>&1 &
            service=$!
            started+=($service)
            until_true 60 grep -q serving /exchange/service.log
            note $? "ours serves" || cat /exchange/service.log
            # Short ones: load on the real processor changes what an emulated instruction costs.
            for round in 1 2 3 4 5 6 7; do
                timeout 200 "$python" -W ignore "$here/reads.py" bluetoothd "$(cat /run/bluetoothd.pid)" hci0 200
                DBUS_SYSTEM_BUS_ADDRESS=$bus timeout 200 "$python" -W ignore "$here/reads.py" "harald bluez" $service \
                    hci0 200
            done >/exchange/runs.log 2>&1
            [ "$(grep -c '^{' /exchange/runs.log)" = 14 ]
            note $? "seven rounds" || cat /exchange/runs.log
            "$python" "$here/table.py" bluetoothd cost </exchange/runs.log
            note $? "table"
            finish
            ;;
        comparison)
            part "Our central over BlueZ, bleak, and our stack on the user channel, in turn"
            begin
            attach 2
            # A debug build is not representative.
            if [ -x "${build%debug}release/HaraldLinuxChecks" ]; then checks=${build%debug}release/HaraldLinuxChecks; fi
            # Reads, notifications, and notifications per second.
            size=(${HARALD_LINUX_SIZE:-300 2400 800})
            for round in 1 2 3; do
                HARALD_ADAPTER=bluez:hci0 timeout 120 "$checks" measure "Harald over BlueZ" "${size[@]}"
                timeout 120 "$python" -W ignore "$here/measure.py" hci0 bleak "${size[@]}"
                # bluetoothd powers on the controller that the user channel released.
                until_true 20 up hci1
                down hci1
                HARALD_ADAPTER=hci:1 timeout 120 "$checks" measure "Harald on the user channel" "${size[@]}"
            done >/exchange/runs.log 2>&1
            [ "$(grep -c '^{' /exchange/runs.log)" = 9 ]
            note $? "three rounds" || cat /exchange/runs.log
            "$python" "$here/table.py" bleak </exchange/runs.log
            note $? "table"
            finish
            ;;
        doctor)
            part "The doctor"
            finds 69 "no controller, no bluetoothd" "no Bluetooth controller" "systemctl enable --now bluetooth"
            cat /exchange/doctor.log
            rm -f /.dockerenv /run/.containerenv
            modprobe -r hci_vhci bluetooth
            mv $daemon $daemon.away
            echo '<4>Bluetooth: hci0: firmware file rtl_bt/rtl8761bu_fw.bin not found' >/dev/kmsg
            finds 69 "a virtual machine whose kernel has not loaded Bluetooth, without BlueZ, with firmware missing" \
                "a virtual machine (QEMU)" "sudo modprobe bluetooth" "apt install bluez" "firmware-realtek"
            mv $daemon.away $daemon
            modprobe hci_vhci
            DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere finds 69 "no D-Bus" "apt install dbus"
            begin
            peer 1
            until_true 30 up hci0
            finds 0 "with both, a scan works" "A scan works, with --adapter bluez:hci0" "bluetoothd 5." \
                "no radio switch blocks Bluetooth" "'root' has the capabilities to use a controller"
            "$harald" adapters
            radio_switch hci0 1
            finds 69 "a radio switch" "rfkill unblock bluetooth" "hci0 is blocked"
            radio_switch hci0 0
            until_true 10 up hci0 || switch hci0 on
            echo '<busconfig><policy user="nobody"><deny send_destination="org.bluez"/></policy></busconfig>' \
                >/etc/dbus-1/system.d/nobody.conf
            dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null
            HARALD_AS=nobody finds 69 \
                "D-Bus denies this user access to bluetoothd, and the user lacks the capability for hci:N" \
                "denies 'nobody' access" "usermod -aG bluetooth nobody" "setcap cap_net_admin"
            finish
            ;;
        *) note 64 "unknown part $name" ;;
    esac
done
echo
if [ $failures = 0 ]; then echo "All parts passed."; else echo "$failures failures."; fi
exit $((failures > 0))
