#!/usr/bin/env python3
"""Bumble's own classes of standard profiles, on either side of a link.

    profiles.py tcp-client:127.0.0.1:PORT serve
    profiles.py tcp-client:127.0.0.1:PORT read NAME [NAME ...]

`serve` is a peripheral "Bumble Profiles" with Bumble's heart rate, battery and device information services; it prints
{"event": "ready"} and accepts the command `beat RATE`, which notifies a measurement.

`read` connects to the devices with these names, one after the other, and prints for each {"event": "read", "name": ...}
with the values of Bumble's proxies: `battery`, `location`, `rates`, `manufacturer`, `model`; missing values are null.
Then it prints {"event": "end"}.
"""

import argparse
import asyncio

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.host import Host
from bumble.profiles.battery_service import BatteryService, BatteryServiceProxy
from bumble.profiles.device_information_service import DeviceInformationService, DeviceInformationServiceProxy
from bumble.profiles.heart_rate_service import HeartRateService, HeartRateServiceProxy

from session import PeerError, emit, open_controller, run

NAME = 'Bumble Profiles'


def measurement(rate):
    return HeartRateService.HeartRateMeasurement(
        heart_rate=rate, sensor_contact_detected=True, energy_expended=12, rr_intervals=[0.5, 1.0])


async def serve(session, device):
    resets = []
    heart = HeartRateService(
        read_heart_rate_measurement=lambda _: measurement(70),
        body_sensor_location=HeartRateService.BodySensorLocation.WRIST,
        reset_energy_expended=lambda _: resets.append(1))
    information = DeviceInformationService(
        manufacturer_name='Bumble', model_number='B-1', serial_number='42', hardware_revision='1',
        firmware_revision='2.0', software_revision='3', system_id=(0x123456, 0x1122334455))
    device.add_services([heart, BatteryService(lambda _: 87), information])
    device.advertising_data = bytes(AdvertisingData([
        (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode()),
        (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex('0D18'))]))
    await device.start_advertising(auto_restart=True)

    async def beat(rate):
        await device.notify_subscribers(heart.heart_rate_measurement_characteristic, bytes(measurement(int(rate))))
        return {'resets': len(resets)}

    emit('ready')
    await session.serve({'beat': beat})


async def find(device, name):
    found = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        if advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == name and not found.done():
            found.set_result(advertisement.address)

    device.on('advertisement', heard)
    await device.start_scanning(filter_duplicates=False)
    address = await asyncio.wait_for(found, 20)
    await device.stop_scanning()
    device.remove_listener('advertisement', heard)
    return address


async def visit(device, name):
    connection = await device.connect(await find(device, name))
    peer = Peer(connection)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    result = dict(battery=None, location=None, rates=[], manufacturer=None, model=None)
    if battery := peer.create_service_proxy(BatteryServiceProxy):
        if battery.battery_level:
            result['battery'] = int(await battery.battery_level.read_value())
    if information := peer.create_service_proxy(DeviceInformationServiceProxy):
        result['manufacturer'] = await information.manufacturer_name.read_value()
        result['model'] = await information.model_number.read_value()
    if heart := peer.create_service_proxy(HeartRateServiceProxy):
        result['location'] = (await heart.body_sensor_location.read_value()).name
        values = asyncio.Queue()
        await heart.heart_rate_measurement.subscribe(values.put_nowait)
        while len(result['rates']) < 2:
            value = await asyncio.wait_for(values.get(), 20)
            if value.sensor_contact_detected:
                result['rates'].append(value.heart_rate)
        await heart.reset_energy_expended()
    emit('read', name=name, **result)
    await connection.disconnect()


async def main(session, options):
    async with await open_controller(options.controller) as transport:
        address = hci.Address(options.address)
        configuration = DeviceConfiguration(name=NAME, address=address)
        device = Device(config=configuration, host=Host(transport.source, transport.sink))
        await device.power_on()
        if options.role == 'serve':
            await serve(session, device)
            return 0
        emit('ready')
        try:
            for name in options.names:
                await visit(device, name)
        except Exception as error:
            raise PeerError(f'{type(error).__name__}: {error}') from error
        emit('end')
    return 0


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('controller', help='HCI transport: tcp-client:HOST:PORT, unix:PATH, ...')
    parser.add_argument('role', choices=['serve', 'read'])
    parser.add_argument('names', nargs='*', help='names of devices')
    parser.add_argument('--address', default='F4:00:00:00:00:01', help='own static random address')
    chosen = parser.parse_args()
    run(lambda session: main(session, chosen))
