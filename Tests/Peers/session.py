"""The session of every peer: one JSON object per line on its output, commands on its input, and its end.

A peer ends when its input closes or when the process that started it ends, so a killed test run leaves no processes.
"""

import asyncio
import json
import logging
import os
import shlex
import signal
import socket
import sys
import threading

from bumble.transport import open_transport
from bumble.transport.common import StreamPacketSink, StreamPacketSource, Transport


def emit(event, **fields):
    """Prints one event."""
    print(json.dumps({'event': event, **fields}, default=str), flush=True)


class PeerError(Exception):
    """The reason why a peer cannot work, for the user."""


class Session:
    """The connection of a peer with the program that started it."""

    def __init__(self):
        self.commands = asyncio.Queue()
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read_commands, daemon=True).start()
        self._watch_parent()
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.end)

    def end(self):
        """Ends the peer: `run` returns."""
        self.ended.set()
        self.commands.put_nowait(None)

    def _read_commands(self):
        # A thread, because only this way works for a pipe, a terminal and /dev/null.
        for line in sys.stdin:
            if line.strip():
                self._loop.call_soon_threadsafe(self.commands.put_nowait, line.strip())
        self._loop.call_soon_threadsafe(self.end)

    def _watch_parent(self):
        # The input stays open if another child of the parent has inherited its end, so the parent is watched too.
        if hasattr(os, 'pidfd_open'):
            parent = os.pidfd_open(os.getppid())
            self._loop.add_reader(parent, self.end)

    async def serve(self, handlers):
        """Runs the commands that arrive, in order, until the session ends. Answers each one by `done` or `error`."""
        while (line := await self.commands.get()) is not None:
            name, *words = shlex.split(line)
            if name == 'quit':
                return
            try:
                if name not in handlers:
                    raise ValueError(f'no such command; there are: {", ".join(sorted(handlers))}')
                result = handlers[name](*words)
                if asyncio.iscoroutine(result):
                    result = await result
                emit('done', command=name, **(result or {}))
            except Exception as error:  # any error is the response to the command
                emit('error', command=name, message=f'{type(error).__name__}: {error}')


class PromptSource(StreamPacketSource):
    """A TCP stream of HCI packets that acknowledges data immediately.

    RootCanal writes a packet in pieces and leaves Nagle's algorithm on: with the kernel's delayed acknowledgement each
    packet takes 40 ms. TCP_QUICKACK is not lasting, it has to be set after each read.
    """

    def connection_made(self, transport):
        self._socket = transport.get_extra_info('socket')
        self._acknowledge_promptly()

    def data_received(self, data):
        super().data_received(data)
        self._acknowledge_promptly()

    def connection_lost(self, _error):
        self.on_transport_lost()

    def _acknowledge_promptly(self):
        if hasattr(socket, 'TCP_QUICKACK'):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


async def open_controller(name):
    """Opens the HCI transport of that name: `tcp-client:HOST:PORT`, or any other that Bumble knows."""
    scheme, _, place = name.partition(':')
    if scheme != 'tcp-client':
        return await open_transport(name)
    host, port = place.rsplit(':', 1)
    stream, source = await asyncio.get_running_loop().create_connection(PromptSource, host, int(port))
    return Transport(source, StreamPacketSink(stream))


def run(main):
    """Runs a peer's `main(session)` to its end and exits with its result as status."""
    logging.basicConfig(level=os.environ.get('BUMBLE_LOGLEVEL', 'WARNING').upper(), format='%(name)s: %(message)s')

    async def body():
        session = Session()
        work = asyncio.create_task(main(session))
        ended = asyncio.create_task(session.ended.wait())
        await asyncio.wait({work, ended}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            try:
                return work.result()
            except PeerError as error:
                emit('failed', message=str(error))
                return 1
        work.cancel()
        await asyncio.wait({work}, timeout=2)
        return 0

    status = asyncio.run(body())
    # The thread that reads commands still waits for a line: exit without it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)
