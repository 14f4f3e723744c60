"""Runs each device on an air of its own and looks at it: its fault must show, and nothing else."""

import asyncio
import logging
import time
import traceback

from . import device as devices
from . import catalogue, examine, examine_behaviour, examine_links, examine_profiles
from .air import BumbleAir, Central, Gone


async def observe(entry, findings, air):
    """Puts all that is found of one device into `findings`."""
    definition = entry.make()
    own = devices.address_of(entry.name, definition)
    running = (definition.host or devices.Running)(definition, *await air.join(), own)
    running.tick_period = 0.02 * air.scale
    centrals = [Central(number, *await air.join(), air.scale) for number in (1, 2)]
    for central in centrals:
        await central.start()
    await running.start()
    address = running.address
    exam = examine.Examination(address, definition)
    exam.findings = findings
    data, response, interval = await air.advertised(centrals[0], address)
    if interval > 1200:
        # Connecting would take that long; the device is otherwise the clean one.
        examine.check_advertising(exam, data, response, interval)
        exam.findings.pop('adv-service-not-there', None)
        await running.stop()
        return
    link = await centrals[0].connect(address)
    await attributes(exam, link)
    examine.check_advertising(exam, data, response, interval)
    await examine_profiles.check(exam)
    await examine_behaviour.check(exam, link, centrals)
    await examine_links.check(exam, link, centrals)
    if bytes(address)[5] >> 6 == 1 and not findings:
        # A resolvable private address: its time is made short.
        running.rotation = running.rotation and 0.5
        seen = await air.addresses(centrals[0], 2)
        exam.require(len(seen) > 1, 'address-not-rotated', seen)
    await running.stop()


async def attributes(exam, link):
    await examine.discover_services(exam, link)
    await examine.discover_types(exam, link)
    await examine.discover_values(exam, link)
    await examine.check_includes(exam, link)
    await examine.check_descriptors(exam, link)
    await examine.read_declarations(exam, link)
    await examine.read_all(exam, link)
    examine.check_hash(exam)


async def judge(entry, make_air):
    """Runs one device and prints the result; returns True if it matches the entry."""
    start = time.monotonic()
    findings, broken = {}, ''
    air = make_air()
    try:
        async with asyncio.timeout(60):
            await observe(entry, findings, air)
    except Gone as gone:
        broken = f'; the link ended after {gone.args[0].hex()}'
        findings['error-then-disconnect' if gone.args[0][4:] == b'\x01' else 'self-test'] = broken
    except Exception as error:
        # Some faults leave nothing to look at behind them; a device without a finding has no such excuse.
        place = traceback.extract_tb(error.__traceback__)[-1]
        broken = f'; stopped by {type(error).__name__} {error} in {place.name}:{place.lineno}'
        if not findings:
            findings['self-test'] = broken
    await air.close()
    expected = {entry.name} if entry.fault else set()
    good = set(findings) == expected
    seconds = time.monotonic() - start
    shown = findings.get(entry.name, '')[:160] if good else {name: findings[name][:160] for name in findings}
    shown = f'{shown}{broken}'
    print(f'{"ok  " if good else "BAD "} {entry.name:32} {seconds:5.1f} s  {shown}', flush=True)
    return good


def run(names, make_air=BumbleAir):
    """Whether all devices of those names, or all there are, pass on airs of that kind: the exit status."""
    logging.disable(logging.CRITICAL)  # Bumble complains of what faulty devices send
    entries = [catalogue.find(name) for name in names] or list(catalogue.ENTRIES.values())
    wrong = [entry.name for entry in entries if not asyncio.run(judge(entry, make_air))]
    clean = sum(entry.fault is None for entry in entries)
    print(f'{len(entries) - clean} devices with a fault and {clean} clean ones: '
          f'{len(wrong)} not as the list says{": " + ", ".join(wrong) if wrong else ""}')
    return 1 if wrong else 0
