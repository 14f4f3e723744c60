"""Measures what reads of a value through `org.bluez` cost: the processor time of the daemon per read.

    reads.py NAME PROCESS ADAPTER READS   prints a line of JSON, for the daemon with this process identifier

The client is a D-Bus connection without a library for Bluetooth. The device is that of Tests/Linux/Checks/MeasuredDevice.
The processor time of the whole machine is that of the daemon, the bus, the kernel and this client. bleak's rate is beside
them.
"""

import asyncio
import json
import os
import sys
import time

from bleak import BleakClient, BleakScanner
from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

SERVICE, VALUE = (f'a5b7{number:04x}-1c2d-4e5f-8091-a2b3c4d5e6f7' for number in (0x1000, 0x1001))


def of_process(process):
    """The processor time of all threads, in seconds."""
    tasks = f'/proc/{process}/task'
    return sum(int(open(f'{tasks}/{task}/schedstat').read().split()[0]) for task in os.listdir(tasks)) / 1e9


def of_machine():
    with open('/proc/stat') as stat:
        numbers = [int(number) for number in stat.readline().split()[1:]]
    # All but the time in which the processors were idle.
    return (sum(numbers) - numbers[3] - numbers[4]) / os.sysconf('SC_CLK_TCK')


async def main(name, process, adapter, reads):
    device = await BleakScanner.find_device_by_filter(
        lambda _, advertisement: SERVICE in advertisement.service_uuids, timeout=60, bluez={'adapter': adapter})
    assert device, 'the measured device was not heard'
    async with BleakClient(device, timeout=60, bluez={'adapter': adapter}) as client:
        value = client.services.get_characteristic(VALUE)
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

        async def read():
            reply = await bus.call(Message(
                destination='org.bluez', path=value.obj[0], interface='org.bluez.GattCharacteristic1',
                member='ReadValue', signature='a{sv}', body=[{}]))
            assert reply.message_type == MessageType.METHOD_RETURN, reply.body

        for _ in range(50):
            await read()
        start, daemon, machine = time.monotonic(), of_process(process), of_machine()
        for _ in range(reads):
            await read()
        seconds = time.monotonic() - start
        daemon, machine = of_process(process) - daemon, of_machine() - machine
        start = time.monotonic()
        for _ in range(reads):
            await client.read_gatt_char(value)
        print(json.dumps({'who': name, 'reads': reads, 'seconds': seconds, 'daemon': daemon, 'machine': machine,
                          'bleak': time.monotonic() - start}), flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
