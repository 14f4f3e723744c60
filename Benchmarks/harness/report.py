"""The table, the result file, and the changes since the previous one."""

import datetime
import json
import math
import re
import statistics

from .pairs import CHANNEL, OPERATIONS
from .paths import RESULTS
from .rows import ROWS

WIDTH = 80
FILE_NAME = re.compile(r'(\d{4}-\d\d-\d\d)(?:-(\d+))?\.json$')


def number(value, digits):
    if value is None:
        return '-'
    return f'{round(value, digits) + 0.0:,.{digits}f}'  # no -0


def table(values, partial=False):
    """Every row with its targets and its verdict; for a partial run only the measured ones."""
    shown = [row for row in ROWS if not partial or values.get(row.value) is not None]
    lines = [f'{"what":38}{"must":>9}{"wanted":>10}{"measured":>10} verdict', '-' * WIDTH]
    for row in shown:
        value = values.get(row.value)
        lines.append(
            f'{row.title:38.38}{number(row.must, target_digits(row.must)):>9}'
            f'{number(row.wanted, target_digits(row.wanted)):>10}{number(value, row.digits):>10} {row.verdict(value)}')
    failing = [row for row in shown if row.verdict(values.get(row.value)) == 'DOES NOT HOLD']
    unmeasured = [row for row in shown if values.get(row.value) is None]
    holding = [row for row in shown if row.verdict(values.get(row.value)).startswith('holds')]
    lines += ['-' * WIDTH, f'{len(holding)} of {len(shown)} rows hold, {len(failing)} do not, '
              f'{len(unmeasured)} were not measured.']
    return lines, failing


def target_digits(target):
    return 0 if target is None or target == int(target) else 2


def operations_of(*of):
    """The operations that all runs of these lists have."""
    return OPERATIONS + [CHANNEL] * all(CHANNEL in run['results'] for runs in of for run in runs)


def medians(pairs):
    """The results of each pair: medians, and the range of the rates. `pairs` has a list of runs by label."""
    lines = [f'{"pair":12}{"operation":11}{"rate/s":>9}{"lowest":>9}{"highest":>9}{"client us":>10}{"server us":>10}'
             f'{"MB/s":>8}', '-' * WIDTH]
    for operation in [*OPERATIONS, CHANNEL]:
        for label, runs in pairs.items():
            if operation not in operations_of(runs):
                continue
            found = [run['results'][operation] for run in runs]
            rates = [each['rate'] for each in found]
            middle = {key: statistics.median(each[key] for each in found) for key in found[0]}
            lines.append(
                f'{label:12.12}{operation:11}{middle["rate"]:9.0f}{min(rates):9.0f}{max(rates):9.0f}'
                f'{middle["client_cpu"]:10.2f}{middle["server_cpu"]:10.2f}{middle["megabytes"]:8.1f}')
    return lines


def unsteadiness(pairs):
    """The factor between the highest and the lowest rate of the floor."""
    rates = [run['results']['read20']['rate'] for run in pairs.get('floor', [])]
    return max(rates) / min(rates) if rates else 1


def pair_series(pairs):
    """The values of all repetitions, and their ratios to the floor of the same repetition, by name."""
    series = {}
    for label, runs in pairs.items():
        for operation in operations_of(runs):
            for key in ('rate', 'client_cpu', 'server_cpu', 'megabytes'):
                ours = [run['results'][operation][key] for run in runs]
                series[f'median.{label}.{operation}.{key}'] = ours
                theirs = [run['results'][operation][key] for run in pairs.get('floor', [])]
                if label != 'floor' and len(theirs) == len(ours) and all(theirs):
                    series[f'ratio.{label}.{operation}.{key}'] = [own / floor for own, floor in zip(ours, theirs)]
    return series


def interval(values):
    """The 90 % confidence interval of the median, from order statistics: no assumption about the distribution."""
    ordered, tail, rank = sorted(values), 0.0, 0
    while rank < len(ordered) // 2 and (tail := tail + math.comb(len(ordered), rank) / 2 ** len(ordered)) <= 0.05:
        rank += 1
    return ordered[max(0, rank - 1)], ordered[-max(1, rank)]


