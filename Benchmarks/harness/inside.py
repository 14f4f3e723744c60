"""Measurements inside harald-bench, by its subcommands."""

import re

from .paths import TOOLS
from .processes import Children

UNKNOWN_COMMAND = 64
PAIR = re.compile(r'([A-Za-z][\w-]*)=(-?\d+(?:\.\d+)?)\S*$')


def parse(text):
    """Values of lines `name key=value key=value`, under `name.key`; a unit after a number is removed."""
    values = {}
    for line in text.splitlines():
        name, *words = line.split() or ['']
        for word in words:
            if match := PAIR.match(word):
                values[f'{name}.{match[1]}'] = float(match[2])
    return values


def run(command):
    """The output of a subcommand, as values and as text; empty if harald-bench does not have it."""
    with Children() as children:
        words = {}
        if command.reports:
            referee = children.start(
                'the referee', [TOOLS / 'referee', '--reports', command.reports, '--devices', command.devices,
                 f'{command.scheme}:{children.folder}/a'])
            words = {'address': referee.line('ADDRESSES', timeout=5)[1], 'reports': command.reports}
        if command.link:
            referee = children.start(
                'the referee', [TOOLS / 'referee', *(f'{command.scheme}:{children.folder}/{end}' for end in 'ab')])
            _, words['link'], at_server = referee.line('ADDRESSES', timeout=5)
            children.start('the server', [command.program, 'srv', at_server]).line('HANDLES', timeout=30)
        child = children.start(
            f'{command.program.name} {command.name}',
            [command.program, *(argument.format(**words) for argument in command.arguments)])
        text = child.finish(command.timeout, may_fail=True)
        if child.status == UNKNOWN_COMMAND:
            return None, text
        if child.status != 0:
            raise child.broken(f'ended with status {child.status}')
        values = parse(text)
        if not values:
            raise child.broken('printed no key=value')
    return values, text
