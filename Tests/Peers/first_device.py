#!/usr/bin/env python3
"""Prints the name of the first device that bleak hears."""

import asyncio

from bleak import BleakScanner


async def main():
    async with BleakScanner() as scanner:
        async for device, _ in scanner.advertisement_data():
            print(f'heard {device.name}', flush=True)
            break


asyncio.run(main())
