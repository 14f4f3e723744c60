#!/usr/bin/env python3
"""A server with bless, run by `harald bluez`, for the client in `bless_visitor.py`.

Prints "serving" when it is on the air, then one line for each event, and serves until it is killed.
"""

import asyncio

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties, GATTDescriptorProperties

SERVICE, VALUE, ECHO, INDICATED, DESCRIPTION = (
    f'0000{short}-0000-1000-8000-00805f9b34fb' for short in ('fff0', 'fff1', 'fff2', 'fff3', '2901'))


async def main():
    server = BlessServer(name='Bless')
    permissions = GATTAttributePermissions.readable | GATTAttributePermissions.writeable
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(
        SERVICE, VALUE, GATTCharacteristicProperties.read | GATTCharacteristicProperties.write, bytearray([42]),
        permissions)
    await server.add_new_descriptor(
        SERVICE, VALUE, DESCRIPTION, GATTDescriptorProperties.read, bytearray(b'A value'),
        GATTAttributePermissions.readable)
    await server.add_new_characteristic(SERVICE, ECHO, GATTCharacteristicProperties.notify, None, permissions)
    await server.add_new_characteristic(SERVICE, INDICATED, GATTCharacteristicProperties.indicate, None, permissions)

    def read(characteristic, **_):
        return characteristic.value

    def write(characteristic, value, **_):
        """Stores a value, and sends it to the subscribers of the other characteristics."""
        print('written', bytes(value).hex(' '), flush=True)
        characteristic.value = value
        for echo in (ECHO, INDICATED):
            server.get_characteristic(echo).value = value
            server.update_value(SERVICE, echo)

    server.read_request_func = read
    server.write_request_func = write
    await server.start()
    assert await server.is_advertising()
    print('serving', flush=True)
    await asyncio.Event().wait()


if __name__ == '__main__':
    asyncio.run(main())
