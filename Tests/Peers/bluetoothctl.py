#!/usr/bin/env python3
"""`bluetoothctl` of BlueZ 5.66 as a user works with it, on the devices of Tests/Linux/oracle/scene.yaml:

    harald bluez --adapter virtual:SCENE --adapter virtual:SCENE -- bluetoothctl.py PROGRAM

Each command is typed, and the lines beside it have to come. The first adapter is the central and the peripheral; a second
`bluetoothctl` on the other adapter visits its advertisement and application. Exits with 0 if all lines came. The menu
`mgmt` needs a kernel.
"""

import os
import pty
import re
import select
import sys
import time

LIMIT = float(os.environ.get('BLUETOOTHCTL_SECONDS', '20'))
GADGET, STRAP, BEACON, _, LEAVER = (f'C0:00:00:00:00:0{number}' for number in range(1, 6))
# These have a passkey.
LOCKED = [f'C0:00:00:00:00:0{number}' for number in '4789A']


class Failure(Exception):
    pass


class Session:
    """A `bluetoothctl` at a terminal."""

    def __init__(self, name, program, *arguments):
        self.name = name
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ |= {'TERM': 'dumb', 'COLUMNS': '200'}
            os.execv(program, [program, *arguments])
        self.text = ''
        self.commands = 0

    def read(self, limit):
        if not select.select([self.terminal], [], [], limit)[0]:
            return
        try:
            octets = os.read(self.terminal, 65536)
        except OSError:
            octets = b''
        if not octets:
            raise Failure(f'{self.name} ended:\n{self.text}')
        text = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', octets.decode(errors='replace'))
        self.text += re.sub('[\r\x01\x02]', '', text)

    def wait(self, pattern):
        """Waits for a pattern in what came since the last command, and returns the match."""
        end = time.monotonic() + LIMIT
        while not (match := re.search(pattern, self.text, re.MULTILINE)):
            left = end - time.monotonic()
            if left <= 0:
                raise Failure(f'{self.name}: no /{pattern}/ in:\n{self.text}')
            self.read(left)
        return match

    def do(self, command, *patterns):
        self.commands += 1
        print(f'{self.name}: {command}', flush=True)
        self.text = ''
        os.write(self.terminal, command.encode() + b'\n')
        # The echo: the command before was read.
        self.wait(re.escape(command))
        for pattern in patterns:
            self.wait(pattern)

    def end(self):
        os.write(self.terminal, b'quit\n')
        os.waitpid(self.process, 0)


def adapters(ctl):
    ctl.do('list', r'Controller (\S+) .*\[default\]')
    ctl.wait(r'(?s)Controller .*Controller ')
    first, second = re.findall(r'^Controller (\S+)', ctl.text, re.MULTILINE)[:2]
    default = re.search(r'Controller (\S+) .*\[default\]', ctl.text)[1]
    other = second if default == first else first
    ctl.do('show', rf'Controller {default} \(public\)', 'Powered: yes', 'Roles: central', 'Roles: peripheral',
           'ActiveInstances: 0x00')
    ctl.do(f'show {other}', rf'Controller {other} ')
    ctl.do('show 00:00:00:00:00:00', 'not available')
    ctl.do('system-alias Desk', 'succeeded', 'Alias: Desk')
    ctl.do('reset-alias', 'succeeded')
    ctl.do('pairable off', 'succeeded')
    ctl.do('pairable on', 'succeeded')
    ctl.do('discoverable-timeout 60', 'succeeded')
    ctl.do('discoverable on', 'succeeded', 'Discoverable: yes')
    ctl.do('discoverable off', 'succeeded', 'Discoverable: no')
    ctl.do('power off', 'succeeded', 'Powered: no')
    ctl.do('scan on', 'NotReady')
    ctl.do('power on', 'succeeded', 'Powered: yes')
    return default, other


