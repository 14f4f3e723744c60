#!/usr/bin/env python3
"""Bumble's software controllers on one air, each on its own TCP port, chosen by the system.

    controllers.py --count 2

prints {"event": "ready", "ports": [...]}; a host connects to 127.0.0.1 and one of the ports.

Faults of these controllers (Bumble 0.0.236) that affect tests:
- ACL data is sent from the random address: hosts need static random addresses.
- HCI_Reset clears nothing, and a host whose socket closes stays connected: restart them for each test.
- Read RSSI and LE Set Data Length are unknown commands, and LE Set PHY is listed as supported but never answered: the
  checks `rssi`, `data-length` and `phy` are impossible.
- The accept list and the resolving list are accepted and ignored; after LE Create Connection Cancel no connection
  complete event follows.
- Every report has RSSI -50. Scan responses are not sent; reported ones repeat the advertisement.
- The peripheral is always told interval 12.5 ms and supervision timeout 100 ms.
- The controller does not fragment: a host receives ACL packets as long as the sender's.
"""

import argparse
import asyncio
import socket

from bumble import hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

from session import emit, run

NOT_EXTENDED = ~(hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=2, help='how many controllers')
    parser.add_argument('--acl-length', type=int, default=251, help='LE ACL data packet length in octets')
    parser.add_argument('--acl-packets', type=int, default=16, help='LE ACL data packets that a controller takes')
    parser.add_argument('--legacy', action='store_true', help='do not offer extended advertising')
    return parser.parse_args()


async def main(session, options):
    air = LocalLink()
    controllers = []
    ports = []
    for number in range(options.count):
        listener = socket.create_server(('127.0.0.1', 0))
        ports.append(listener.getsockname()[1])
        transport = await open_tcp_server_transport_with_socket(listener)
        controller = Controller(
            f'C{number}',
            host_source=transport.source,
            host_sink=transport.sink,
            link=air,
            public_address=hci.Address(f'C0:DE:00:00:00:{number:02X}', hci.Address.PUBLIC_DEVICE_ADDRESS),
        )
        controller.le_acl_data_packet_length = controller.acl_data_packet_length = options.acl_length
        controller.total_num_le_acl_data_packets = controller.total_num_acl_data_packets = options.acl_packets
        if options.legacy:
            controller.le_features &= NOT_EXTENDED
        controllers.append((transport, controller))
    emit('ready', ports=ports)
    await session.serve({})
    return 0


if __name__ == '__main__':
    chosen = arguments()
    run(lambda session: main(session, chosen))
