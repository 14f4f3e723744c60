"""An air with generated devices, clients of the event stream, and external measurements."""
import datetime
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time


def scene(count, interval, notifier=None):
    """A scene of devices that advertise at an interval, and one that notifies at the interval `notifier`."""
    lines = ['name: load', 'devices:']
    for number in range(count):
        address = f'C0:00:00:00:{number >> 8:02X}:{number & 255:02X}'
        lines.append(
            f'  - {{distance: {1 + number % 30} m, device: {{name: Device {number}, address: "{address}", advertise: '
            f'{{interval: {interval}, connectable: false, services: [], manufacturerData: {{company: 0x006B, '
            'data: {hex: "01 02 03 04"}}}}}')
    if notifier:
        lines.append(f'''\
  - device:
      name: Notifier
      address: "C1:00:00:00:00:01"
      services:
        - uuid: FFF0
          characteristics:
            - {{uuid: FFF1, properties: [read], value: {{u8: 7}}}}
            - uuid: FFF2
              properties: [notify]
              value: {{u16: {{wave: ramp, min: 0, max: 60000, period: 60 s}}}}
              notifyEvery: {notifier}''')
    return '\n'.join(lines) + '\n'


class Air:
    """`harald air` with a scene, on a socket in a temporary folder."""

    def __init__(self, text):
        self.folder = tempfile.mkdtemp(prefix='harald-air-')
        path = pathlib.Path(self.folder, 'scene.yaml')
        path.write_text(text)
        socket_path = os.path.join(self.folder, 'air')
        self.address = f'unix:{socket_path}'
        self.process = subprocess.Popen(
            [os.environ['HARALD'], 'air', str(path), '--listen', self.address, '--no-user-socket', '--json'],
            stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise RuntimeError(f'harald air ended with status {self.process.wait()}')
        # Its output is read, because it would block at a full pipe.
        threading.Thread(target=lambda: all(True for _ in self.process.stdout), daemon=True).start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def cpu_seconds(pid):
    """Processor time of a process, in user space and in the system."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def memory(pid):
    """Bytes of resident memory, current and maximum."""
    values = dict(line.split(':', 1) for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines())
    return {'now': int(values['VmRSS'].split()[0]) * 1024, 'highest': int(values['VmHWM'].split()[0]) * 1024}


def scan_responses(packet):
    """Of each report of an event, whether it is a scan response (Core 6.0, Vol 4, Part E, 7.7.65.2 and 7.7.65.13)."""
    legacy, place = packet[2] == 0x02, 4
    for _ in range(packet[3]):
        yield packet[place] == 0x04 if legacy else bool(packet[place] & 0x08)
        # The length of the data, after the other fields; a legacy report has the RSSI behind the data.
        length = place + (8 if legacy else 23)
        place = length + 1 + packet[length] + (1 if legacy else 0)


def advertisements_in(capture):
    """The number of advertising reports in a btsnoop file, without scan responses."""
    assert capture[:8] == b'btsnoop\0', capture[:16]
    place, count = 16, 0
    while place < len(capture):
        length, = struct.unpack_from('>I', capture, place + 4)
        packet = capture[place + 24:place + 24 + length]
        place += 24 + length
        # With or without the packet type in front.
        packet = packet[1:] if packet[:1] == b'\x04' and packet[1:2] == b'\x3e' else packet
        if packet[:1] == b'\x3e' and packet[2:3] in (b'\x02', b'\x0d'):
            count += sum(not is_response for is_response in scan_responses(packet))
    return count


class Clients:
    """Event streams, read by one thread. The last `idle` of them are never read."""

    def __init__(self, server, count, idle=0):
        self.server = server
        self.events = self.missed = self.open = 0
        self.latencies = []
        self._count, self._idle = count, idle
        self._sockets, self._text = [], {}
        self._stop, self._reader = threading.Event(), threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        for number in range(self._count):
            one = socket.create_connection(('127.0.0.1', self.server.port))
            self._sockets.append(one)
            one.sendall((f'GET /api/v1/events?viewer=bench{number} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n'
                         f'Authorization: Bearer {self.server.token}\r\n\r\n').encode())
            if number < self._count - self._idle:
                self._text[one] = b''
        self._reader.start()
        # A stream is open once its first event has arrived.
        end = time.monotonic() + 30
        while self.open < len(self._text):
            if time.monotonic() > end:
                raise AssertionError(f'{self.open} of {len(self._text)} streams opened')
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._reader.join(10)
        for one in self._sockets:
            one.close()

    def _read(self):
        poller = select.epoll()
        by_number = {one.fileno(): one for one in self._text}
        for number in by_number:
            poller.register(number, select.EPOLLIN)
        while not self._stop.is_set():
            for number, _ in poller.poll(0.2):
                one = by_number[number]
                data = one.recv(1 << 18)
                now = time.time()
                if not data:
                    poller.unregister(number)
                    self.open -= 1
                    continue
                self._take(one, data, now)

    def _take(self, one, data, now):
        # Chunk boundaries of HTTP are between events, or within one that the server wrote in two parts.
        blocks = (self._text[one] + data).split(b'\n\n')
        self._text[one] = blocks.pop()
        for block in blocks:
            place = block.find(b'event: ')
            if place < 0:
                continue
            self.events += 1
            name = block[place + 7:block.index(b'\n', place)]
            if name == b'hello':
                self.open += 1
            elif name in (b'missed', b'value'):
                content = json.loads(block[block.index(b'data: ') + 6:])
                if name == b'missed':
                    self.missed += content['count']
                elif 'time' in content:
                    self.latencies.append(now - seconds(content['time']))


def seconds(text):
    """Returns the seconds since 1970 of a time such as 2026-01-31T12:00:00.000Z."""
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()
