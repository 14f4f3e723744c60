#!/usr/bin/env python3
"""Measures Harald against the floor, which has no stack, and against Bumble, on one referee in one run.

    bench.py                  builds, measures everything, prints the table, stores the result in Benchmarks/results
    bench.py --quick          only machine-independent values: instructions, allocations and system calls per
                              operation, compared with Benchmarks/limits.json; fails if a limit is exceeded
    bench.py --only pairs     one part: pairs, counts, inside, program, decoding
    bench.py --only pairs --against FILE
                              compares with another harald-bench, in turn: the median ratios with 90 % intervals
    bench.py --table FILE     prints the table of a stored result

Exit status: 0 done; 1 a limit is exceeded, or with --check a row does not hold; 2 an error, which is printed;
64 wrong arguments; 130 Ctrl-C. README.md explains the table.
"""

import argparse
import contextlib
import datetime
import json
import os
import statistics
import sys
from pathlib import Path

from harness import building, counting, decoding, inside, limits, machine, pairs, program, report
from harness.paths import HARALD, HARALD_BENCH, PYTHON_OF_PEERS, RESULTS, ROOT
from harness.processes import Broken, Pinning, end_on_signals
from harness.rows import COMMANDS, RATIOS

# On an idle machine the floor varies by less than this.
UNSTEADY = 1.3
PARTS = ['pairs', 'counts', 'inside', 'program', 'decoding']
MODES = ['seam', 'async', 'executor', 'corebluetooth']


