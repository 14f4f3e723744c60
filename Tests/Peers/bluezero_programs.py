#!/usr/bin/env python3
"""A server and a client with bluezero, each in a process of its own, on the two adapters of one `harald bluez`:

    harald bluez --adapter virtual:empty --adapter virtual:empty -- bluezero_programs.py

It needs the packages python3-dbus and python3-gi, and bluezero 0.9.1. Exits with 0 if all went as expected.
"""

import subprocess
import sys

from bluezero import adapter, async_tools, central, peripheral

SERVICE, VALUE, PULSE = (f'0000fff{number}-0000-1000-8000-00805f9b34fb' for number in range(3))


def serve(address):
    """Offers a value that can be read and written, and one that is notified with each write."""
    value = [7, 8]
    server = peripheral.Peripheral(address, local_name='Zero', appearance=0x0340)
    server.add_service(srv_id=1, uuid=SERVICE, primary=True)

    def written(new, options):
        value[:] = list(new)
        pulse.set_value(value)

    server.add_characteristic(
        srv_id=1, chr_id=1, uuid=VALUE, value=[], notifying=False, flags=['read', 'write'],
        read_callback=lambda: value, write_callback=written)
    server.add_characteristic(
        srv_id=1, chr_id=2, uuid=PULSE, value=[], notifying=False, flags=['notify'])
    pulse = server.characteristics[1]
    server.on_connect = lambda device: print(f'server: {device.address} connected', flush=True)
    async_tools.add_timer_ms(1, lambda: print('serving', flush=True))
    server.publish()


def visit(own, other):
    radio = adapter.Adapter(own)
    radio.nearby_discovery(timeout=3)
    client = central.Central(device_addr=other, adapter_addr=own)
    value = client.add_characteristic(SERVICE, VALUE)
    pulse = client.add_characteristic(SERVICE, PULSE)
    client.connect()
    assert client.connected
    assert bytes(value.value) == b'\7\x08', value.value
    heard = []

    def notified(interface, changed, invalidated):
        # bluezero sends StartNotify some time after start_notify.
        if changed.get('Notifying'):
            value.value = list(b'new')
        if 'Value' in changed:
            heard.append(bytes(changed['Value']))
            client.quit()

    pulse.add_characteristic_cb(notified)
    pulse.start_notify()
    # The end of the test if no notification comes.
    async_tools.add_timer_seconds(20, client.quit)
    client.run()
    assert heard == [b'new'], heard
    assert bytes(value.value) == b'new', value.value
    client.disconnect()


def main():
    if sys.argv[1:]:
        return serve(sys.argv[1])
    first, second = (each.address for each in adapter.Adapter.available())
    # A connection to the bus cannot be shared with a forked process.
    server = subprocess.Popen([sys.executable, '-B', __file__, first], stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == 'serving\n'
    try:
        visit(second, first)
    finally:
        server.terminate()
        server.wait()
    print('bluezero: served, read, written, notified')
    return 0


if __name__ == '__main__':
    sys.exit(main())
