#!/usr/bin/env python3
"""Bumble's host in a pairing, in either role, on any controller.

    pairing.py peripheral tcp-client:127.0.0.1:PORT --keys FILE
    pairing.py central tcp-client:127.0.0.1:PORT

The peripheral advertises the service FFE0: FFE1 is open, FFE2 requires an encrypted link, FFE3 an authenticated one.
Keys are stored in FILE across runs, or without FILE in memory.

Prints {"event": "ready"}, then the events connected, disconnected, encryption, shown (a passkey), asked (for a passkey,
or whether a number is the same), paired, pairingFailed, securityRequested.

Commands on its input, each answered by {"event": "done", "command": ...} or {"event": "error", ...}:

    configure IO SC MITM        the next pairing; IO: none, display, yesno, keyboard or both; SC and MITM: 0 or 1
    answer yes|no|NUMBER        answers the question
    forget                      forgets all keys
    bonds                       the number of bonds
    pair                        as central: pairs; paired or pairingFailed follows
    request                     as peripheral: requests pairing
    connect ADDRESS             as central
    encrypt                     as central: with the stored key
    read UUID                   as central
    oob-data                    creates out-of-band data, valid for the next pairings
    oob-peer CONFIRM RANDOM     the data of the other side, in hexadecimal, most significant octet first
    disconnect
    quit
"""

import argparse
import asyncio

from bumble import data_types, hci
from bumble.att import Attribute
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.keys import JsonKeyStore, MemoryKeyStore
from bumble.pairing import OobContext, OobSharedData, PairingConfig, PairingDelegate

from session import emit, open_controller, run

