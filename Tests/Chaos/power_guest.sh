#!/bin/bash
# power_guest.sh HARALD PYTHON DIRECTORY MODE, in the machine: a hub on the disk, and a gateway that posts to it (MODE
# run), or the store checked and exported (MODE check). The created and the acknowledged readings are in /exchange.
set -eu
harald=$1 python=$2 here=$3 mode=$4
modprobe -a virtio_blk ext4
until [ -b /dev/vda ]; do sleep 0.1; done
mkdir -p /disk
mount -t ext4 /dev/vda /disk
if [ -e /exchange/preload.so ]; then export LD_PRELOAD=/exchange/preload.so; fi
"$harald" hub --listen 127.0.0.1:8700 --store /disk/hub.sqlite --json >/exchange/hub.log 2>&1 &
hub=$!
until grep -qs listening /exchange/hub.log; do
    kill -0 $hub || exit 1
    sleep 0.1
done
if [ "$mode" = run ]; then
    exec "$python" "$here/gateway.py" http://127.0.0.1:8700 "$(cat /exchange/token)" /exchange/made /exchange/acked \
        power
fi
"$harald" hub export /exchange/all.jsonl --format jsonl --store /disk/hub.sqlite
kill $hub
wait $hub || true
"$python" >/exchange/integrity -c 'import sqlite3
print(sqlite3.connect("/disk/hub.sqlite").execute("PRAGMA integrity_check").fetchone()[0])'
umount /disk
