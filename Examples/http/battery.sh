#!/bin/sh
# Prints the battery level of a device by the HTTP API: battery.sh NAME [BASE [TOKENFILE]]
set -eu
api=${2:-http://127.0.0.1:8480}/api/v1
token=$(cat "${3:-token}")
call() { curl -sf -H "Authorization: Bearer $token" "$@"; }
field() { python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

device=$(call "$api/devices?name=$1" | field "d['devices'][0]['id']")
call -X POST "$api/devices/$device/connect" >/dev/null
handle=$(call "$api/devices/$device/tree" |
    field "next(c['handle'] for s in d['services'] for c in s['characteristics'] if c['uuid'] == '2A19')")
call -X POST "$api/devices/$device/attributes/$handle/read" | field "int(d['hex'], 16)"
call -X POST "$api/devices/$device/disconnect" >/dev/null
