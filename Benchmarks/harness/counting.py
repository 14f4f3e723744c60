"""Instructions, allocations and system calls per operation: the difference of two runs of different length.

One end of a pair runs under callgrind or with the counter preloaded. Work that is done once, before and
after the operations, is in both runs and cancels out.
"""

import shutil
import socket
import statistics
import tempfile
import time
from pathlib import Path

from .paths import HARALD_BENCH, TOOLS
from .pairs import Wrap, run_pair
from .processes import Broken, Children

# Swift's hash tables have a random seed, which would make every run different.
STEADY = {'SWIFT_DETERMINISTIC_HASHING': '1'}
ALLOCATOR = ('allocations', 'frees')


def read_counts(text):
    return {name: int(number) for name, number in (word.split('=') for word in text.split())}


def prove_counter():
    """Checks that the counter counts the known operations of a program; returns a description."""
    proved = 0
    for ending in ('exit', '_exit', 'term'):
        found, expected = [], []
        for number in (0, 1000):
            with Children() as children:
                counts = Path(children.folder) / 'counts'
                child = children.start(
                    'the test of the counter', [TOOLS / 'counter_test', number, ending],
                    {'LD_PRELOAD': TOOLS / 'counter.so', 'BENCH_COUNTS': counts})
                expected.append(read_counts(child.finish(timeout=20, may_fail=True)))
                if not counts.exists():
                    raise child.broken('left no counts')
                found.append(read_counts(counts.read_text()))
        for name, number in expected[1].items():
            counted = found[1][name] - found[0][name]
            if counted != number:
                raise Broken(f'the counter does not count: {counted} {name} instead of {number} '
                             f'(program ended by {ending})')
            proved += number
    return f'The counter counted {proved} known calls, {len(expected[1])} kinds, exactly, with three ways to end.'


def prove_referee():
    """Checks that the referee refuses two packets in one datagram, and a packet in two."""
    reset = bytes([1, 0x03, 0x0C, 0])
    for what, datagrams in (('joined', [reset + reset]), ('torn', [reset[:2], reset[2:]])):
        with Children() as children:
            place = f'{children.folder}/a'
            referee = children.start('the referee', [TOOLS / 'referee', f'seq:{place}', f'seq:{children.folder}/b'])
            referee.line('ADDRESSES', timeout=5)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as host:
                host.settimeout(5)
                host.connect(place)
                host.send(reset)
                if not host.recv(300).startswith(bytes([4, 0x0E])):
                    raise Broken('the referee does not answer a command')
                for datagram in datagrams:
                    host.send(datagram)
                    time.sleep(0.01)
                    if referee.status is not None:
                        break
                said = referee.finish(timeout=5, may_fail=True)
            if referee.status != 3 or 'refused_datagram' not in said:
                raise referee.broken(f'took {what} packets, status {referee.status}')
    return 'The referee refuses joined and torn packets on a packet socket.'


def knows_only():
    """True if harald-bench can run one kind of operation alone."""
    with Children() as children:
        asked = children.start('harald-bench', [HARALD_BENCH])
        said = asked.finish(timeout=20, may_fail=True) + asked.errors
    return '--only' in said


class Tool:
    """A method of counting: how an end is started, and its results in a folder."""

    def __init__(self, name):
        self.name = name
        self.kinds = ['instructions'] if name == 'callgrind' else ['allocations', 'frees', 'syscalls']

    def wrap(self, folder):
        if self.name == 'callgrind':
            return Wrap(
                ['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', f'--log-file={folder}/log'],
                # The limits are those of epoll: valgrind delivers the signal that ends recv late.
                {**STEADY, 'HARALD_WAIT': 'epoll'})
        return Wrap([], {**STEADY, 'LD_PRELOAD': TOOLS / 'counter.so', 'BENCH_COUNTS': f'{folder}/out'})

    def counts(self, folder):
        out = Path(folder) / 'out'
        text = out.read_text() if out.exists() else ''
        if self.name == 'callgrind':
            totals = [int(line.split()[1]) for line in text.splitlines() if line.startswith('totals:')]
            if not totals:
                log = Path(folder) / 'log'
                raise Broken(f'callgrind left no total: {log.read_text()[-800:] if log.exists() else "no log"}')
            return {'instructions': sum(totals)}
        if not text:
            raise Broken('the counter left no counts; did the program end in another way than exit?')
        counts = read_counts(text)
        return {
            'allocations': counts['allocations'], 'frees': counts['frees'],
            'syscalls': sum(number for name, number in counts.items() if name not in ALLOCATOR),
            **{f'calls of {name}': number for name, number in counts.items() if name not in ALLOCATOR},
        }


def has_valgrind():
    return shutil.which('valgrind') is not None


def per_operation(tool, contender, end, operation, count, repetitions=1, only=True):
    """The cost of one operation at the client's or the server's end: the median over pairs of runs."""
    differences = []
    for _ in range(repetitions):
        runs = []
        for number in (count, 2 * count):
            with tempfile.TemporaryDirectory(prefix='harald-bench-') as folder:
                amounts = {'reads': number, 'operations': 100} if operation == 'read20' else {'operations': number}
                run_pair(
                    contender, **amounts, only=[operation] if only else [], **{end: tool.wrap(folder)}, timeout=240)
                runs.append(tool.counts(folder))
        differences.append({name: (runs[1][name] - runs[0][name]) / count for name in runs[0]})
    return {name: statistics.median(each[name] for each in differences) for name in differences[0]}


def measure(say, values, contenders, tools, count, repetitions=1, names=None):
    """Fills values with the costs of operations, under names like `count.seam.read20.client.allocations`.

    Where names are given, only what they need is measured.
    """
    only = knows_only()
    if not only:
        say('  harald-bench has no --only: notifications cannot be told from the rest, so only reads are counted.')
    for tool in tools:
        for contender, ends in contenders:
            for operation in ('read20', 'notify20') if only else ('read20',):
                for end in ends:
                    prefix = f'count.{contender.label}.{operation}.{end}.'
                    if names is not None and not any(prefix + kind in names for kind in tool.kinds):
                        continue
                    found = per_operation(tool, contender, end, operation, count, repetitions, only)
                    values.update({prefix + name: number for name, number in found.items()})
