"""The limits of continuous integration: counts, which hardly depend on the machine."""

import json

from .paths import LIMITS
from .processes import Broken


def load(file=LIMITS):
    try:
        limits = json.loads(file.read_text())['limits']
    except (OSError, ValueError, KeyError) as error:
        raise Broken(f'{file.name} has no limits that can be read: {error}') from error
    return limits


def compare(values, limits):
    """A line for each limit, and the names of exceeded or unmeasured ones."""
    lines, exceeded = [f'{"counted":48}{"limit":>10}{"measured":>10}', '-' * 80], []
    for name, limit in limits.items():
        value = values.get(name)
        verdict = 'holds'
        if value is None or value > limit:
            verdict = 'NOT MEASURED' if value is None else 'EXCEEDED'
            exceeded.append(name)
        shown = '-' if value is None else f'{round(value, 2) + 0.0:,.2f}' if value < 100 else f'{value:,.0f}'
        lines.append(f'{name.removeprefix("count."):48}{limit:>10,}{shown:>10} {verdict}')
    return lines, exceeded