def intervals_of(series):
    """The 90 % intervals of the rows that are medians of several repetitions, by the name of their value."""
    return {row.value: interval(series[row.value]) for row in ROWS if len(series.get(row.value, [])) > 1}


def intervals(values, found):
    """The rows that are medians of several repetitions, with the 90 % interval of each."""
    lines = [f'{"median":50}{"measured":>12}{"90 % interval":>18}', '-' * WIDTH]
    for row in ROWS:
        if row.value in found:
            low, high = (number(end, row.digits) for end in found[row.value])
            lines.append(f'{row.title:50.50}{number(values[row.value], row.digits):>12}{f"{low} to {high}":>18}')
    return lines if len(lines) > 2 else []


def comparison(pairs, modes):
    """Each mode of this version and of the other one: the median ratio of the same repetition, with its interval."""
    lines = [f'{"this / other":16}{"operation":11}{"value":12}{"median":>8}{"90 % interval":>18}', '-' * WIDTH]
    for mode in modes:
        for operation in operations_of(pairs[mode], pairs[f'other-{mode}']):
            for key, better in (('rate', 1), ('client_cpu', -1), ('server_cpu', -1)):
                ratios = [
                    own['results'][operation][key] / other['results'][operation][key]
                    for own, other in zip(pairs[mode], pairs[f'other-{mode}']) if other['results'][operation][key]]
                if not ratios:
                    continue
                middle, (low, high) = statistics.median(ratios), interval(ratios)
                verdict = '  MORE THAN 3 % WORSE' if better * (middle - 1) < -0.03 else ''
                lines.append(
                    f'{mode:16}{operation:11}{key:12}{middle:8.3f}{f"{low:.3f} to {high:.3f}":>18}{verdict}')
    return lines


def earlier_results(folder=RESULTS):
    """The result files, oldest first."""
    found = []
    for file in folder.glob('*.json'):
        if match := FILE_NAME.fullmatch(file.name):
            found.append(((match[1], int(match[2] or 1)), file))
    return [file for _, file in sorted(found)]


def write(result, folder=RESULTS):
    """Stores a result under today's date, with a number from the second result of a day."""
    folder.mkdir(parents=True, exist_ok=True)
    today = datetime.date.today().isoformat()
    taken = {file.name for file in folder.iterdir()}
    names = (f'{today}{suffix}.json' for suffix in ['', *(f'-{count}' for count in range(2, 1000))])
    file = folder / next(name for name in names if name not in taken)
    file.write_text(text(result))
    return file


def text(result):
    """A result as JSON, with a line for each value and five digits of it."""
    def short(value):
        if isinstance(value, dict):
            return {name: short(each) for name, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [short(each) for each in value]
        return float(f'{value:.5g}') if isinstance(value, float) else value

    lines = json.dumps(short(result), indent=1, sort_keys=True)
    return re.sub(r'\[\s+([^][{}]*?)\s+\]', lambda list: f'[{" ".join(list[1].split())}]', lines) + '\n'


def changes(values, machine, files):
    """The previous and the current value of each row."""
    then = {}
    for file in files:
        earlier = json.loads(file.read_text())
        then.update({name: value for name, value in earlier['values'].items() if value is not None})
    there = earlier['machine']
    lines = [f'Since {files[-1].name} (commit {there["commit"]}), or for values that it lacks, since their last run:']
    if there['processor'] != machine['processor'] or there['cores'] != machine['cores']:
        lines.append(f'  That was another machine, {there["processor"]}: compare counts, and ratios with caution.')
    for row in ROWS:
        old, new = then.get(row.value), values.get(row.value)
        if new is None:
            continue
        old, new = (value if value is None else round(value, row.digits) + 0.0 for value in (old, new))
        if old is None:
            change = 'new'
        elif old == new:
            change = 'as before'
        elif old == 0:
            change = 'from nothing'
        else:
            percent = (new - old) / abs(old) * 100
            better = (percent < 0) == (row.better == 'lower')
            change = f'{percent:+.1f} % {"better" if better else "worse"}'
        lines.append(f'{row.title:38.38}{number(old, row.digits):>11} -> {number(new, row.digits):>9}  {change}')
    return lines
