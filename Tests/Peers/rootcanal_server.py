#!/usr/bin/env python3
"""Starts RootCanal, the virtual controllers of Android, on ports chosen by the system.

    rootcanal_server.py

prints {"event": "ready", "port": HCI, "testPort": TEST}. Every connection to the HCI port is a new controller on one
air. A line on the input is a command for RootCanal's test channel (`list`, `set_timer_period 5`), answered by `done`.

Properties of RootCanal 1.10.0 that affect tests:
- Its tick is 5 ms; this script sets it to 1 ms. It is suitable for correctness, not for speed.
- It listens on every interface of the machine, which cannot be configured.
- LE Set Data Length is an unknown command: the check `data-length` is impossible. ACL packets are 27 octets.
- It refuses to mix legacy and extended advertising commands on one controller (0x0C), as the specification requires.
- It writes a packet in parts with Nagle's algorithm: a host should set TCP_QUICKACK after each read.
- It logs every packet; here that goes to /dev/null. An invalid packet may crash it.
"""

import argparse
import asyncio
import ctypes
import os
import signal
import socket
import struct
import subprocess

from session import PeerError, emit, run

PR_SET_PDEATHSIG = 1
LISTENING = '0A'


def binary():
    # This script is not named `rootcanal.py`, because that would hide the package.
    try:
        from rootcanal.binaries import get_package_binary_resource_path
    except ImportError:
        raise PeerError('rootcanal is not installed in this Python environment: run `make peers`')
    path = get_package_binary_resource_path('rootcanal')
    if not os.path.exists(path):
        raise PeerError(f'the package rootcanal has no program for this kind of machine ({os.uname().machine})')
    return path


def die_with_parent():
    """Runs in the child: the kernel ends it when the thread that started it, our main thread, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(path):
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    zero = [f'-{name}_port=0' for name in ('test', 'hci', 'link', 'link_ble')]
    return subprocess.Popen(
        [path, *zero],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )


def listening_ports(pid):
    """The TCP ports on which a process listens, in the order in which it opened them."""
    inodes = {}
    with open(f'/proc/{pid}/net/tcp') as table:
        for row in list(table)[1:]:
            fields = row.split()
            if fields[3] == LISTENING:
                inodes[f'socket:[{fields[9]}]'] = int(fields[1].split(':')[1], 16)
    ports = []
    for descriptor in sorted(map(int, os.listdir(f'/proc/{pid}/fd'))):
        try:
            port = inodes.get(os.readlink(f'/proc/{pid}/fd/{descriptor}'))
        except FileNotFoundError:
            continue
        if port is not None:
            ports.append(port)
    return ports


class TestChannel:
    """RootCanal's channel for commands: counted strings out, a length (32 bits, little endian) and text back."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        writer.get_extra_info('socket').setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @classmethod
    async def open(cls, port):
        channel = cls(*await asyncio.open_connection('127.0.0.1', port))
        await channel._reply()
        return channel

    async def _reply(self):
        length, = struct.unpack('<I', await self._reader.readexactly(4))
        return (await self._reader.readexactly(length)).decode(errors='replace').strip()

    async def command(self, name, *words):
        parts = [bytes([len(name)]) + name.encode(), bytes([len(words)])]
        parts += [bytes([len(word.encode())]) + word.encode() for word in words]
        self._writer.write(b''.join(parts))
        return await self._reply()


async def main(session):
    child = start(binary())
    try:
        # The kernel does not report that a socket is listening: poll every few milliseconds, for ten seconds at most.
        for _ in range(1000):
            if child.poll() is not None:
                raise PeerError(f'rootcanal ended at once with status {child.returncode}; does it find libcrypto.so.3?')
            ports = listening_ports(child.pid)
            if len(ports) >= 4:
                break
            await asyncio.sleep(0.01)
        else:
            raise PeerError('rootcanal did not open its ports within ten seconds')
        test_port, hci_port = ports[0], ports[3]
        channel = await TestChannel.open(test_port)
        await channel.command('set_timer_period', '1')

        async def forward(name, *words):
            return {'reply': await channel.command(name, *words)}

        names = ('list', 'add', 'add_device_to_phy', 'del', 'del_device_from_phy', 'set_timer_period',
                 'set_device_configuration', 'set_device_address', 'reset')
        handlers = {name: (lambda *words, name=name: forward(name, *words)) for name in names}
        emit('ready', port=hci_port, testPort=test_port, pid=child.pid)
        ended = asyncio.get_running_loop().run_in_executor(None, child.wait)
        ended.add_done_callback(lambda _: (emit('ended', status=child.returncode), session.end()))
        await session.serve(handlers)
    finally:
        child.kill()
        child.wait()
    return 0


if __name__ == '__main__':
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    run(main)
