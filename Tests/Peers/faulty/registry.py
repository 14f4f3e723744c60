"""The list of devices: each is made by a function that changes one thing of a clean device."""

import dataclasses
import functools
from collections.abc import Callable


@dataclasses.dataclass
class Entry:
    name: str
    fault: str | None
    section: str | None
    needs: str | None
    make: Callable

    def listed(self):
        return {'name': self.name, 'fault': self.fault, 'section': self.section, 'needs': self.needs}


ENTRIES = {}
NEEDS = (None, 'writes', 'pair', 'hostile', 'slow')


def add(entry):
    assert entry.name not in ENTRIES and entry.needs in NEEDS, entry.name
    ENTRIES[entry.name] = entry


def clean(name):
    """Registers a device without a fault."""
    def register(make):
        add(Entry(name, None, None, None, make))
        return make
    return register


def fault(name, base, sentence, section, needs=None):
    """Registers the device that a function makes of a clean one by changing it."""
    def register(change):
        def make():
            definition = base()
            change(definition)
            return definition
        add(Entry(name, sentence, section, needs, make))
        return change
    return register


def override(definition, **methods):
    """Gives the device a server with other methods.

    Each gets the server, the method that it replaces, and the arguments.
    """
    parent = definition.server

    def bound(name, method):
        original = getattr(parent, name)
        return lambda server, *arguments: method(server, functools.partial(original, server), *arguments)

    definition.server = type('Faulty', (parent,), {name: bound(name, method) for name, method in methods.items()})
