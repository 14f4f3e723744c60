"""Attaches a controller at the other end of a serial port to the kernel: `vhci.py PORT`.

Transfers HCI packets between PORT, a stream of packets (H4: Core 6.0, Vol 4, Part A), and /dev/vhci, where each packet
is one read or one write.
"""

import os
import select
import sys
import tty

# By packet type: the length of the header, and the offset and size of its length field.
HEADERS = {2: (4, 2, 2), 3: (3, 2, 1), 4: (2, 1, 1), 5: (4, 2, 2)}


def packets(buffer):
    """Removes and returns the complete packets at the front of `buffer`."""
    while buffer:
        header, at, width = HEADERS[buffer[0]]
        if len(buffer) < 1 + header:
            return
        length = int.from_bytes(buffer[1 + at : 1 + at + width], "little")
        if buffer[0] == 5:
            length &= 0x3FFF
        end = 1 + header + length
        if len(buffer) < end:
            return
        packet = bytes(buffer[:end])
        del buffer[:end]
        yield packet


def main(path):
    port = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port)
    vhci = os.open("/dev/vhci", os.O_RDWR)
    os.write(vhci, b"\xff\x00")  # requests a primary controller
    buffer = bytearray()
    while True:
        for ready in select.select([port, vhci], [], [])[0]:
            if ready == port:
                data = os.read(port, 65536)
                if not data:
                    return
                buffer += data
                for packet in packets(buffer):
                    os.write(vhci, packet)
                continue
            packet = os.read(vhci, 4096)
            # The kernel's response to the request above.
            if packet[0] != 0xFF:
                while packet:
                    packet = packet[os.write(port, packet) :]


main(sys.argv[1])
