"""Programs that a measurement starts: their output, their end, and the core that they share."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import tempfile
import threading
import time


class Broken(Exception):
    """The reason why there is no measurement, for the user."""


class Child:
    """A program that was started. Its standard output is read here, its standard error is kept for a message.

    Its input is empty, or with `keeps_input` one that stays open and says nothing. Its output is a pipe, or a terminal.
    """

    def __init__(self, name, command, environment=None, keeps_input=False, terminal=False):
        self.name = name
        self.command = [str(word) for word in command]
        self._errors = tempfile.TemporaryFile()
        self._output = b''
        ours, theirs = pty.openpty() if terminal else os.pipe()
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE if keeps_input else subprocess.DEVNULL, stdout=theirs,
                stderr=self._errors, env={**os.environ, **(environment or {})})
        except OSError as error:
            os.close(ours)
            raise Broken(f'{name} does not start: {error}') from error
        finally:
            os.close(theirs)
        self._file = ours
        self._reader = None

    @property
    def pid(self):
        return self._process.pid

    @property
    def errors(self):
        """Its standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode(errors='replace')

    def _read(self, deadline):
        """Reads output until the deadline; False at its end."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._file], [], [], left)[0]:
            raise self.broken('said nothing more in time')
        try:
            data = os.read(self._file, 65536)
        except OSError:
            data = b''  # the end of a terminal
        self._output += data
        return bool(data)

    def line(self, prefix='', timeout=60):
        """The words of the first line with this prefix; reads no further."""
        deadline = time.monotonic() + timeout
        while True:
            for line in self._output.decode(errors='replace').splitlines(keepends=True):
                if line.endswith('\n') and line.startswith(prefix):
                    return line.split()
            if not self._read(deadline):
                raise self.broken(
                    f'ended without a line that begins with {prefix!r}' if prefix else 'ended without a line')

    def match(self, pattern, timeout=60):
        """Waits until its output matches the pattern."""
        deadline = time.monotonic() + timeout
        while not pattern.search(self._output.decode(errors='replace')):
            if not self._read(deadline):
                raise self.broken(f'ended without {pattern.pattern}')

    def count_lines(self, seconds):
        """The number of lines that it prints in that many seconds."""
        before = self._output.count(b'\n')
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._file], [], [], left)[0] and not self._read(deadline):
                raise self.broken('ended')
        return self._output.count(b'\n') - before

    def finish(self, timeout=60, may_fail=False):
        """Its whole output, once it has ended."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            pass
        try:
            status = self._process.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise self.broken('closed its output and goes on') from None
        if status != 0 and not may_fail:
            raise self.broken(f'ended with status {status}')
        return self._output.decode(errors='replace')

    def discard_output(self):
        """Reads and discards its output from now on: a program whose pipe is full stops."""
        def read():
            with contextlib.suppress(OSError):
                while os.read(self._file, 65536):
                    pass

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()

    def broken(self, what):
        said = ''.join(
            f'\n    {line}' for text in (self._output.decode(errors='replace'), self.errors)
            for line in text.splitlines()[-12:])
        return Broken(f'{self.name} {what}: {" ".join(self.command)}{said or " (it said nothing)"}')

    @property
    def status(self):
        return self._process.poll()

    def signal(self, number):
        if self._process.poll() is None:
            self._process.send_signal(number)

    def end(self):
        """Ends it if it is still running."""
        for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, 10)):
            if self._process.poll() is not None:
                break
            self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        if self._reader:
            self._reader.join()  # its read ends with the program
        os.close(self._file)
        if self._process.stdin:
            self._process.stdin.close()
        self._errors.close()


class Children:
    """Programs that end with a measurement in any case, and a folder for their sockets and files."""

    def __enter__(self):
        self._children = []
        self._folder = tempfile.TemporaryDirectory(prefix='harald-bench-')
        self.folder = self._folder.name
        return self

    def start(self, *arguments, **options):
        child = Child(*arguments, **options)
        self._children.append(child)
        return child

    def __exit__(self, *_):
        for child in reversed(self._children):
            child.end()
        self._folder.cleanup()


class Pinning:
    """One core that all programs of a measurement share."""

    def __init__(self):
        self.core = None
        self.problem = None
        try:
            # Not the first core, if there is another, because it handles most interrupts.
            self._all = os.sched_getaffinity(0)
            self.core = max(self._all)
            with self:
                pass
        except (AttributeError, OSError) as error:
            self.core = None
            self.problem = (f'programs cannot be pinned to a core here ({error}): '
                            'rates differ by a factor of two from run to run')

    def __enter__(self):
        if self.core is not None:
            os.sched_setaffinity(0, {self.core})  # inherited by children

    def __exit__(self, *_):
        if self.core is not None:
            os.sched_setaffinity(0, self._all)


def end_on_signals():
    """SIGTERM ends this program like Ctrl-C, together with its child processes."""

    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
