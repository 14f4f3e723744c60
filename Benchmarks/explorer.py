#!/usr/bin/env python3
"""Measures `harald serve` against its limits: processor time, latency, memory, the browser. `make bench-explorer`.

The air is in another process (`harald air`), with generated devices. All measurements are external: in
/proc, on the clients' sockets, in Chromium. `--only PART ...` measures parts: load, latency, size, clients, browser.
`--soak SECONDS` runs the server for that time under events, clients and links, and checks that its memory is constant.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import sys
import threading
import time
import urllib.parse
from datetime import datetime

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'Tests/Web'))
os.environ.setdefault('HARALD', str(ROOT / '.build/release/harald'))

from explorer_parts import Air, Clients, advertisements_in, cpu_seconds, memory, scene  # noqa: E402
from served import Server, browser, wait  # noqa: E402

results = []


def row(title, value, limit, unit=''):
    """A line of the table; the limit is the maximum of the value, or None."""
    holds = limit is None or value <= limit
    results.append((title, value, limit, unit, holds))
    shown = f'{value:,.3g}' if isinstance(value, float) else f'{value:,}'
    print(f"{'' if holds else 'TOO MUCH: '}{title}: {shown}{unit}"
          + (f' (limit {limit:,}{unit})' if limit is not None else ''), flush=True)


class Served:
    """A server on the air of another process."""

    def __init__(self, scene_text):
        self.air = Air(scene_text)
        try:
            self.server = Server(self.air.address)
        except BaseException:
            self.air.stop()
            raise

    def __enter__(self):
        return self.server, self.air

    def __exit__(self, *_):
        try:
            self.server.stop()
        finally:
            self.air.stop()


def heard(server, count):
    wait(lambda: len(server.api('GET', '/devices')['devices']) >= count, f'{count} devices', 60)


def load(devices, seconds):
    """Devices (500) that advertise ten times a second each, five event clients."""
    # An interval of 95 ms and a random delay of 0 to 10 ms. The server scans actively, so that each advertisement has a
    # scan response, which is a separate report.
    with Served(scene(devices, '95 ms')) as (server, air):
        heard(server, devices)
        with Clients(server, 5) as clients:
            time.sleep(2)
            before, start, took = counters(server), time.monotonic(), cpu_seconds(server.process.pid)
            time.sleep(seconds)
            after, passed = counters(server), time.monotonic() - start
            took = cpu_seconds(server.process.pid) - took
            rate = (after['advertisements'] - before['advertisements']) / passed
            row('advertising reports a second', round(rate), None)
            row('processor time of the server', took / passed, 0.5, ' cores')
            row('events a second and client', round(clients.events / 5 / (passed + 2)), None)
            row('advertisements dropped', after['dropped'], 0)
            row('events missed by clients', clients.missed, 0)
        exact(server, air)


def counters(server):
    return server.api('GET', '/state')['counters']


def exact(server, air):
    """The model's counter against the advertisements in a capture of what the adapter sent.

    The air is stopped at the end, not the scan, whose last reports are on their way when nobody wants them any more.
    """
    server.api('POST', '/scan', {'active': False})
    settle(server)
    before = counters(server)['advertisements']
    server.api('POST', '/capture/start')
    server.api('POST', '/scan', {'active': True})
    time.sleep(3)
    os.kill(air.process.pid, signal.SIGSTOP)
    try:
        settle(server)
        counted = counters(server)['advertisements'] - before
        server.api('POST', '/capture/stop')
        _, _, capture = server.request('GET', '/api/v1/capture/file')
    finally:
        os.kill(air.process.pid, signal.SIGCONT)
    sent = advertisements_in(capture)
    row('advertisements in a capture of 3 s', sent, None)
    row('advertisements that the model did not count', abs(sent - counted), 0)


def settle(server):
    """Waits until the counts no longer change."""
    def is_still():
        before = counters(server)['advertisements']
        time.sleep(0.3)
        return counters(server)['advertisements'] == before
    wait(is_still, 'the scan to end')


def latency(devices, values):
    """The latency from the adapter's loop to five sockets, with as many devices."""
    with Served(scene(devices, '95 ms', notifier='20 ms')) as (server, _):
        heard(server, devices + 1)
        with Clients(server, 5) as clients:
            device = server.device('Notifier')['id']
            server.api('POST', f'/devices/{device}/connect', {})
            tree = server.api('GET', f'/devices/{device}/tree')
            handle = next(one['handle'] for service in tree['services'] for one in service['characteristics']
                          if one['uuid'] == 'FFF2')
            server.api('POST', f'/devices/{device}/attributes/{handle}/subscribe')
            wait(lambda: len(clients.latencies) >= 5 * values, f'{values} values at five clients', 60)
            found = sorted(clients.latencies)
        row('values measured', len(found), None)
        row('value to socket, median', statistics.median(found) * 1000, 10, ' ms')
        row('value to socket, 99th of a hundred', found[int(len(found) * 0.99)] * 1000, 50, ' ms')


