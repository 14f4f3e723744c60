"""bleak, an independent central on BlueZ, visits our device: `visitor.py ADAPTER`."""

import asyncio
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError


def uuid(number):
    return f"a5b7{number:04x}-1c2d-4e5f-8091-a2b3c4d5e6f7"


async def main(adapter):
    # By its service: the name is in the scan response, which not every virtual controller delivers.
    device = await BleakScanner.find_device_by_filter(
        lambda _, advertisement: uuid(0) in advertisement.service_uuids, timeout=60, bluez={"adapter": adapter}
    )
    assert device, "our device was not heard"
    print("     bleak: heard", device)
    async with BleakClient(device, timeout=60, bluez={"adapter": adapter}) as client:
        assert await client.read_gatt_char(uuid(1)) == b"\x07"
        await client.write_gatt_char(uuid(1), b"\x08\x08", response=True)
        assert await client.read_gatt_char(uuid(1)) == b"\x08\x08"
        print("ok   bleak: read, write, read")
        assert await client.read_gatt_char(uuid(2)) == b"\x05" * 300
        print("ok   bleak: a long value")
        descriptor = next(d for d in client.services.get_characteristic(uuid(1)).descriptors if d.uuid[4:8] == "2901")
        assert await client.read_gatt_descriptor(descriptor) == b"kept"
        print("ok   bleak: a descriptor")
        try:
            await client.read_gatt_char(uuid(8))
            raise AssertionError("no error")
        except BleakError as error:
            assert "0x80" in str(error), error
        print("ok   bleak: the application's error")
        got, all_there = [], asyncio.Event()

        def received(_, value):
            got.append(bytes(value))
            if len(got) == 5:
                all_there.set()

        await client.start_notify(uuid(4), received)
        for number in range(5):
            await client.write_gatt_char(uuid(3), bytes([number]), response=False)
        await asyncio.wait_for(all_there.wait(), 60)
        assert got == [bytes([n]) for n in range(5)], got
        await client.stop_notify(uuid(4))
        print("ok   bleak: commands come back as notifications")
        assert await client.read_gatt_char(uuid(7)) == b"secret"
        print("ok   bleak: what needs encryption is read, after BlueZ has paired")
        try:
            await client.write_gatt_char(uuid(5), b"\x01", response=True)
        except BleakError:
            pass  # The device ends at this write, possibly before its response.


asyncio.run(main(sys.argv[1]))