def scanning(ctl):
    ctl.do('menu scan', 'Menu scan:')
    ctl.do('uuids fff0')
    ctl.do('uuids', 'UUID')
    ctl.do('rssi -90')
    ctl.do('rssi', 'RSSI: ')
    ctl.do('transport le')
    ctl.do('duplicate-data on')
    ctl.do('pattern Gad')
    ctl.do('back')
    ctl.do('scan on', 'Discovery started', rf'NEW.* Device {GADGET} Gadget')
    ctl.do('scan off', 'Discovery stopped')
    ctl.do('devices', rf'Device {GADGET} Gadget')
    if STRAP in ctl.text:
        raise Failure(f'the filter let {STRAP} pass:\n{ctl.text}')
    ctl.do('menu scan', 'Menu scan:')
    ctl.do('clear', '.')
    ctl.do('back')
    ctl.do('scan le', 'Discovery started', rf'NEW.* Device {STRAP} Strap', rf'NEW.* Device {BEACON}')
    for device in [LEAVER] + LOCKED:
        ctl.wait(rf'NEW.* Device {device}')
    ctl.do(f'info {BEACON}', 'ManufacturerData Key: 0x004c', 'ServiceData Key: 0000feaa')
    ctl.do(f'info {STRAP}', 'TxPower: 4', r'UUID: Heart Rate')
    ctl.do('scan off', 'Discovery stopped')
    ctl.do('scan off', 'Failed to stop discovery: org.bluez.Error.Failed')
    ctl.do('info C0:00:00:00:00:FF', 'not available')


def devices(ctl):
    ctl.do(f'trust {GADGET}', 'trust succeeded')
    ctl.do('devices Trusted', rf'Device {GADGET} Gadget')
    ctl.do(f'untrust {GADGET}', 'untrust succeeded')
    ctl.do(f'block {GADGET}', 'block succeeded')
    ctl.do(f'unblock {GADGET}', 'unblock succeeded')
    ctl.do(f'connect {GADGET}', 'Connection successful', 'ServicesResolved: yes')
    ctl.do('set-alias Mine', 'Alias: Mine')
    ctl.do(f'info {GADGET}', 'Alias: Mine', 'Connected: yes', 'Battery Percentage: .*85')
    ctl.do('devices Connected', rf'Device {GADGET}')


def attribute(ctl, uuid):
    ctl.do(f'select-attribute {uuid}')
    ctl.do('attribute-info', f'UUID: .*{uuid}')


def attributes(ctl):
    ctl.do('menu gatt', 'Menu gatt:')
    ctl.do(f'list-attributes {GADGET}', '0000fff1', '0000ffe1', '00002901')
    attribute(ctl, '0000fff1-0000-1000-8000-00805f9b34fb')
    ctl.do('read', r'01 02 03 04')
    ctl.do('read 2', r'  03 04  ')
    ctl.do('write "0x05 0x06"', 'Attempting to write')
    ctl.do('read', r'  05 06  ')
    ctl.do('write "0x07" 1 request')
    ctl.do('read', r'05 07|05 06')
    ctl.do('write 0x09 0 nonsense', 'NotSupported')
    ctl.do('notify on', 'Failed to start notify: org.bluez.Error.NotSupported')
    attribute(ctl, '0000fff2-0000-1000-8000-00805f9b34fb')
    ctl.do('notify on', 'Notify started')
    ctl.do('write 0x2a 0 command', r'(?s)CHG.*Value:.* 2a ')
    ctl.do('notify off', 'Notify stopped')
    ctl.do('acquire-notify', 'AcquireNotify success: fd')
    ctl.do('acquire-write', 'AcquireWrite success: fd')
    ctl.do('write 0x2b', r'2b')
    ctl.do('release-write')
    ctl.do('release-notify')
    ctl.do('clone', 'Clone .yes/no/all')
    ctl.do('no')
    ctl.do('back')


def pairing(ctl):
    for capability, device in zip(
            ('NoInputNoOutput', 'DisplayOnly', 'DisplayYesNo', 'KeyboardOnly', 'KeyboardDisplay'), LOCKED):
        ctl.do('agent off', 'Agent unregistered')
        ctl.do(f'agent {capability}', 'Agent registered')
        ctl.do('default-agent', 'Default agent request successful')
        # The device shows a passkey, which is typed where there is a keyboard.
        if capability.startswith('Keyboard'):
            ctl.do(f'pair {device}', 'Enter passkey')
            ctl.do('123456', 'Pairing successful')
        else:
            ctl.do(f'pair {device}', 'Pairing successful')
        ctl.do('devices Paired', device)
        ctl.do(f'remove {device}', 'Device has been removed')
    ctl.do('cancel-pairing ' + LEAVER, 'Failed to cancel pairing: org.bluez.Error.DoesNotExist')
    ctl.do(f'pair {GADGET}', 'Pairing successful')
    ctl.do('agent off', 'Agent unregistered')
    ctl.do('agent on', 'Agent registered')