def size():
    """Our scripts and styles as served, without compression."""
    server = Server('virtual:')
    try:
        total = sum(len(content) for content in pages(server).values())
        row('scripts and styles', total, 180 * 1024, ' bytes')
    finally:
        server.stop()


def pages(server):
    """The scripts and styles reachable from the first page."""
    found, waiting = {}, ['/']
    while waiting:
        path = waiting.pop()
        status, headers, content = server.request('GET', path)
        if status != 200 or not isinstance(content, bytes):
            continue
        kind = headers.get('Content-Type', '')
        text = content.decode(errors='replace')
        if 'javascript' in kind or 'css' in kind:
            found[path] = content
        names = re.findall(r"""(?:src|href)="([^"]+\.(?:js|css))\"""", text) if 'html' in kind else \
            re.findall(r"""['"](\.[^'"]+\.js|/[^'"]+\.(?:js|css))['"]""", text)
        for name in names:
            other = urllib.parse.urljoin(path, name)
            if other not in found and other not in waiting:
                waiting.append(other)
    return found


def clients(count):
    """Concurrent event clients, one in ten of which never reads."""
    server = Server('virtual:')
    try:
        wait(lambda: counters(server)['devices'] > 2, 'devices')
        row('memory without clients', round(memory(server.process.pid)['now'] / 1e6), None, ' MB')
        with Clients(server, count, idle=count // 10) as all_of_them:
            time.sleep(15)
            row('event clients', all_of_them.open, None)
            row('memory at its highest', round(memory(server.process.pid)['highest'] / 1e6), 100, ' MB')
    finally:
        server.stop()


PAINT = """
(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => { for (const one of list.getEntries()) longTasks.push(one.duration); })
        .observe({ type: 'longtask', buffered: true });
    const look = () => {
        if ([...document.querySelectorAll('.list a.rowlink')].some((one) => one.innerText.trim())) {
            requestAnimationFrame(() => { window.painted = performance.now(); });
        } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})();
"""


def in_browser(devices, seconds):
    """The time until the list is shown, and the longest task, with 1,000 devices."""
    if not shutil.which('chromedriver'):
        print('SKIPPED: the browser: there is no chromedriver (apt-get install chromium chromium-driver)')
        return
    with Served(scene(devices, '500 ms')) as (server, _):
        heard(server, devices)
        driver = browser()
        try:
            driver.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': PAINT})
            driver.get(server.url)
            times = []
            for _ in range(5):
                driver.get(server.base + '/devices')
                times.append(wait(lambda: driver.execute_script('return window.painted'), 'the list'))
            time.sleep(seconds)
            tasks = driver.execute_script('return window.longTasks')
            row(f'first list painted, {devices:,} devices', statistics.median(times), 500, ' ms')
            driver.execute_script("document.querySelector('.list .rows').lastElementChild.scrollIntoView()")
            time.sleep(2)
            tasks = driver.execute_script('return window.longTasks')
            row(f'longest task in {seconds + 2} s with {devices:,} devices', round(max(tasks, default=0)), 100, ' ms')
        finally:
            driver.quit()


def soak(seconds):
    """Measures the memory under events, reconnecting clients, links and reads; constant once the buffers are full."""
    # After this time, a device has 600 signal strengths, and the log 10,000 entries.
    warm = 200
    with Served(scene(200, '95 ms', notifier='20 ms')) as (server, _):
        heard(server, 201)
        device = server.device('Notifier')['id']
        stop, faults = threading.Event(), []

        def use():
            """Repeatedly connects, subscribes, reads and disconnects."""
            while not stop.is_set():
                try:
                    server.api('POST', f'/devices/{device}/connect', {})
                    tree = server.api('GET', f'/devices/{device}/tree')
                    all_ = [one for service in tree['services'] for one in service['characteristics']]
                    notify = next(one['handle'] for one in all_ if one['uuid'] == 'FFF2')
                    read = next(one['handle'] for one in all_ if one['uuid'] == 'FFF1')
                    server.api('POST', f'/devices/{device}/attributes/{notify}/subscribe')
                    for _ in range(100):
                        server.api('POST', f'/devices/{device}/attributes/{read}/read')
                    server.api('POST', f'/devices/{device}/disconnect')
                except Exception as error:  # noqa: BLE001: reported at the end
                    faults.append(repr(error))
                    time.sleep(1)

        worker = threading.Thread(target=use, daemon=True)
        worker.start()
        samples, start = [], time.monotonic()
        try:
            while (passed := time.monotonic() - start) < seconds:
                with Clients(server, 5, idle=1):
                    time.sleep(min(10, max(1, seconds - passed)))
                samples.append((time.monotonic() - start, memory(server.process.pid)['now'] / 1e6))
                print(f'{samples[-1][0]:6.0f} s {samples[-1][1]:7.1f} MB  {counters(server)}', flush=True)
        finally:
            stop.set()
            worker.join(30)
        for fault in faults[:5]:
            print('fault:', fault)
        row('operations that failed', len(faults), 0)
        later = [size for when, size in samples if when > warm]
        if len(later) < 12:
            print(f'no verdict: the buffers are full after {warm} s, and what is constant shows in some minutes more')
            return
        half = len(later) // 2
        growth = statistics.mean(later[half:]) - statistics.mean(later[:half])
        row(f'growth between the halves of {samples[-1][0] - warm:.0f} s', round(growth, 2), 2, ' MB')


def main():
    parts = ['load', 'latency', 'size', 'clients', 'browser']
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', nargs='+', choices=parts, default=parts)
    parser.add_argument(
        '--devices', type=int, default=500, help='the limits are meant for 500, and twice that in the browser')
    parser.add_argument('--seconds', type=int, default=20, help='how long a load is measured')
    parser.add_argument('--soak', type=int, metavar='SECONDS')
    parser.add_argument('--json', metavar='FILE', help='keep the figures in a file')
    arguments = parser.parse_args()
    if not os.access(os.environ['HARALD'], os.X_OK):
        sys.exit(f"there is no {os.environ['HARALD']}: swift build -c release --product harald")
    print(f"{datetime.now():%Y-%m-%d %H:%M}, {os.environ['HARALD']}, "
          f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if arguments.soak:
        soak(arguments.soak)
    else:
        for part, run in (
                ('load', lambda: load(arguments.devices, arguments.seconds)),
                ('latency', lambda: latency(arguments.devices, 200)), ('size', size),
                ('clients', lambda: clients(200)),
                ('browser', lambda: in_browser(2 * arguments.devices, arguments.seconds))):
            if part in arguments.only:
                run()
    if arguments.json:
        keys = ('title', 'value', 'limit', 'unit', 'holds')
        pathlib.Path(arguments.json).write_text(json.dumps([dict(zip(keys, one)) for one in results], indent=1) + '\n')
    return 0 if all(holds for *_, holds in results) else 1


if __name__ == '__main__':
    sys.exit(main())
