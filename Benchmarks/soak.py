#!/usr/bin/env python3
"""Long runs: the memory, descriptors, threads and processor time of a process stay constant.

    soak.py                      cycles, day and scan
    soak.py --only cycles day    some of them
    soak.py --short              a hundredth of each, to test this program
    soak.py --sample FILE COMMAND...    samples a command that prints its progress, writes FILE and judges it

| part | run |
| --- | --- |
| cycles | 10,000 connections to a peripheral of Bumble: discovery, a read, a subscription |
| day | 24 simulated hours of 200 devices and 20 links |
| scan | a simulated week of a scan of 20 devices with private addresses, 40,320 addresses in all |
| linux | 500 connections over BlueZ, in the QEMU machine |
| serve | an hour of `harald serve` under events, clients and links (Benchmarks/explorer.py, its own limits) |
| bluez | an hour of `harald bluez` with 50 clients and 200 devices (Tests/Peers/bus_clients.py) |

Each part writes its samples and a plot to .build/soak. It passes if, from the second quarter to the last, the median of
the resident memory grows by less than 5 % and 2 MB, the maximum of descriptors and threads does not grow, and the
processor time of a step grows by less than a quarter. Exit status: 0 passed, 1 failed, 2 could not run.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from harness.paths import HARALD, HARALD_BENCH, PEERS, PYTHON_OF_PEERS, ROOT
from harness.processes import Broken, Children, end_on_signals

FOLDER = ROOT / '.build/soak'
CLIENTS, DEVICES = 50, 200
SERIES = {'memory': 'resident memory, MB', 'descriptors': 'descriptors', 'threads': 'threads',
          'processor': 'processor time of a step, ms'}


def resources(pid):
    """The resources of a process now; its processor time in seconds."""
    with open(f'/proc/{pid}/status', encoding='ascii', errors='replace') as file:
        status = dict(line.split(':', 1) for line in file)
    with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return {'memory': int(status['VmRSS'].split()[0]) / 1024, 'threads': int(status['Threads']),
            'descriptors': len(os.listdir(f'/proc/{pid}/fd')),
            'seconds': (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')}


def sampled(command, pid=None):
    """Runs a command that prints `progress N`; the resources of its process, or of another, at each of these lines."""
    samples = []
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stdout:
                words = line.split()
                if words[:1] != ['progress']:
                    continue
                try:
                    samples.append({'step': int(words[1]), 'time': time.monotonic(), **resources(pid or process.pid)})
                except (FileNotFoundError, ProcessLookupError, KeyError):  # it has ended
                    break
        finally:
            if process.poll() is None:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
    if process.returncode != 0:
        raise Broken(f'{command[0]} ended with status {process.returncode} after {len(samples)} samples')
    if len(samples) < 9:
        raise Broken(f'{len(samples)} samples are too few')
    for earlier, later in zip(samples, samples[1:]):
        later['processor'] = (later['seconds'] - earlier['seconds']) * 1000 / (later['step'] - earlier['step'])
    # The first interval includes the start of the program.
    return samples[1:]


def judge(samples):
    """The median, or maximum, of each series in the second quarter and in the last, and whether it is constant."""
    quarter = len(samples) // 4
    results = {}
    for name in SERIES:
        summary = max if name in ('descriptors', 'threads') else statistics.median
        early, late = (summary(sample[name] for sample in part)
                       for part in (samples[quarter:2 * quarter], samples[-quarter:]))
        limit = {'memory': min(early * 1.05, early + 2), 'processor': early * 1.25}.get(name, early)
        results[name] = {'early': round(early, 3), 'late': round(late, 3), 'holds': late <= limit}
    return results


def plot(part, samples):
    """An SVG picture with one diagram for each series, over the steps."""
    width, height, left = 640, 120, 60
    steps = [sample['step'] for sample in samples]
    parts = []
    for row, (name, label) in enumerate(SERIES.items()):
        values = [sample[name] for sample in samples]
        top, largest = 40 + row * (height + 40), max(values) * 1.1 or 1
        points = ' '.join(
            f'{left + (step - steps[0]) / max(1, steps[-1] - steps[0]) * (width - left - 10):.1f},'
            f'{top + height - value / largest * height:.1f}' for step, value in zip(steps, values))
        parts.append(
            f'<text x="{left}" y="{top - 6}">{label}</text>'
            f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{largest:.3g}</text>'
            f'<text x="{left - 6}" y="{top + height}" text-anchor="end">0</text>'
            f'<rect x="{left}" y="{top}" width="{width - left - 10}" height="{height}" fill="none" stroke="#ccc"/>'
            f'<polyline points="{points}" fill="none" stroke="#06c"/>')
    total = 40 + len(SERIES) * (height + 40)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="#fff"/><text x="{left}" y="16">{part}: steps '
            f'{steps[0]} to {steps[-1]}</text>{"".join(parts)}</svg>\n')


def report(samples, folder, name):
    """Writes the samples and the plot; prints the verdict and returns it."""
    results = judge(samples)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f'{name}.json').write_text(json.dumps({'results': results, 'samples': samples}) + '\n')
    (folder / f'{name}.svg').write_text(plot(name, samples))
    holds = all(result['holds'] for result in results.values())
    figures = '; '.join(f"{key} {result['early']:.4g} -> {result['late']:.4g}{'' if result['holds'] else ' GROWS'}"
                        for key, result in results.items())
    print(f"soak: {name}: {'constant' if holds else 'NOT CONSTANT'}: {figures}", flush=True)
    return holds


def cycles(count):
    with Children() as children:
        air = children.start('Bumble controllers', [PYTHON_OF_PEERS, '-u', PEERS / 'controllers.py'], keeps_input=True)
        ports = re.findall(r'\d{4,5}', ' '.join(air.line('{"event": "ready"')))
        device = children.start(
            "Bumble's peripheral",
            [PYTHON_OF_PEERS, '-u', PEERS / 'peripheral.py', f'tcp-client:127.0.0.1:{ports[0]}', '--name', 'Soak',
             '--interval', '20', '--heart-rate-period', '0'], {'PYTHONPATH': str(PEERS)}, keeps_input=True)
        device.line('{"event": "ready"')
        device.discard_output()  # an event for each cycle
        adapter = f'tcp:127.0.0.1:{ports[1]}'
        return sampled([HARALD_BENCH, 'soak', 'cycles', adapter, 'Soak', count, '180D', '2A38', '2A37'])


def serve(seconds):
    """Runs the measurement of the explorer, which judges itself."""
    build = subprocess.run([ROOT / 'Scripts/build.sh', '-c', 'release', '--product', 'harald'], check=False)
    command = [ROOT / 'Scripts/web-tests.sh', '../../Benchmarks/explorer.py', '--soak', str(seconds)]
    if build.returncode != 0:
        raise Broken('harald cannot be built')
    return subprocess.run(command, check=False).returncode == 0


def linux():
    """The samples of the part `soak` in the QEMU machine, which writes them."""
    path = ROOT / '.build/linux/exchange/soak/linux.json'
    path.unlink(missing_ok=True)
    # bluetoothd ends a link two seconds after the request (DISCONNECT_TIMER), so 500 connections take 20 minutes.
    environment = {'HARALD_LINUX_SECONDS': '2400', **os.environ}
    command = [ROOT / 'Scripts/test-linux.sh', 'soak']
    if subprocess.run(command, env=environment, check=False).returncode not in (0, 1):
        raise Broken('the QEMU machine is not available')
    if not path.exists():
        raise Broken('the QEMU machine wrote no samples')
    return json.loads(path.read_text())['samples']


def bluez(seconds):
    with Children() as children:
        scene = Path(children.folder) / 'scene.yaml'
        values = '[{uuid: 2A38, properties: [read], value: {u8: 1}}, ' \
            '{uuid: 2A37, properties: [notify], value: {hex: "0050"}, notifyEvery: 100 ms}]'
        scene.write_text('name: many\ndevices:\n' + ''.join(
            f'- {{device: {{name: S{number}, services: [{{uuid: 180D, characteristics: {values}}}]}}, distance: 2 m}}\n'
            for number in range(DEVICES)))
        service = children.start('harald bluez', [HARALD, 'bluez', '--adapter', f'virtual:{scene}', '--json'])
        address = json.loads(' '.join(service.line('{"address"', timeout=60)))['address']
        service.discard_output()
        return sampled([PYTHON_OF_PEERS, PEERS / 'bus_clients.py', address, CLIENTS, DEVICES, seconds], service.pid)


PARTS = {
    'cycles': lambda share: cycles(10_000 // share),
    'day': lambda share: sampled([HARALD_BENCH, 'soak', 'day', max(1, 24 // share)]),
    'scan': lambda share: sampled([HARALD_BENCH, 'soak', 'scan', max(12, 168 // share)]),
    'linux': lambda share: linux(),
    'serve': lambda share: serve(3600 // share),
    'bluez': lambda share: bluez(max(180, 3600 // share)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', nargs='+', choices=PARTS, default=['cycles', 'day', 'scan'], metavar='PART')
    parser.add_argument('--short', action='store_true', help='a part of each, to test this program')
    parser.add_argument('--sample', nargs=argparse.REMAINDER, metavar='FILE COMMAND')
    arguments = parser.parse_args()
    end_on_signals()
    holds = True
    try:
        if arguments.sample:
            file, *command = arguments.sample
            path = ROOT / file
            return 0 if report(sampled(command), path.parent, path.stem) else 1
        for name in arguments.only:
            start = time.monotonic()
            samples = PARTS[name](100 if arguments.short else 1)
            # A part that judges itself has no samples.
            holds = (samples if isinstance(samples, bool) else report(samples, FOLDER, name)) and holds
            print(f'  {time.monotonic() - start:.0f} s; {FOLDER.relative_to(ROOT)}', flush=True)
    except Broken as reason:
        print(f'soak: {reason}', file=sys.stderr)
        return 2
    return 0 if holds else 1


if __name__ == '__main__':
    sys.exit(main())
