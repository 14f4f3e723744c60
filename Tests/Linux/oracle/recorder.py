"""Records the answers, signals and calls of `org.bluez` as text that does not depend on the run.

A recording has one part for each step of the script. Its lines, in the order in which a client received them:

    > client  the call
    < client  the answer to it, or the error
    ! client  a signal
    @ client  a call of the service to an object of the client
    ? client  what the step waited for in vain
"""

import asyncio
import os
import re

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

STANDARD = ('Properties', 'ObjectManager', 'Introspectable', 'Peer')
# What depends on the radio, and not on the service.
RADIO = re.compile(r'Device1 \{RSSI: n [-0-9]+\}$')
LIMIT = float(os.environ.get('ORACLE_SECONDS', '60'))


def interface(short):
    if not short or '.' in short:
        return short or None
    return ('org.freedesktop.DBus.' if short in STANDARD else 'org.bluez.') + short


def text(value, signature):
    """A value with its type: `s 'x'`, `ay 01 02`, `a{sv} {a: b true}`."""
    return f'{signature} {bare(value, signature)}'


def bare(value, signature):
    if isinstance(value, Variant):
        return text(value.value, value.signature)
    if signature == 'ay':
        octets = bytes(value)
        return (octets.hex(' ') or '-') if len(octets) <= 32 else f'{octets[:8].hex(" ")} ... ({len(octets)})'
    if signature == 'b':
        return str(value).lower()
    if signature == 'h':
        return 'descriptor'
    if isinstance(value, dict):
        key, item = signature[2], signature[3:-1]
        entries = sorted(f'{bare(k, key)}: {bare(v, item)}' for k, v in value.items())
        return '{' + ', '.join(entries) + '}'
    if signature.startswith('a'):
        return '[' + ', '.join(bare(item, signature[1:]) for item in value) + ']'
    return str(value)


def named(entries):
    """The entries of a dictionary, for the name of a step."""
    return bare(entries, 'a{sv}')


def arguments(message):
    trees = message.signature_tree.types
    return ', '.join(text(value, tree.signature) for value, tree in zip(message.body, trees))


class Recorder:
    def __init__(self):
        self.parts = []
        self.lines = []
        self.replacements = []
        self.changed = asyncio.Event()
        self.clients = []
        # Signals about other devices are not recorded: they come and go at any time.
        self.focus = '.'

    def replace(self, pattern, replacement):
        self.replacements.append((re.compile(pattern), replacement))

    def plain(self, what):
        """The text without addresses and names that depend on the run."""
        for pattern, replacement in self.replacements:
            what = pattern.sub(replacement, what)
        return what

    def add(self, mark, client, what):
        what = self.plain(what)
        if mark == '!' and '/dev_' in what and (not re.search(self.focus, what) or RADIO.search(what)):
            return
        self.lines.append((client, f'{mark} {client} {what}'))
        self.changed.set()

    def matches(self, pattern):
        return any(re.search(pattern, line) for _, line in self.lines)

    async def until(self, pattern, limit=LIMIT):
        """Waits until a line of this step matches."""
        try:
            async with asyncio.timeout(limit):
                while not self.matches(pattern):
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            self.lines.append(('~', f'? A {pattern}'))

    async def step(self, name, *work, until=(), leave_out=None, ordered=True):
        """Runs calls one after the other, waits for lines, and ends the part of this name.

        Lines that match `leave_out` are left out: those whose number or time depends on the run.
        """
        for item in work:
            await item
        for pattern in [until] if isinstance(until, str) else until:
            await self.until(pattern)
        # What the service sent before is received before the answers to these.
        for client in self.clients:
            await client.settle()
        self.end(name, leave_out, ordered)

    def end(self, name, leave_out=None, ordered=True):
        lines = [line for line in self.lines if not (leave_out and re.search(leave_out, line[1]))]
        lines.sort(key=lambda line: line[0])
        # A line that is repeated at once is recorded once: how often depends on the time.
        found = [line for number, (_, line) in enumerate(lines) if number == 0 or line != lines[number - 1][1]]
        self.parts.append((name, found if ordered else sorted(found)))
        self.lines = []

    def write(self, file):
        for name, lines in self.parts:
            print(f'# {name}', *lines, '', sep='\n', file=file)


