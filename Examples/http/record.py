#!/usr/bin/env python3
"""Records the values of a characteristic as CSV by the HTTP API: record.py NAME UUID COUNT [BASE [TOKENFILE]]"""
import csv
import json
import sys
import urllib.request

name, uuid, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
api = (sys.argv[4] if len(sys.argv) > 4 else "http://127.0.0.1:8480") + "/api/v1"
token = open(sys.argv[5] if len(sys.argv) > 5 else "token").read().strip()
headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Harald-Viewer": "record"}


def call(method, path):
    data = b"{}" if method == "POST" else None
    return json.load(urllib.request.urlopen(urllib.request.Request(api + path, data, headers, method=method)))


stream = urllib.request.urlopen(urllib.request.Request(f"{api}/events?viewer=record", headers=headers))
device = call("GET", f"/devices?name={name}")["devices"][0]["id"]
call("POST", f"/devices/{device}/connect")
services = call("GET", f"/devices/{device}/tree")["services"]
handle = next(c["handle"] for s in services for c in s["characteristics"] if c["uuid"] == uuid)
call("POST", f"/devices/{device}/attributes/{handle}/subscribe")

out, event = csv.writer(sys.stdout, lineterminator="\n"), None
out.writerow(["number", "hex"])
for line in stream:
    key, _, value = line.decode().rstrip("\n").partition(": ")
    if key == "event":
        event = value
    elif key == "data" and event == "value" and json.loads(value)["handle"] == handle:
        out.writerow([count, json.loads(value)["hex"]])
        count -= 1
        if not count:
            break
call("POST", f"/devices/{device}/disconnect")
