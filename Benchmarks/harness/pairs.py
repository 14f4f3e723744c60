"""Two programs on the referee, a server and a client, and the client's measurements."""

import re
from dataclasses import dataclass, field

from .paths import FLOOR, HARALD_BENCH, PEERS, PYTHON_OF_PEERS, TOOLS
from .processes import Broken, Children

OPERATIONS = ['read20', 'notify20', 'notify244', 'wwr20', 'wwr244']
# Bumble's ends, CoreBluetooth and earlier versions of harald-bench do not have it.
CHANNEL = 'channel65536'
RESULT = re.compile(
    r'^(?P<label>\S+) (?P<operation>\w+) n=(?P<count>\d+) rate=(?P<rate>\d+)/s us=(?P<us>[\d.]+)'
    r' cli_cpu_us=(?P<client_cpu>[\d.]+) \(u(?P<client_user>[\d.]+) s(?P<client_system>[\d.]+)\)'
    r' srv_cpu_us=(?P<server_cpu>[\d.]+) \(u(?P<server_user>[\d.]+) s(?P<server_system>[\d.]+)\)'
    r' MBps=(?P<megabytes>[\d.]+) cli_csw=(?P<client_switches>[\d.]+) srv_csw=(?P<server_switches>[\d.]+)$', re.M)


@dataclass
class Contender:
    """A measured stack: its server, its client, and the number of operations of a run."""

    label: str
    server: list
    client: list
    scheme: str = 'seq'
    reads: int = 20_000
    operations: int = 50_000


def floor(**options):
    return Contender('floor', [FLOOR], [FLOOR], **options)


def harald(mode, program=HARALD_BENCH, label=None, **options):
    # The server has one mode: there is no asynchronous front door in the row for a server.
    return Contender(label or mode, [program], [program, '--mode', mode], **options)


def bumble():
    """Ten times slower or more, so with fewer operations; without packet sockets."""
    program = [PYTHON_OF_PEERS, PEERS / 'measure.py']
    return Contender('bumble', program, program, scheme='tcp', reads=500, operations=1000)


@dataclass
class Wrap:
    """The way one end of a pair is run for counting."""

    command: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)


def both(mode, reads, timeout=120):
    """Two adapters of one client, each linked with a server of its own: the sum of their rates, in reads a second."""
    with Children() as children:
        places, serving, handles = [], [], []
        for name in ('1', '2'):
            referee = children.start(
                f'referee {name}', [TOOLS / 'referee', *(f'seq:{children.folder}/{end}{name}' for end in 'ab')])
            _, at_client, at_server = referee.line('ADDRESSES', timeout=5)
            places.append(at_client)
            serving.append(children.start(f'server {name}', [HARALD_BENCH, 'srv', at_server]))
            handles = serving[-1].line('HANDLES', timeout=30)[1:]
        client = children.start(
            'the client of both', [HARALD_BENCH, '--mode', mode, '--only', 'read20', 'cli', ','.join(places), mode,
                                   reads, reads, *handles])
        output = client.finish(timeout)
        for server in serving:
            server.finish(timeout=20)
    rates = [float(match['rate']) for match in RESULT.finditer(output)]
    if len(rates) != 2:
        raise Broken(f'the client of two adapters printed {len(rates)} results:\n{output}')
    return sum(rates)


def run_pair(contender, reads=None, operations=None, scheme=None, only=(), server=Wrap(), client=Wrap(), timeout=120):
    """Runs a pair once. Returns the lines of results by operation, and the number of packets that each host exchanged
    with the referee."""
    scheme = scheme or contender.scheme
    with Children() as children:
        places = ['tcp:0', 'tcp:0'] if scheme == 'tcp' else [f'{scheme}:{children.folder}/{end}' for end in 'ab']
        referee = children.start('the referee', [TOOLS / 'referee', *places])
        _, at_client, at_server = referee.line('ADDRESSES', timeout=5)
        serving = children.start(
            f'the server of {contender.label}', [*server.command, *contender.server, 'srv', at_server],
            server.environment)
        handles = serving.line('HANDLES', timeout=30)[1:]
        connecting = children.start(
            f'the client of {contender.label}',
            [*client.command, *contender.client, *(['--only', ','.join(only)] if only else []), 'cli', at_client,
             contender.label, reads or contender.reads, operations or contender.operations, *handles],
            client.environment)
        try:
            output = connecting.finish(timeout)
        except Broken as broken:
            # The referee refuses invalid packets; for the client this is only a lost controller.
            if referee.status not in (None, 0):
                raise referee.broken(f'ended with status {referee.status}') from broken
            raise
        serving.finish(timeout=20)
        packets = dict(
            (words[0], {key: int(number) for key, number in (word.split('=') for word in words[1:])})
            for words in map(str.split, referee.finish(timeout=10).splitlines()) if words[0].startswith('host'))
    if 'LOST' in output:
        raise Broken(f'{contender.label} lost values: {output}')
    results = {}
    for match in RESULT.finditer(output):
        results[match['operation']] = {
            key: float(number) for key, number in match.groupdict().items() if key not in ('label', 'operation')}
    missing = [name for name in only or OPERATIONS if name not in results]
    if missing:
        raise Broken(f'the client of {contender.label} printed no result for {", ".join(missing)}:\n{output}')
    return {'results': results, 'packets': packets}