class Client:
    """A connection to the bus. It records signals if `listens`, and answers calls with its `objects`."""

    def __init__(self, name, recorder, listens=False):
        self.name, self.recorder, self.listens = name, recorder, listens
        self.pending = {}
        # Properties by path and interface, and the answers of methods by their names.
        self.objects = {}
        self.answers = {}
        self.descriptors = []

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.bus.add_message_handler(self.received)
        self.recorder.replace(re.escape(self.bus.unique_name) + r'\b', f'<{self.name}>')
        self.recorder.clients.append(self)
        reply = await self.ask('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'GetNameOwner', 's', 'org.bluez',
                               destination='org.freedesktop.DBus')
        self.service = reply.body[0]
        if self.listens:
            await self.ask('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'AddMatch', 's',
                           "type='signal',sender='org.bluez'", destination='org.freedesktop.DBus')
        return self

    def close(self):
        self.recorder.clients.remove(self)
        self.bus.disconnect()

    async def settle(self):
        await self.ask('/org/bluez/hci0', interface('Properties'), 'Get', 'ss', 'org.bluez.Adapter1', 'Address')

    # Calls

    def send(self, path, its_interface, member, signature='', *body, destination='org.bluez', label=None):
        message = Message(destination=destination, path=path, interface=its_interface, member=member,
                          signature=signature, body=list(body))
        message.serial = self.bus.next_serial()
        future = asyncio.get_running_loop().create_future()
        self.pending[message.serial] = (future, label)
        if label:
            self.recorder.add('>', self.name, f'{label}({arguments(message)}) on {path}')
        self.bus.send(message)
        return future

    async def ask(self, *call, **options):
        """A call that is not recorded."""
        return await asyncio.wait_for(self.send(*call, **options), LIMIT)

    def start(self, path, method, signature='', *body):
        """Begins a call, such as `Adapter1.StartDiscovery`; returns its future answer."""
        its_interface, member = method.rsplit('.', 1) if '.' in method else ('', method)
        label = method
        return self.send(path, interface(its_interface), member, signature, *body, label=label)

    async def call(self, path, method, signature='', *body):
        try:
            return await asyncio.wait_for(self.start(path, method, signature, *body), LIMIT)
        except TimeoutError:
            self.recorder.add('?', self.name, f'an answer to {method}')

    async def get(self, path, its_interface, name):
        return await self.call(path, 'Properties.Get', 'ss', interface(its_interface), name)

    async def set(self, path, its_interface, name, signature, value):
        return await self.call(
            path, 'Properties.Set', 'ssv', interface(its_interface), name, Variant(signature, value))

    async def all(self, path, its_interface):
        return await self.call(path, 'Properties.GetAll', 's', interface(its_interface))

    # Messages

    def received(self, message):
        kind = message.message_type
        if kind in (MessageType.METHOD_RETURN, MessageType.ERROR):
            return self.answered(message)
        if message.sender != self.service:
            return None
        if kind == MessageType.SIGNAL:
            if self.listens:
                self.recorder.add('!', self.name, self.signal(message))
            return None
        return self.asked(message)

    def answered(self, message):
        future, label = self.pending.pop(message.reply_serial, (None, None))
        if future is None:
            return None
        self.descriptors += message.unix_fds
        if label and message.message_type == MessageType.ERROR:
            reason = message.body[0] if message.body else ''
            self.recorder.add('<', self.name, f'{label}: {message.error_name} "{reason.strip()}"')
        elif label:
            self.recorder.add('<', self.name, f'{label}: {arguments(message) or "done"}')
        if not future.done():
            future.set_result(message)
        return True

    @staticmethod
    def signal(message):
        body = message.body
        if message.member == 'PropertiesChanged':
            gone = f' without {sorted(body[2])}' if body[2] else ''
            return f'{message.path} {body[0]} {bare(body[1], "a{sv}")}{gone}'
        if message.member in ('InterfacesAdded', 'InterfacesRemoved'):
            return f'{message.member} {body[0]} ' + bare(
                body[1] if isinstance(body[1], dict) else sorted(body[1]), message.signature[1:])
        return f'{message.path} {message.interface}.{message.member}({arguments(message)})'

    # Objects of the client

    def asked(self, message):
        """Answers a call of the service. Standard calls are not recorded: their number is free."""
        member, body = message.member, message.body
        if message.interface == interface('ObjectManager'):
            objects = {path: its for path, its in self.objects.items() if path.startswith(message.path)}
            return Message.new_method_return(message, 'a{oa{sa{sv}}}', [objects])
        if message.interface == interface('Properties'):
            its = self.objects.get(message.path, {}).get(body[0])
            if its is None:
                return Message.new_error(message, 'org.freedesktop.DBus.Error.InvalidArgs', 'No such interface')
            if member == 'GetAll':
                return Message.new_method_return(message, 'a{sv}', [its])
            if member == 'Set':
                self.recorder.add('@', self.name, f'Set {message.path} {body[1]} {bare(body[2], "v")}')
            return Message.new_method_return(message)
        short = (message.interface or '').removeprefix('org.bluez.')
        self.recorder.add('@', self.name, f'{message.path} {short}.{member}({arguments(message)})')
        answer = self.answers.get(f'{message.path} {member}', self.answers.get(member, ('', [])))
        if callable(answer):
            answer = answer(message)
        if answer is None:
            return True
        signature, values = answer
        if signature.startswith('org.'):
            return Message.new_error(message, signature, values)
        return Message.new_method_return(message, signature, values)

    def emit(self, path, its_interface, member, signature='', *body):
        self.bus.send(Message(message_type=MessageType.SIGNAL, path=path, interface=interface(its_interface),
                              member=member, signature=signature, body=list(body)))

    def announce(self, path, its_interface, name, variant):
        """Changes a property of an object of this client."""
        self.objects[path][interface(its_interface)][name] = variant
        self.emit(path, 'Properties', 'PropertiesChanged', 'sa{sv}as', interface(its_interface), {name: variant}, [])
