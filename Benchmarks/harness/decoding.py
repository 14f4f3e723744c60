"""Advertisements decoded a second on one core: ours, theengsdecoder, and habluetooth with the parsers of its formats."""

from .inside import parse
from .paths import HARALD_BENCH, PEERS, PYTHON_OF_PEERS
from .processes import Children


def rates():
    """The values of all decoders by name."""
    with Children() as children:
        file = f'{children.folder}/advertisements'
        others = children.start('decoding_bench.py', [PYTHON_OF_PEERS, PEERS / 'decoding_bench.py', file])
        values = parse(others.finish(timeout=120))
        ours = children.start('harald-bench decode', [HARALD_BENCH, 'decode', file, 3])
        values.update(parse(ours.finish(timeout=60)))
    return values
