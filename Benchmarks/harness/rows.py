"""The rows of the table, with their targets. To add one, add a line here; README.md explains the values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .paths import FLOOR, HARALD_BENCH


@dataclass(frozen=True)
class Row:
    """A value of the run with its required and its desired target; None means no target."""

    title: str
    value: str
    must: float | None
    wanted: float | None
    better: str = 'lower'
    digits: int = 2

    def reaches(self, number, target):
        if target is None or number is None:
            return False
        # Values are rounded as shown: 1.004 does not miss 1.00.
        number = round(number, self.digits)
        return number <= target if self.better == 'lower' else number >= target

    def verdict(self, number):
        if number is None:
            return 'not measured'
        if self.must is None and self.wanted is None:
            return 'no target'
        if self.must is not None and not self.reaches(number, self.must):
            return 'DOES NOT HOLD'
        if self.reaches(number, self.wanted):
            return 'holds, wanted'
        return 'holds' if self.must is not None else 'falls short'


@dataclass(frozen=True)
class Command:
    """A subcommand, usually of harald-bench. Each line `name key=value ...` of its output has the values
    `COMMAND.name.key`.

    `reports` starts a referee that sends advertising reports: their number, the number of devices, and the kind of
    socket; {address} and {reports} are replaced with its own. `link` starts a referee with a server, and {link} is
    replaced with the client's address. `pinned` runs the command on one core, as the pairs do, for comparable
    processor times of several threads. `repeated` runs it as often as the pairs, in turn with the others.
    """

    name: str
    arguments: tuple
    program: Path = HARALD_BENCH
    reports: int = 0
    devices: int = 500
    scheme: str = 'unix'
    link: bool = False
    timeout: float = 300
    pinned: bool = False
    repeated: bool = False


COMMANDS = [
    Command('links', ('links',), pinned=True, repeated=True),
    Command('links-free', ('links',), repeated=True),
    Command('links-most', ('links', '10000')),
    Command('discovery', ('discovery',)),
    Command('subscribers', ('subscribers',), pinned=True, repeated=True),
    Command('idle', ('idle', '{link}', '10'), link=True),
    # A stream delivers many reports per system call, like a serial port or TCP.
    Command('reports', ('reports', '{address}', '{reports}', 'flood'), reports=1_000_000),
    Command('reports-1', ('reports', '{address}', '{reports}', 'flood'), reports=300_000, devices=1),
    Command('reports-5000', ('reports', '{address}', '{reports}', 'flood'), reports=300_000, devices=5000),
    # The limit of a packet socket, and our rate.
    Command('floor-socket', ('reports', '{address}', '{reports}'), program=FLOOR, reports=1_000_000, scheme='seq'),
    Command('socket', ('reports', '{address}', '{reports}', 'flood'), reports=1_000_000, scheme='seq'),
]

ROWS = [
    # The median ratio of our rate to the floor's of the same repetition.
    Row('CPU a read, seam / floor, client', 'ratio.seam.read20.client_cpu', 1.17, 1.1),
    Row('CPU a read, seam / floor, server', 'ratio.seam.read20.server_cpu', 1.15, 1.1),
    Row('reads a second, seam / floor', 'ratio.seam.read20.rate', 0.88, 1, 'higher'),
    Row('reads a second, async / floor', 'ratio.async.read20.rate', 0.8, 0.9, 'higher'),
    Row('... CPU, client', 'ratio.async.read20.client_cpu', 1.6, 1.3),
    Row('... on the adapter\'s executor', 'ratio.executor.read20.rate', 0.8, 0.9, 'higher'),
    Row('reads a second, CoreBluetooth / floor', 'ratio.corebluetooth.read20.rate', 0.75, 0.9, 'higher'),
    Row('reads a second, two adapters / one', 'adapters.ratio', 1.6, 1.8, 'higher'),
    Row('CPU a notification / floor, receive', 'ratio.seam.notify20.client_cpu', 1.1, 0.9),
    Row('CPU a notification / floor, send', 'ratio.seam.notify20.server_cpu', 1.2, 1),
    Row('octets a second through a channel / floor', 'ratio.seam.channel65536.rate', 0.9, 1, 'higher'),
    Row('... with the library', 'ratio.async.channel65536.rate', None, None, 'higher'),
    # The counted cost of one operation.
    Row('user instructions a read, client', 'count.seam.read20.client.instructions', 8000, 4000, digits=0),
    Row('user instructions a read, server', 'count.seam.read20.server.instructions', 8000, 4000, digits=0),
    Row('heap allocations a read, client', 'count.seam.read20.client.allocations', 1, 0, digits=1),
    Row('heap allocations a read, server', 'count.seam.read20.server.allocations', 0, 0, digits=1),
    Row('heap allocations, receive notification', 'count.seam.notify20.client.allocations', 1, 0, digits=1),
    # A Data of 20 octets is an object and its octets; Dispatch allocates once for each wake-up of a queue.
    Row('... to a CoreBluetooth delegate', 'count.corebluetooth.notify20.client.allocations', 2.25, 2, digits=2),
    Row('heap allocations, send notification', 'count.seam.notify20.server.allocations', 0, 0, digits=1),
    Row('system calls a read, client', 'count.seam.read20.client.syscalls', 5, 4),
    Row('system calls a read, server', 'count.seam.read20.server.syscalls', 5, 4),
    # Inside harald-bench.
    Row('advertising reports a second', 'reports.flood.rate', 500_000, 1_000_000, 'higher', 0),
    Row('... dropped', 'reports.flood.dropped', 0, 0, digits=0),
    Row('... over a packet socket', 'socket.flood.rate', None, None, 'higher', 0),
    Row('... dropped', 'socket.flood.dropped', 0, 0, digits=0),
    Row('... by the floor there', 'floor-socket.floor.rate', None, None, 'higher', 0),
    Row('discovery: requests over the fewest', 'discovery.services-10.excess', 0, 0, digits=0),
    Row('discovery: idle round trips', 'discovery.services-10.idle', None, 0, digits=0),
    Row('links at once in one process', 'links-most.most.links', 1000, 10_000, 'higher', 0),
    Row('... KB of memory a link', 'links-most.most.kilobytes', None, None, digits=1),
    Row('CPU a subscriber, 100 / 1', 'subscribers.growth.ratio', 1.2, 1),
    Row('wake-ups of an idle link in 10 s', 'idle.link.wakeups', 0, 0, digits=0),
    # The program.
    Row('memory of harald notify, MB', 'program.memory.resident', 30, 15, digits=1),
    Row('harald scan: first device after, ms', 'program.start_up.terminal', 150, None, digits=0),
    Row('... with --advertisements, in a pipe', 'program.start_up.pipe', 150, None, digits=0),
    # Advertisements of twenty formats, on one core. The others are Python: theengsdecoder around a library in C++.
    Row('advertisements decoded a second', 'decoding.harald.rate', None, None, 'higher', 0),
    Row('... by theengsdecoder', 'decoding.theengs.rate', None, None, 'higher', 0),
    Row('... by habluetooth and its parsers', 'decoding.home.rate', None, None, 'higher', 0),
    # Growth: the cost of an operation at the largest size divided by that at the smallest.
    Row('growth: reads with 1000 links / 1', 'links.growth.ratio', 1.5, 1.1),
    Row('... on all cores', 'links-free.growth.ratio', 3, 1.1),
    Row('... reads a second, all cores / one', 'links-free.rate.ratio', None, 1, 'higher'),
    Row('growth: reports with 5000 devices / 1', 'reports.growth.ratio', 1.5, 1.1),
    Row('growth: discovery, largest / smallest', 'discovery.growth.ratio', 1.5, 1.1),
]

# Values that are the ratio of two others of the same repetition: name, dividend, divisor.
RATIOS = [
    ('links-free.rate.ratio', 'links-free.most.rate', 'links.most.rate'),
    ('reports.growth.ratio', 'reports-5000.flood.cpu_us', 'reports-1.flood.cpu_us'),
]
