#!/usr/bin/env python3
"""Health devices on Bumble's host, whose values are encoded here, independently of Harald.

    health.py tcp-client:127.0.0.1:PORT

A peripheral "Bumble Health" with a thermometer (1809), a glucose meter (1808) with three stored measurements, and a
pulse oximeter (1822) with two, each with a record access control point. Prints {"event": "ready"} and accepts the
commands

    temperature DIGITS EXPONENT     indicates DIGITS times ten to EXPONENT, in degrees Celsius, from the ear
    oxygen PERCENT BPM              notifies a continuous measurement
    records                         the sequence numbers of the stored glucose measurements

Each request to a control point prints {"event": "request", "service": ..., "hex": ...}.
"""

import argparse
import asyncio
import struct

from bumble import hci
from bumble.att import ATT_Error, Attribute
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host

from session import emit, open_controller, run

NAME = 'Bumble Health'
Properties = Characteristic.Properties
NONE, READABLE, WRITEABLE = Attribute.Permissions(0), Attribute.READABLE, Attribute.WRITEABLE

REPORT, DELETE, ABORT, COUNT = 1, 2, 3, 4
SUCCESS, OP_CODE_NOT_SUPPORTED, OPERATOR_NOT_SUPPORTED, NO_RECORDS = 1, 2, 4, 6


def sfloat(digits, exponent=0):
    """16 bits: 4 of exponent, 12 of digits, both in two's complement."""
    return struct.pack('<H', (exponent & 0xF) << 12 | digits & 0xFFF)


def float32(digits, exponent=0):
    """32 bits: 8 of exponent, 24 of digits."""
    return struct.pack('<I', (exponent & 0xFF) << 24 | digits & 0xFFFFFF)


def moment(year, month, day, hour=0, minute=0, second=0):
    return struct.pack('<HBBBBB', year, month, day, hour, minute, second)


def glucose(number):
    """Milligrams per decilitre are 10^-5 kg/L. The second is in mmol/L, and has a context."""
    flags = 0x02 | (0x04 | 0x10 if number == 2 else 0)
    concentration = sfloat(55, -4) if number == 2 else sfloat(90 + number, -5)
    return (bytes([flags]) + struct.pack('<H', number) + moment(2026, 5, number, 7, 30) + concentration
            + bytes([0x01 | 0x01 << 4]))


def context(number):
    """Before a meal: the flag of the meal, then the number and the meal."""
    return bytes([0x02]) + struct.pack('<H', number) + bytes([1])


def oximetry(number):
    """A spot check with a time stamp."""
    return bytes([0x01]) + sfloat(95 + number) + sfloat(60 + number) + moment(2026, 5, number)


class Records:
    """The stored records of a device with a record access control point."""

    def __init__(self, device, service, numbers, send, by_number):
        self.device, self.service, self.numbers, self.send, self.by_number = device, service, numbers, send, by_number
        self.tasks = set()
        self.point = Characteristic(
            '2A52', Properties.WRITE | Properties.INDICATE, WRITEABLE, CharacteristicValue(write=self.write))

    def write(self, _connection, value):
        value = bytes(value)
        emit('request', service=self.service, hex=value.hex())
        if len(value) < 2:
            raise ATT_Error(0x0D)
        task = asyncio.create_task(self.answer(value))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def chosen(self, operator, operand):
        if operator == 1:
            return list(self.numbers)
        if operator == 5:
            return self.numbers[:1]
        if operator == 6:
            return self.numbers[-1:]
        if not self.by_number or operand[:1] != b'\x01':
            return None
        bounds = struct.unpack(f'<{len(operand) // 2}H', operand[1:])
        low = bounds[0] if operator in (3, 4) else 0
        high = bounds[-1] if operator in (2, 4) else 0xFFFF
        return [number for number in self.numbers if low <= number <= high]

    async def answer(self, value):
        code, operator, operand = value[0], value[1], value[2:]
        chosen = self.chosen(operator, operand)
        if chosen is None:
            result = bytes([6, 0, code, OPERATOR_NOT_SUPPORTED])
        elif code == COUNT:
            result = bytes([5, 0]) + struct.pack('<H', len(chosen))
        elif code == REPORT:
            for number in chosen:
                await self.send(number)
            result = bytes([6, 0, code, SUCCESS if chosen else NO_RECORDS])
        elif code == DELETE:
            self.numbers = [number for number in self.numbers if number not in chosen]
            result = bytes([6, 0, code, SUCCESS if chosen else NO_RECORDS])
        else:
            result = bytes([6, 0, code, SUCCESS if code == ABORT else OP_CODE_NOT_SUPPORTED])
        await self.device.indicate_subscribers(self.point, result)


class Health:
    """The services."""

    def __init__(self, device):
        self.device = device
        self.temperature = Characteristic('2A1C', Properties.INDICATE, NONE, b'')
        self.glucose = Characteristic('2A18', Properties.NOTIFY, NONE, b'')
        self.context = Characteristic('2A34', Properties.NOTIFY, NONE, b'')
        self.spot_check = Characteristic('2A5E', Properties.INDICATE, NONE, b'')
        self.continuous = Characteristic('2A5F', Properties.NOTIFY, NONE, b'')
        self.meter = Records(device, '1808', [1, 2, 3], self.send_glucose, by_number=True)
        # The oximeter's records have no numbers: only all of them, or their number, can be requested.
        self.oximeter = Records(device, '1822', [1, 2], self.send_spot_check, by_number=False)
        device.add_services([
            Service('1809', [self.temperature, Characteristic('2A1D', Properties.READ, READABLE, bytes([3]))]),
            Service('1808', [
                self.glucose, self.context, Characteristic('2A51', Properties.READ, READABLE, bytes.fromhex('0000')),
                self.meter.point]),
            Service('1822', [
                self.spot_check, self.continuous,
                Characteristic('2A60', Properties.READ, READABLE, bytes.fromhex('0C00')), self.oximeter.point]),
        ])

    async def send_glucose(self, number):
        await self.device.notify_subscribers(self.glucose, glucose(number))
        if number == 2:
            await self.device.notify_subscribers(self.context, context(number))

    async def send_spot_check(self, number):
        await self.device.indicate_subscribers(self.spot_check, oximetry(number))

    async def measure_temperature(self, digits, exponent):
        # The flag of the place; in degrees Celsius.
        value = bytes([0x04]) + float32(int(digits, 0), int(exponent)) + bytes([3])
        await self.device.indicate_subscribers(self.temperature, value)

    async def measure_oxygen(self, percent, rate):
        await self.device.notify_subscribers(self.continuous, bytes([0]) + sfloat(int(percent)) + sfloat(int(rate)))


async def main(session, options):
    async with await open_controller(options.controller) as transport:
        configuration = DeviceConfiguration(name=NAME, address=hci.Address(options.address))
        device = Device(config=configuration, host=Host(transport.source, transport.sink))
        health = Health(device)
        device.advertising_data = bytes(AdvertisingData([
            (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode()),
            (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex('091808182218'))]))
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        emit('ready')
        await session.serve({
            'temperature': health.measure_temperature,
            'oxygen': health.measure_oxygen,
            'records': lambda: {'numbers': health.meter.numbers},
        })
    return 0


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('controller', help='HCI transport: tcp-client:HOST:PORT, unix:PATH, ...')
    parser.add_argument('--address', default='F5:00:00:00:00:01', help='own static random address')
    chosen = parser.parse_args()
    run(lambda session: main(session, chosen))
