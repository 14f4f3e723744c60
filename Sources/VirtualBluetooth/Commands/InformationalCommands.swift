import BluetoothHCI
import BluetoothModel

extension Command {
    /// Commands that read the version, features and capabilities of the controller.
    static let informational: [Command] = [
        .complete(.readLocalVersion, 0, returns: 8) { controller, _ in
            .values { buffer in
                buffer.uint8(controller.configuration.version)
                buffer.uint16(0)
                buffer.uint8(controller.configuration.version)
                buffer.uint16(controller.configuration.manufacturer)
                buffer.uint16(0)
            }
        },
        .complete(.readLocalSupportedCommands, 0, returns: 64) { controller, _ in
            .values { $0.append(controller.supportedCommands.octets) }
        },
        .complete(.readLocalSupportedFeatures, 0, returns: 8) { _, _ in .values { $0.uint64(Command.lmpFeatures) } },
        .complete(.readLocalExtendedFeatures, 1, returns: 10) { controller, reader in
            guard let page = reader.uint8(), page <= 1 else { return nil }
            return .values { buffer in
                buffer.uint8(page)
                buffer.uint8(1)
                // Page 1: the features of the host.
                buffer.uint64(page == 0 ? Command.lmpFeatures : controller.settings.supportsLEHost ? 2 : 0)
            }
        },
        .complete(.readBufferSize, 0, returns: 7) { controller, _ in
            .values { buffer in
                buffer.uint16(controller.configuration.aclPacketLength)
                buffer.uint8(0)
                buffer.uint16(UInt16(controller.configuration.aclPacketCount))
                buffer.uint16(0)
            }
        },
        .complete(.readBDADDR, 0, returns: 6) { controller, _ in .values { $0.address(controller.publicAddress) } },
        .complete(.leReadBufferSize, 0, returns: 3) { controller, _ in
            .values { buffer in
                buffer.uint16(controller.configuration.aclPacketLength)
                buffer.uint8(controller.configuration.aclPacketCount)
            }
        },
        .complete(.leReadBufferSizeV2, 0, returns: 6) { controller, _ in
            .values { buffer in
                buffer.uint16(controller.configuration.aclPacketLength)
                buffer.uint8(controller.configuration.aclPacketCount)
                // No isochronous data.
                buffer.zeros(3)
            }
        },
        .complete(.leReadLocalSupportedFeatures, 0, returns: 8) { controller, _ in
            .values { $0.uint64(controller.configuration.features.rawValue) }
        },
        // All states and combinations that the specification defines.
        .complete(.leReadSupportedStates, 0, returns: 8) { _, _ in .values { $0.uint64(0x03FF_FFFF_FFFF) } },
        .complete(.leReadTransmitPower, 0, returns: 2) { controller, _ in
            .values { buffer in
                buffer.int8(-127)
                buffer.int8(controller.configuration.txPower)
            }
        },
        .complete(.leReadRFPathCompensation, 0, returns: 4) { controller, _ in
            .values { buffer in
                buffer.uint16(UInt16(bitPattern: controller.settings.pathCompensation.transmit))
                buffer.uint16(UInt16(bitPattern: controller.settings.pathCompensation.receive))
            }
        },
        .complete(.leWriteRFPathCompensation, 4) { controller, reader in
            guard let transmit = reader.uint16(), let receive = reader.uint16() else { return nil }
            // In units of 0.1 dB, -128 to 128 dB.
            let range: ClosedRange<Int16> = -1280...1280
            let values = (transmit: Int16(bitPattern: transmit), receive: Int16(bitPattern: receive))
            guard range.contains(values.transmit), range.contains(values.receive) else { return nil }
            controller.settings.pathCompensation = values
            return .complete(.success)
        },
    ]

    /// BR/EDR not supported, LE supported.
    private static let lmpFeatures: UInt64 = 0x60 << 32
}
