"""The start time and the memory of the program `harald`."""

import json
import re
import time

from .paths import HARALD, PEERS, PYTHON_OF_PEERS
from .processes import Broken, Children

# Notifications per second during the measurement of memory.
BEATS = 50
# The address of a device of the scene.
DEVICE = re.compile(r'(?:[0-9A-F]{2}:){5}[0-9A-F]{2}')


def offered_air(children, scene):
    """Our air on a port chosen by the system; returns its address for a host."""
    air = children.start(
        'harald air', [HARALD, 'air', scene, '--listen', 'tcp:127.0.0.1:0', '--no-user-socket', '--json'])
    address, = json.loads(' '.join(air.line('{', timeout=20)))['addresses']
    return address


def start_up(repetitions):
    """Milliseconds from the start of `harald scan` to its first device over TCP, one for each repetition.

    The output is a terminal, with a live table, or a pipe, with --advertisements; without that option a pipe receives
    the table only at the end of the scan.
    """
    found = {'terminal': [], 'pipe': []}
    with Children() as children:
        address = offered_air(children, 'default')
        for _ in range(repetitions):
            for kind, options in (('terminal', []), ('pipe', ['--advertisements'])):
                with Children() as scans:
                    start = time.monotonic()
                    scan = scans.start(
                        'harald scan', [HARALD, 'scan', '--adapter', address, *options], terminal=kind == 'terminal')
                    scan.match(DEVICE, timeout=20)
                    found[kind].append((time.monotonic() - start) * 1000)
    return found


def resident(pid):
    """Bytes of resident memory: current, maximum, and the current anonymous part."""
    names = {'VmRSS': 'resident', 'VmHWM': 'highest', 'RssAnon': 'anonymous'}
    with open(f'/proc/{pid}/status', encoding='ascii') as status:
        pairs = (line.split(':', 1) for line in status)
        return {names[name]: int(value.split()[0]) * 1024 for name, value in pairs if name in names}


def memory(seconds):
    """Memory of `harald notify` after that many seconds of notifications of a Bumble peripheral.

    The controllers are ours: Bumble's know no accept list, which a connection by name or address uses.
    """
    if not PYTHON_OF_PEERS.exists():
        raise Broken('there is no .build/peers')
    with Children() as children:
        address = offered_air(children, 'empty')
        peripheral = children.start('peripheral.py', [
            PYTHON_OF_PEERS, PEERS / 'peripheral.py', address.replace('tcp:', 'tcp-client:'), '--heart-rate-period',
            1 / BEATS], keeps_input=True)
        peripheral.line('{"event": "ready"', timeout=30)
        notify = children.start(
            'harald notify', [HARALD, 'notify', 'Bumble Bench', '180D/2A37', '--adapter', address, '--json'])
        notify.line('{', timeout=30)
        values = notify.count_lines(seconds)
        if values < seconds * BEATS / 4:
            raise notify.broken(f'showed only {values} values in {seconds} s')
        return {**resident(notify.pid), 'values': values}
