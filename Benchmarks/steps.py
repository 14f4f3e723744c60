#!/usr/bin/env python3
"""The instructions of one read by function, by single-stepping: with recv, unlike the counts of bench.py.

    steps.py                        the client of the seam: instructions per read by function, and numbers of calls
    steps.py --end server           the server
    steps.py --mode async           another front door (the thread of its loop, or the first busy one)
    steps.py --callers swift_retain the callers of a function

It requires the programs of `make bench`, nm and swift-demangle. A stepped end is a hundred times slower than its peer,
so it reads more packets at once than usual: compare runs of the same kind.
"""

import argparse
import array
import bisect
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from harness import building, pairs
from harness.paths import HARALD_BENCH, TOOLS
from harness.processes import Broken

# A function that runs once for each read, at either end.
ONCE = {'client': 'ATTBearer.receiveResponse(', 'server': 'ATTBearer.sendResponse('}


class Symbols:
    """The functions of the mapped files of a process."""

    def __init__(self, maps):
        self.spans, self.tables = [], {}
        for line in maps.read_text().splitlines():
            words = line.split()
            if 'x' in words[1]:
                low, high = (int(end, 16) for end in words[0].split('-'))
                self.spans.append((low, high, int(words[2], 16), words[5] if len(words) > 5 else '[memory]'))

    def name(self, address):
        for low, high, offset, path in self.spans:
            if low <= address < high:
                if not path.startswith('/'):
                    return path
                if path not in self.tables:
                    self.tables[path] = self.table(path)
                starts, names, segments = self.tables[path]
                place = address - low + offset
                place = next((place - o + v for o, v, size in segments if o <= place < o + size), place)
                index = bisect.bisect_right(starts, place) - 1
                return names[index] if index >= 0 else path
        return '[unknown]'

    @staticmethod
    def table(path):
        headers = subprocess.run(['readelf', '-lW', path], capture_output=True, text=True).stdout
        segments = [tuple(int(words[index], 16) for index in (1, 2, 4))
                    for words in map(str.split, headers.splitlines()) if words[:1] == ['LOAD']]
        symbols = []
        for option in ([], ['-D']):
            listing = subprocess.run(['nm', *option, '--defined-only', path], capture_output=True, text=True).stdout
            for words in map(str.split, listing.splitlines()):
                if len(words) >= 3 and words[1] in 'tTwWi':
                    symbols.append((int(words[0], 16), words[2]))
        symbols.sort()
        return [start for start, _ in symbols], [name for _, name in symbols], segments


def demangled(names):
    names = list(names)
    text = subprocess.run(['swift', 'demangle', '--simplified'], input='\n'.join(names), capture_output=True, text=True)
    return dict(zip(names, text.stdout.splitlines()))


def trace(mode, end, count):
    with tempfile.TemporaryDirectory(prefix='harald-bench-') as folder:
        out = Path(folder) / 'steps'
        wrap = pairs.Wrap([TOOLS / 'steps', out, count])
        steps = array.array('Q')
        try:
            pairs.run_pair(
                pairs.harald(mode), reads=200_000, operations=1_000_000, only=['read20'], timeout=60, **{end: wrap})
        except Broken:
            # A stepped client is so slow that it counts as stalled, and then misses notifications for which it waits.
            if not out.exists() or out.stat().st_size < count * steps.itemsize:
                raise
        steps.frombytes(out.read_bytes())
        symbols = Symbols(Path(f'{out}.maps'))
        names = {address: symbols.name(address) for address in set(steps)}
    return [(address, names[address]) for address in steps]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--mode', default='seam', choices=['seam', 'async', 'executor', 'corebluetooth'])
    parser.add_argument('--end', default='client', choices=list(ONCE))
    parser.add_argument('--count', type=int, default=400_000, metavar='N', help='how many instructions (400000)')
    parser.add_argument('--top', type=int, default=40, metavar='N', help='how many functions (40)')
    parser.add_argument('--callers', metavar='NAME', help='who calls the functions whose names hold this')
    options = parser.parse_args()
    building.build_tools()
    building.require_programs(HARALD_BENCH)
    steps = trace(options.mode, options.end, options.count)
    readable = demangled(sorted({name for _, name in steps}))
    steps = [(address, readable[name]) for address, name in steps]

    # A function begins at its lowest address.
    first = {}
    for address, name in steps:
        first[name] = min(address, first.get(name, address))
    begun = [(name, before) for (address, name), (_, before) in zip(steps[1:], steps) if address == first[name]]
    reads = sum(ONCE[options.end] in name for name, _ in begun) or 1
    print(f'{len(steps) / reads:.0f} instructions a read, over {reads} reads')
    if options.callers:
        callers = Counter((name, before) for name, before in begun if options.callers in name)
        for (name, before), number in callers.most_common(options.top):
            print(f'{number / reads:8.2f}  {name} <- {before}')
        return
    calls = Counter(name for name, _ in begun)
    for name, number in Counter(name for _, name in steps).most_common(options.top):
        print(f'{number / reads:8.1f} {calls[name] / reads:7.2f}  {name}')


if __name__ == '__main__':
    main()