def peripheral(ctl):
    ctl.do('menu advertise', 'Menu advertise:')
    ctl.do('uuids ffa0')
    ctl.do('service feaa 0x01')
    ctl.do('data 0x26 0x01')
    ctl.do('manufacturer 0x0059 0x01 0x02')
    ctl.do('manufacturer', 'Manufacturer: 89')
    ctl.do('name Terminal')
    ctl.do('discoverable on')
    ctl.do('interval 50 100')
    ctl.do('name', 'LocalName: Terminal|Name')
    ctl.do('back')
    ctl.do('menu gatt', 'Menu gatt:')
    ctl.do('register-service 0000ffa0-0000-1000-8000-00805f9b34fb', r'Primary \(yes/no\)')
    ctl.do('yes')
    ctl.do('register-characteristic 0000ffa1-0000-1000-8000-00805f9b34fb read,write,notify', 'Enter value')
    ctl.do('0x41 0x42')
    ctl.do('register-descriptor 0000ffa2-0000-1000-8000-00805f9b34fb read', 'Enter value')
    ctl.do('0x43')
    ctl.do('register-application', 'Application registered')
    ctl.do('back')
    ctl.do('advertise peripheral', 'Advertising object registered', 'Manufacturer')
    ctl.do('show', 'ActiveInstances: 0x01')


def visit(visitor, own, peer, host):
    visitor.do(f'select {own}')
    visitor.do('scan le', 'Discovery started', rf'Device {peer} .*Terminal')
    visitor.do('scan off', 'Discovery stopped')
    visitor.do(f'info {peer}', 'Name: Terminal', 'ManufacturerData Key: 0x0059', 'ServiceData Key: 0000feaa')
    visitor.do(f'connect {peer}', 'Connection successful', 'ServicesResolved: yes')
    visitor.do('menu gatt', 'Menu gatt:')
    visitor.do('select-attribute 0000ffa1-0000-1000-8000-00805f9b34fb')
    visitor.do('read', r'  41 42  ')
    visitor.do('write "0x44"', 'Attempting to write')
    host.wait('ffa1.*written|Value:\n\\s+44|44')
    visitor.do('read', r'  44  ')
    visitor.do('notify on', 'Notify started')
    visitor.do('notify off', 'Notify stopped')
    visitor.do('back')
    visitor.do(f'disconnect {peer}', 'Successful disconnected')


def monitors(ctl):
    ctl.do('menu monitor', 'Menu monitor:')
    ctl.do('get-supported-info', 'or_patterns')
    ctl.do('add-or-pattern 0 3 b0ff', 'Advertisement Monitor 0 added', 'activated')
    ctl.wait('found|Device')
    ctl.do('get-pattern all', 'pattern')
    ctl.do('remove-pattern 0', 'deleted')
    ctl.do('back')


def main(program):
    ctl, visitor = Session('first', program), Session('second', program)
    try:
        for session in (ctl, visitor):
            session.wait('Agent registered')
        default, other = adapters(ctl)
        scanning(ctl)
        devices(ctl)
        attributes(ctl)
        pairing(ctl)
        peripheral(ctl)
        visit(visitor, other, default, ctl)
        ctl.do('advertise off', 'Advertising object unregistered|unregistered')
        ctl.do('menu gatt', 'Menu gatt:')
        ctl.do('unregister-application', 'Application unregistered')
        ctl.do('back')
        monitors(ctl)
        ctl.do(f'disconnect {GADGET}', 'Successful disconnected')
        ctl.do(f'remove {GADGET}', 'Device has been removed')
        for session in (ctl, visitor):
            session.end()
    except Failure as failure:
        print(f'FAIL {failure}')
        return 1
    print(f'{ctl.commands + visitor.commands} commands: every line came')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
