#!/usr/bin/env python3
"""Measures `harald gateway` with many sensors: processor time, memory and messages, with mosquitto as the broker.

    gateway.py [--sensors 2000] [--interval 1] [--seconds 60] [--harald .build/release/harald]

The sensors are virtual devices with BTHome, on an air of another process, each with one advertisement in an interval of
seconds. Half of the time the broker is away. Prints a line of JSON; the status is 1 if the gateway takes more than a
quarter of a core or more than 60 MB (Documentation/HowTo/sensors.md).
"""

import argparse
import json
import os
import re
import signal
import sys
import time
import urllib.request
from pathlib import Path

from harness.paths import HARALD
from harness.processes import Broken, Children, end_on_signals
from harness.program import resident

MOSQUITTO = '/usr/sbin/mosquitto'
MOST_CORES, MOST_MEMORY = 0.25, 60


def scene(count, interval):
    """A scene of sensors, each with its own temperature."""
    lines = ['name: many', 'devices:']
    for number in range(count):
        data = '40012D02' + (2000 + number % 1000).to_bytes(2, 'little').hex()
        lines.append(
            f"  - {{device: {{name: S{number}, advertise: {{interval: {interval * 1000:.0f} ms, connectable: false, "
            f"name: false, serviceData: {{service: FCD2, data: {{hex: '{data}'}}}}}}}}, distance: 2 m}}")
    return '\n'.join(lines) + '\n'


def processor(pid):
    """Seconds of processor time of a process."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def metrics(url):
    text = urllib.request.urlopen(url + '/metrics', timeout=30).read().decode()
    return {match[1]: float(match[2]) for match in re.finditer(r'^(harald_gateway_\S+) (\S+)$', text, re.M)}


def measure(pid, url, seconds):
    """Cores, megabytes and counts a second of the gateway, during that time."""
    before, used, start = metrics(url), processor(pid), time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - start
    used, after = processor(pid) - used, metrics(url)
    memory = resident(pid)

    def rate(name):
        return (after[name] - before[name]) / took

    return {
        'cores': round(used / took, 3), 'megabytes': round(memory['resident'] / 1e6, 1),
        'anonymous megabytes': round(memory['anonymous'] / 1e6, 1),
        'advertisements a second': round(rate('harald_gateway_advertisements_total')),
        'messages a second': round(rate('harald_gateway_messages_total{receiver="mqtt",result="delivered"}'), 1),
        'dropped': after['harald_gateway_messages_total{receiver="mqtt",result="dropped"}'],
        'waiting': after['harald_gateway_waiting{receiver="mqtt"}'],
        'online': after['harald_gateway_sensors{state="online"}'],
    }


def broker(children, folder, port):
    (folder / 'mosquitto.conf').write_text(f'listener {port} 127.0.0.1\nallow_anonymous true\n')
    child = children.start('mosquitto', [MOSQUITTO, '-c', folder / 'mosquitto.conf'])
    time.sleep(1)
    return child


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sensors', type=int, default=2000)
    parser.add_argument('--interval', type=float, default=1, help='seconds between advertisements of a sensor (1)')
    parser.add_argument('--seconds', type=float, default=60, help='how long it is measured (60)')
    parser.add_argument('--harald', type=Path, default=HARALD)
    parser.add_argument('--port', type=int, default=18839, help='of the broker (18839)')
    options = parser.parse_args()
    end_on_signals()
    if not os.access(MOSQUITTO, os.X_OK):
        raise Broken('mosquitto is not installed (Debian: the package mosquitto)')
    with Children() as children:
        folder = Path(children.folder)
        (folder / 'scene.yaml').write_text(scene(options.sensors, options.interval))
        (folder / 'gateway.yaml').write_text(
            f"name: bench\nmqtt: {{url: 'mqtt://127.0.0.1:{options.port}'}}\nprometheus: {{listen: '127.0.0.1:0'}}\n")
        air = children.start('harald air', [
            options.harald, 'air', folder / 'scene.yaml', '--listen', 'tcp:127.0.0.1:0', '--no-user-socket', '--json'])
        address, = json.loads(' '.join(air.line('{', timeout=300)))['addresses']
        served = broker(children, folder, options.port)
        gateway = children.start('harald gateway', [
            options.harald, 'gateway', '--config', folder / 'gateway.yaml', '--adapter', address, '--json'])
        url = json.loads(' '.join(gateway.line('{"event":"listening"', timeout=60)))['url']
        gateway.discard_output()
        give_up = time.monotonic() + 120
        while metrics(url)['harald_gateway_sensors{state="online"}'] < options.sensors:
            if time.monotonic() > give_up:
                break
            time.sleep(1)
        there = measure(gateway.pid, url, options.seconds / 2)
        served.signal(signal.SIGKILL)
        away = measure(gateway.pid, url, options.seconds / 2)
    print(json.dumps({'sensors': options.sensors, 'broker there': there, 'broker away': away}))
    fails = max(there['cores'], away['cores']) > MOST_CORES or away['megabytes'] > MOST_MEMORY
    return 1 if fails or there['online'] < options.sensors else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Broken as error:
        sys.exit(f'gateway.py: {error}')
