#!/usr/bin/env python3
"""Devices with one fault each, and clean ones, on Bumble's host with an attribute server of their own.

    faulty.py --list                                a table; with --json one object a line
    faulty.py NAME tcp-client:127.0.0.1:PORT        the device, until it is ended
    faulty.py --self-test [NAME ...]                each fault is seen on the air, and nothing else

Each object of the list has `name`, `fault` (a sentence; null for the clean devices), `section` (where the specification
says what is right) and `needs`: what a test of the device must be allowed to do, null, "writes", "pair", "hostile" or
"slow".

A device prints {"event": "ready", "name": ..., "device": ..., "address": ...} when it advertises; `name` is its Device
Name. It takes no commands but `quit`, and ends when its input closes. Several centrals may be connected at a time.
Bonds last as long as the program.
"""

import argparse
import json
import sys

from bumble import hci
from bumble.transport.common import TransportSpecError

from faulty import catalogue
from faulty.device import Running, address_of
from session import PeerError, emit, open_controller, run


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', nargs='*', help='a device of the list, then the HCI transport of its controller')
    parser.add_argument('--list', action='store_true', help='the devices')
    parser.add_argument('--json', action='store_true', help='one JSON object a line')
    parser.add_argument('--self-test', action='store_true', help='checks the devices of those names, or all of them')
    parser.add_argument('--air', help="the self test's air: an HCI transport of which each connection is a controller")
    parser.add_argument('--address', help='own static random address; each device has one of its own otherwise')
    options = parser.parse_args()
    options.usage = parser.error
    if options.air and not options.self_test:
        parser.error('--air is for --self-test')
    return options


def print_list(options):
    for entry in catalogue.ENTRIES.values():
        if options.json:
            print(json.dumps(entry.listed()))
        else:
            print(f'{entry.name:34} {entry.needs or "":8} {entry.fault or "(clean)"} [{entry.section or "-"}]')


async def serve(session, name, controller, address):
    entry = catalogue.find(name)
    if entry is None:
        raise PeerError(f'no device {name}; see faulty.py --list')
    try:
        opened = await open_controller(controller)
    except (OSError, ValueError, TransportSpecError) as error:
        raise PeerError(f'no controller at {controller}: {error}') from None
    async with opened as transport:
        definition = entry.make()
        own = hci.Address(address) if address else address_of(name, definition)
        running = (definition.host or Running)(definition, transport.source, transport.sink, own)
        await running.start()
        transport.source.terminated.add_done_callback(lambda _: (emit('controllerLost'), session.end()))
        emit('ready', name=definition.title, device=name, address=str(running.address).split('/')[0])
        await session.serve({})
        await running.stop()
    return 0


def main():
    options = arguments()
    if options.list:
        print_list(options)
    elif options.self_test:
        from faulty import selftest
        unknown = [name for name in options.name if catalogue.find(name) is None]
        if unknown:
            options.usage(f'no device {", ".join(unknown)}; see --list')
        from faulty.air import BumbleAir, OtherAir
        make_air = (lambda: OtherAir(options.air, open_controller)) if options.air else BumbleAir
        sys.exit(selftest.run(options.name, make_air))
    elif len(options.name) == 2:
        run(lambda session: serve(session, *options.name, options.address))
    else:
        options.usage('give the name of a device and a transport, or --list, or --self-test')


if __name__ == '__main__':
    main()
