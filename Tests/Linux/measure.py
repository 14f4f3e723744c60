"""Measures bleak like Tests/Linux/Checks/MeasureChecks.swift. Prints one line of JSON with the results.

    measure.py ADAPTER NAME READS NOTIFICATIONS RATE
"""

import asyncio
import json
import resource
import struct
import sys
import time

from bleak import BleakClient, BleakScanner


def uuid(number):
    return f"a5b7{number:04x}-1c2d-4e5f-8091-a2b3c4d5e6f7"


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main(adapter, name, reads, notifications, rate):
    device = await BleakScanner.find_device_by_filter(
        lambda _, advertisement: uuid(0x1000) in advertisement.service_uuids, timeout=60, bluez={"adapter": adapter}
    )
    assert device, "the measured device was not heard"
    async with BleakClient(device, timeout=60, bluez={"adapter": adapter}) as client:
        value = client.services.get_characteristic(uuid(0x1001))
        for _ in range(20):
            await client.read_gatt_char(value)
        start, cpu = time.monotonic(), processor()
        for _ in range(reads):
            await client.read_gatt_char(value)
        seconds, cpu = time.monotonic() - start, processor() - cpu

        received, first, last = 0, asyncio.Event(), asyncio.Event()

        def count(_, data):
            nonlocal received
            received += 1
            first.set()
            if received > 1 and struct.unpack_from("<H", data)[0] == notifications - 1:
                last.set()

        await client.start_notify(uuid(0x1003), count)
        # The first notification confirms the subscription.
        await client.write_gatt_char(uuid(0x1002), struct.pack("<HH", 1, 1), response=True)
        await asyncio.wait_for(first.wait(), 60)
        listening, listening_cpu = time.monotonic(), processor()
        await client.write_gatt_char(uuid(0x1002), struct.pack("<HH", notifications, rate), response=True)
        try:
            await asyncio.wait_for(last.wait(), notifications / rate + 10)
        except asyncio.TimeoutError:
            pass  # The last one may be lost.
        print(
            json.dumps({
                "who": name, "reads": reads, "seconds": seconds, "cpu": cpu, "sent": notifications,
                "delivered": received - 1, "listened": time.monotonic() - listening,
                "listeningCPU": processor() - listening_cpu,
            }),
            flush=True,
        )


asyncio.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])))