class Arguments(argparse.ArgumentParser):
    """Invalid arguments end with the exit status of the other programs."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f'{self.prog}: {message}\n')


def at_least(least, kind=int):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f'{text!r} is not a number') from None
        if value < least:
            raise argparse.ArgumentTypeError(f'{text} is less than {least}')
        return value

    return parse


def arguments():
    parser = Arguments(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='counts only, against the limits: two minutes at most')
    parser.add_argument('--only', action='append', choices=PARTS, metavar='PART', help=f'one of {", ".join(PARTS)}')
    parser.add_argument(
        '--against', type=Path, metavar='FILE', help='with --only pairs: the harald-bench of another version')
    parser.add_argument('--check', action='store_true', help='fail where a row does not hold')
    parser.add_argument('--repetitions', type=at_least(1), default=7, metavar='N', help='how often (7)')
    parser.add_argument('--reads', type=at_least(10), default=20_000, metavar='N', help='reads in a run (20000)')
    parser.add_argument(
        '--operations', type=at_least(10), default=50_000, metavar='N',
        help='notifications and writes in a run (50000)')
    parser.add_argument(
        '--count', type=at_least(100), default=2000, metavar='N', help='operations that are counted (2000)')
    parser.add_argument('--memory-seconds', type=at_least(1), default=10, metavar='N', help='how long notify runs (10)')
    parser.add_argument('--no-build', action='store_true', help='measure what is built already')
    parser.add_argument('--no-keep', action='store_true', help='write no result file')
    parser.add_argument('--results', type=Path, default=RESULTS, metavar='FOLDER', help='where results are kept')
    parser.add_argument('--table', type=Path, metavar='FILE', help='print the table of a kept result, measure nothing')
    options = parser.parse_args()
    if options.quick and (options.only or options.check):
        parser.error('--quick does its own part and its own check')
    if options.against and options.only != ['pairs']:
        parser.error('--against requires --only pairs')
    if options.against and not os.access(options.against, os.X_OK):
        parser.error(f'{options.against} is not a program; build harald-bench of the other version there')
    return options


def say(text=''):
    print(text, flush=True)


def measure_pairs(options, pinning, series):
    """Runs the stacks in turns, so that other load of the machine affects all of them."""
    amounts = {'reads': options.reads, 'operations': options.operations}
    ours = [pairs.harald(mode, **amounts) for mode in MODES]
    seam = ours[0]
    contenders = [pairs.floor(**amounts), *ours]
    if options.against:
        other = options.against.resolve()
        contenders += [pairs.harald(mode, other, f'other-{mode}', **amounts) for mode in MODES]
    elif PYTHON_OF_PEERS.exists():
        contenders.insert(1, pairs.bumble())
    else:
        say('BUMBLE IS NOT MEASURED: there is no .build/peers. `make peers` makes it.')
    runs = {contender.label: [] for contender in contenders}
    with pinning:
        for repetition in range(1, options.repetitions + 1):
            # Each repetition begins with another stack, because the first is affected by the previous repetition.
            first = (repetition - 1) % len(contenders)
            for contender in contenders[first:] + contenders[:first]:
                runs[contender.label].append(pairs.run_pair(contender))
            rates = ', '.join(f'{label} {of[-1]["results"]["read20"]["rate"]:.0f}' for label, of in runs.items())
            say(f'  repetition {repetition} of {options.repetitions}: reads a second: {rates}')
        for scheme in ('unix', 'tcp'):
            runs[f'seam {scheme}'] = [pairs.run_pair(seam, scheme=scheme)]
    if not options.against:
        # One pair has one core, two pairs have all.
        ratios = []
        for _ in range(options.repetitions):
            with pinning:
                one = pairs.run_pair(seam, only=['read20'])['results']['read20']['rate']
            ratios.append(pairs.both('seam', options.reads) / one)
        series['adapters.ratio'] = ratios
    series.update(report.pair_series(runs))
    say()
    say('\n'.join(report.medians(runs)))
    if options.against:
        say()
        say('\n'.join(report.comparison(runs, MODES)))
    if (factor := report.unsteadiness(runs)) > UNSTEADY:
        say(f"The floor's own rate moved by a factor of {factor:.1f}: something else ran here. Measure again.")


def measure_counts(options, pinning, values, **how):
    """Both ends of the seam; for the front doors only the client, because the server has one mode."""
    tools = [counting.Tool('counter')]
    if counting.has_valgrind():
        tools.append(counting.Tool('callgrind'))
    else:
        say('INSTRUCTIONS ARE NOT COUNTED: there is no valgrind.')
    say('  ' + counting.prove_counter())
    copy = building.without_debug_information(HARALD_BENCH)
    contenders = [
        (pairs.harald('seam', copy), ('client', 'server')), (pairs.harald('async', copy), ('client',)),
        (pairs.harald('corebluetooth', copy), ('client',))]
    with pinning:
        counting.measure(say, values, contenders, tools, options.count, **how)


def measure_inside(options, pinning, series):
    for repetition in range(options.repetitions):
        for command in COMMANDS:
            if repetition > 0 and not command.repeated:
                continue
            with pinning if command.pinned else contextlib.nullcontext():
                found, text = inside.run(command)
            if found is None:
                say(f'  harald-bench does not know `{" ".join(command.arguments)}`: its rows are not measured')
                continue
            if repetition == 0:
                say('\n'.join(f'  {line}' for line in text.splitlines()))
            for name, number in found.items():
                series.setdefault(f'{command.name}.{name}', []).append(number)
    for name, above, below in RATIOS:
        series[name] = [one / other for one, other in zip(series.get(above, []), series.get(below, []))]


def measure_program(options, values):
    for kind, found in program.start_up(options.repetitions).items():
        values[f'program.start_up.{kind}'] = statistics.median(found)
    if not PYTHON_OF_PEERS.exists():
        say('  MEMORY IS NOT MEASURED: the peripheral is a Bumble, and there is no .build/peers. '
            '`make peers` makes it.')
        return
    memory = program.memory(options.memory_seconds)
    for name in ('resident', 'highest', 'anonymous'):
        values[f'program.memory.{name}'] = memory[name] / 1e6


def measure_decoding(pinning, values):
    if not PYTHON_OF_PEERS.exists():
        say('  DECODING IS NOT MEASURED: the other decoders are in .build/peers. `make peers` makes it.')
        return
    with pinning:
        values.update({f'decoding.{name}': number for name, number in decoding.rates().items()})


def quick(options, pinning):
    """Runs the part for continuous integration, and returns the exit status."""
    held = limits.load()
    if not counting.has_valgrind():
        raise Broken('there is no valgrind, so instructions cannot be counted '
                     '(Debian and Ubuntu: the package valgrind)')
    values = {}
    say('  ' + counting.prove_referee())
    measure_counts(options, pinning, values, names=held)
    lines, exceeded = limits.compare(values, held)
    if exceeded:
        # The number of waits differs between runs, and waiting takes instructions too.
        say('  Once more, the median of three: ' + ', '.join(exceeded))
        measure_counts(options, pinning, values, names=exceeded, repetitions=3)
        lines, exceeded = limits.compare(values, held)
    say('\n'.join(lines))
    if exceeded:
        say(f'{len(exceeded)} of {len(held)} limits do NOT hold. Make it cheaper again; where the cost is worth it, '
            'raise the limit in Benchmarks/limits.json and say why in the commit.')
        return 1
    say(f'All {len(held)} limits hold.')
    return 0


def everything(options, pinning):
    """Runs all parts, or the requested ones, and returns the exit status."""
    parts = options.only or PARTS
    if 'program' in parts:
        building.require_programs(HARALD)
    # The values of all repetitions by name, and their medians.
    series, values, on = {}, {}, machine.describe(pinning)
    say(f'{on["processor"]}, {on["cores"]} cores, {on["system"]}; commit {on["commit"]}'
        f'{" and changes" if on["uncommitted"] else ""}')
    say(pinning.problem or f'Every program of a pair is pinned to core {pinning.core}.')
    if on['load'] > 0.5 * on['cores']:
        say(f'The machine is busy (load {on["load"]}): figures will be worse than they are.')
    say('  ' + counting.prove_referee())
    work = {
        'pairs': ('Pairs on the referee', lambda: measure_pairs(options, pinning, series)),
        'counts': ('Counted, one operation', lambda: measure_counts(options, pinning, values)),
        'inside': ('Inside harald-bench', lambda: measure_inside(options, pinning, series)),
        'program': ('The program harald', lambda: measure_program(options, values)),
        'decoding': ('Advertised values', lambda: measure_decoding(pinning, values)),
    }
    for part in PARTS:
        if part in parts:
            title, run = work[part]
            say(f'\n{title}')
            run()
    values.update({name: statistics.median(found) for name, found in series.items() if found})
    lines, failing = report.table(values, partial=set(parts) != set(PARTS))
    say('\n' + '\n'.join(lines))
    say('\n' + '\n'.join(report.intervals(values, report.intervals_of(series))))
    earlier = report.earlier_results(options.results)
    if earlier:
        say('\n' + '\n'.join(report.changes(values, on, earlier)))
    if not options.no_keep:
        file = report.write({
            'date': datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='seconds'), 'machine': on,
            'options': {'repetitions': options.repetitions, 'reads': options.reads, 'operations': options.operations,
                        'count': options.count, 'parts': parts},
            'values': values, 'intervals': report.intervals_of(series),
        }, options.results)
        say(f'\nKept in {file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}.')
    return 1 if options.check and failing else 0


def print_kept(file):
    try:
        kept = json.loads(file.read_text())
        lines, _ = report.table(kept['values'])
        say(f'{kept["date"]}, commit {kept["machine"]["commit"]}, {kept["machine"]["processor"]}')
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Broken(f'{file} is no result that can be read: {error}') from error
    say('\n'.join(lines))
    say('\n' + '\n'.join(report.intervals(kept['values'], kept['intervals'])))
    return 0


def main():
    options = arguments()
    end_on_signals()
    try:
        if options.table:
            return print_kept(options.table)
        building.build_tools()
        if not options.no_build:
            needs_harald = not options.quick and 'program' in (options.only or PARTS)
            building.build_programs('harald-bench', *(['harald'] if needs_harald else []))
        building.require_programs(HARALD_BENCH)
        pinning = Pinning()
        return quick(options, pinning) if options.quick else everything(options, pinning)
    except Broken as broken:
        print(f'bench.py: {broken}', file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader is gone: end without another error
        return 0
    except KeyboardInterrupt:
        print('bench.py: ended before it was done', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
