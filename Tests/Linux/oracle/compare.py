"""Compares two recordings of script.py.

    compare.py RECORDING OBSERVED               fails if they differ
    compare.py RECORDING OBSERVED differences   allows the differences of differences.py, all of which have to occur

Prints the lines that differ: `-` is the recording, `+` is what was observed.
"""

import difflib
import re
import sys

from differences import DIFFERENCES


def parts(file):
    """The lines of each step, by its name."""
    found = {}
    with open(file) as text:
        for line in text.read().split('\n'):
            if line.startswith('# '):
                name = line[2:]
                number = 2
                while name in found:
                    name = f'{line[2:]} ({number})'
                    number += 1
                lines = found[name] = []
            elif line:
                lines.append(line)
    return found


def changes(recorded, observed):
    for line in difflib.ndiff(recorded, observed):
        if line[0] in '-+':
            yield line


def main(recording, observation, allowed):
    recorded, observed = parts(recording), parts(observation)
    used, problems = set(), []
    for name in list(recorded) + [name for name in observed if name not in recorded]:
        unexplained = []
        for line in changes(recorded.get(name, []), observed.get(name, [])):
            reasons = [key for key in allowed if re.search(key[1], name) and re.search(key[2], line)]
            used.update(reasons)
            if not reasons:
                unexplained.append(line)
        if unexplained:
            problems += [f'# {name}', *unexplained]
    for reason, step, line in allowed:
        if (reason, step, line) not in used:
            problems.append(f'no step /{step}/ has the difference /{line}/ any more: {reason}')
    calls = sum(line.startswith('> ') for lines in recorded.values() for line in lines)
    errors = sum(bool(re.match(r'< .*: org\.[\w.]*Error\.', line)) for lines in recorded.values() for line in lines)
    print('\n'.join(problems) or f'{calls} calls and {errors} errors in {len(recorded)} steps: no other difference')
    return 1 if problems else 0


def allowed():
    return [(reason, step, line) for reason, places in DIFFERENCES.items() for step, line in places]


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], allowed() if 'differences' in sys.argv[3:] else []))