IO = {
    'none': PairingDelegate.NO_OUTPUT_NO_INPUT,
    'display': PairingDelegate.DISPLAY_OUTPUT_ONLY,
    'yesno': PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    'keyboard': PairingDelegate.KEYBOARD_INPUT_ONLY,
    'both': PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class User(PairingDelegate):
    """The user of Bumble's device: questions are events, answers are commands."""

    def __init__(self, desk, capability):
        super().__init__(io_capability=capability)
        self.desk = desk

    async def compare_numbers(self, number, digits):
        return await self.desk.ask('compare', number=number) == 'yes'

    async def get_number(self):
        answer = await self.desk.ask('passkey')
        return None if answer == 'no' else int(answer)

    async def display_number(self, number, digits):
        emit('shown', number=number)

    async def generate_passkey(self):
        # Bumble's pairing fails with 0.
        return await super().generate_passkey() or 1


class Desk:
    """The capabilities of the next pairing, and the answers."""

    def __init__(self):
        self.answers = asyncio.Queue()
        self.options = ('none', True, False)
        self.own_data = self.peer_data = None

    def configure(self, capability, sc, mitm):
        self.options = (capability, sc == '1', mitm == '1')

    async def ask(self, question, **fields):
        emit('asked', question=question, **fields)
        return await self.answers.get()

    def make_oob_data(self):
        self.own_data = OobContext()
        shared = self.own_data.share()
        # Bumble's values have the least significant octet first.
        return {'confirm': shared.c[::-1].hex(), 'random': shared.r[::-1].hex()}

    def take_oob_data(self, confirm, random):
        self.peer_data = OobSharedData(c=bytes.fromhex(confirm)[::-1], r=bytes.fromhex(random)[::-1])

    def configuration(self, _connection):
        capability, sc, mitm = self.options
        oob = None
        if self.own_data is not None:
            oob = PairingConfig.OobConfig(our_context=self.own_data, peer_data=self.peer_data, legacy_context=None)
        return PairingConfig(
            sc=sc, mitm=mitm, bonding=True, delegate=User(self, IO[capability]),
            identity_address_type=PairingConfig.AddressType.RANDOM, oob=oob)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('role', choices=('peripheral', 'central'))
    parser.add_argument('controller', help='HCI transport: tcp-client:HOST:PORT, unix:PATH, ...')
    parser.add_argument('--name', default='Bumble Lock')
    parser.add_argument('--address', default='F2:00:00:00:00:02', help='own static random address')
    parser.add_argument('--keys', help='a file in which keys are kept')
    return parser.parse_args()


def watch(device):
    def on_connection(connection):
        emit('connected', peer=str(connection.peer_address))
        connection.on('disconnection', lambda reason: emit('disconnected', reason=int(reason)))
        connection.on('connection_encryption_change', lambda: emit(
            'encryption', encrypted=bool(connection.is_encrypted)))
        connection.on('connection_encryption_failure', lambda error: emit('encryptionFailed', code=int(error)))
        connection.on('pairing', lambda keys: emit('paired', secureConnections=connection.sc, identity=str(
            connection.peer_address)))
        connection.on('pairing_failure', lambda reason: emit('pairingFailed', reason=int(reason)))
        connection.on('security_request', lambda _: emit('securityRequested'))

    device.on('connection', on_connection)


def add_service(device):
    def value(uuid, needs, content):
        return Characteristic(uuid, Characteristic.Properties.READ, Attribute.READABLE | needs, content)

    device.add_service(Service('FFE0', [
        value('FFE1', Attribute.Permissions(0), b'\x01'),
        value('FFE2', Attribute.READ_REQUIRES_ENCRYPTION, b'\x02'),
        value('FFE3', Attribute.READ_REQUIRES_AUTHENTICATION, b'\x03'),
    ]))


async def advertise(device, name):
    await device.start_advertising(
        auto_restart=True, own_address_type=hci.OwnAddressType.RANDOM,
        advertising_data=bytes(AdvertisingData([
            data_types.Flags(
                AdvertisingData.Flags.LE_GENERAL_DISCOVERABLE_MODE | AdvertisingData.Flags.BR_EDR_NOT_SUPPORTED),
            data_types.CompleteLocalName(name),
        ])), advertising_interval_min=20, advertising_interval_max=20)


async def main(session, options):
    async with await open_controller(options.controller) as transport:
        address = hci.Address(options.address)
        configuration = DeviceConfiguration(name=options.name, address=address, irk=(bytes(address) * 3)[:16])
        device = Device(config=configuration, host=Host(transport.source, transport.sink))
        desk = Desk()
        device.pairing_config_factory = desk.configuration
        device.keystore = JsonKeyStore(options.address, options.keys) if options.keys else MemoryKeyStore()
        watch(device)
        if options.role == 'peripheral':
            add_service(device)
        await device.power_on()
        if options.role == 'peripheral':
            await advertise(device, options.name)
        transport.source.terminated.add_done_callback(lambda _: (emit('controllerLost'), session.end()))
        tasks = set()

        def connection():
            return next(reversed(device.connections.values()))

        def start(work):
            async def body():
                try:
                    await work
                except Exception as error:  # already reported by an event
                    emit('ended', message=f'{type(error).__name__}: {error}')

            task = asyncio.create_task(body())
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        async def read(uuid):
            # By handle, because Bumble's read by UUID hides errors.
            peer = Peer(connection())
            service, = await peer.discover_service(UUID('FFE0'))
            characteristic, = await service.discover_characteristics([UUID(uuid)])
            return {'hex': bytes(await characteristic.read_value()).hex()}

        async def connect(peer):
            await device.connect(hci.Address(peer), own_address_type=hci.OwnAddressType.RANDOM, timeout=20)

        async def bonds():
            return {'count': len(await device.keystore.get_all())}

        async def disconnect():
            for one in list(device.connections.values()):
                await one.disconnect()

        async def forget():
            for name, _ in await device.keystore.get_all():
                await device.keystore.delete(name)

        emit('ready', name=options.name, address=str(device.random_address))
        await session.serve({
            'configure': desk.configure,
            'answer': desk.answers.put_nowait,
            'forget': forget,
            'bonds': bonds,
            'pair': lambda: start(connection().pair()),
            'request': lambda: connection().request_pairing(),
            'connect': connect,
            'encrypt': lambda: connection().encrypt(),
            'read': read,
            'oob-data': desk.make_oob_data,
            'oob-peer': desk.take_oob_data,
            'disconnect': disconnect,
        })
    return 0


if __name__ == '__main__':
    chosen = arguments()
    run(lambda session: main(session, chosen))
