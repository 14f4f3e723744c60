#!/bin/sh
# The test inside a bare machine, run by its systemd: /packages has the packages, and /packages/old one of an earlier
# version. Each line of the report begins with "ok" or "FAILED"; the last line is "end".
exec >/report 2>&1
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root
failures=0

expect() { # NAME COMMAND...: runs a command, which has to succeed
    name=$1
    shift
    if output=$("$@" 2>&1); then echo "ok $name"; else
        echo "FAILED $name: $(printf '%s' "$output" | tail -n 5)"
        failures=$((failures + 1))
    fi
}

answers() { # URL TEXT: a server answers within 30 s
    for _ in $(seq 150); do
        if curl -s -m 5 -H 'Accept: text/html, */*' "$1" | grep -q "$2"; then return 0; fi
        sleep 0.2
    done
    echo "$1 does not answer with $2"
    return 1
}

post() { # sends a reading to the hub, as a gateway does
    as_harald hub token add kitchen >/tmp/token || return 1
    curl -sS -m 10 -o /tmp/answer -H "Authorization: Bearer $(head -n 1 /tmp/token)" \
        -H 'Content-Type: application/json' http://127.0.0.1:8093/api/v1/readings \
        -d '{"readings": [{"device": {"serial": "BP-1"}, "characteristic": "2A35",
        "hex": "1E8E0058006900EA070B150506004800FF0000", "clockOffset": 0}]}'
    grep '"stored"' /tmp/answer || { cat /tmp/token /tmp/answer; return 1; }
}

stored() { # the hub's export has the reading
    # An earlier service writes the file itself, and has a /tmp of its own.
    local file=/var/lib/harald/export.jsonl
    as_harald hub export $file --format jsonl && grep -q BP-1 $file && rm $file
}

as_harald() { runuser -u harald -- env XDG_DATA_HOME=/var/lib HOME=/var/lib/harald harald "$@"; }

as_user() { runuser -u nobody -- env HOME=/tmp "$@"; }

expect "the earlier package is installed" dpkg --install /packages/old/harald_*.deb
expect "the services are off" sh -c '! systemctl is-enabled harald-serve && ! systemctl is-enabled harald-hub && ! systemctl is-active harald-hub'
expect "a user scans the virtual radio" as_user harald scan --adapter virtual: --timeout 3
expect "a user's program finds a device through org.bluez" as_user sh -c \
    'harald bluez --adapter virtual:clinic -- harald scan --adapter bluez:hci0 --timeout 3 | grep -q "Heart Rate"'
expect "the manual has a page" test -s /usr/share/man/man1/harald-scan.1.gz
expect "both services start" systemctl enable --now harald-serve harald-hub
expect "the explorer answers" answers http://127.0.0.1:8480/ '<html'
expect "the hub answers" answers http://127.0.0.1:8093/ready .
expect "the hub stores a reading" post
expect "the reading is there" stored
expect "the package is upgraded" dpkg --install /packages/harald_*.deb
expect "the explorer answers after the upgrade" answers http://127.0.0.1:8480/ '<html'
expect "the hub answers after the upgrade" answers http://127.0.0.1:8093/ready .
expect "the reading is kept" stored
expect "the hub runs a demonstration" sh -c 'timeout -s INT 60 harald hub --demo --listen 127.0.0.1:0 --json >/tmp/demo & demo=$!
    for _ in $(seq 150); do if grep -q listening /tmp/demo; then kill -INT $demo; wait $demo; exit 0; fi; sleep 0.2; done; cat /tmp/demo; exit 1'
expect "the package is removed" apt-get -y remove harald
expect "nothing of it runs" sh -c '! pgrep -x harald'
expect "the program is gone" test ! -e /usr/bin/harald
expect "the configuration is kept" test -e /etc/harald/hub.conf
expect "the package is purged" sh -c 'apt-get -y purge harald | grep -q "are kept"'
expect "the configuration is gone" test ! -e /etc/harald
expect "the readings are kept" test -e /var/lib/harald/hub.sqlite
expect "no other file is left" sh -c '! find / -xdev -path /packages -prune -o -path /var/lib/harald -prune -o -path /proc -prune -o -path /run -prune -o -path /var/log -prune -o -name "*harald*" -print | grep .'
echo "end $failures"
systemctl poweroff
