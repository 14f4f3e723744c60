import BluetoothHCI
import BluetoothModel

extension Command {
    /// Legacy advertising (Core 6.0, Vol 4, Part E, 7.8.4 to 7.8.9).
    static let legacyAdvertising: [Command] = [
        .complete(.leSetRandomAddress, 6) { $0.setRandomAddress(&$1) },
        .complete(.leSetAdvertisingParameters, 15, family: .legacy) { controller, reader in
            guard !controller.legacySet.isEnabled else { return .complete(.commandDisallowed) }
            let power = controller.configuration.txPower
            guard let parameters = ControllerAdvertisingParameters(legacy: &reader, txPower: power) else { return nil }
            guard controller.allows(ownAddressType: parameters.ownAddressType) else {
                return .complete(.unsupportedFeature)
            }
            controller.legacySet.parameters = parameters
            return .complete(.success)
        },
        // A command that only reads does not select a command family.
        .complete(.leReadAdvertisingChannelTxPower, 0, returns: 1) { controller, _ in
            .values { $0.int8(controller.configuration.txPower) }
        },
        .complete(.leSetAdvertisingData, lengths: 1...32, family: .legacy) { controller, reader in
            guard let data = Command.legacyData(&reader) else { return nil }
            return .complete(
                controller.legacySet.data.apply(.complete, data, limit: 31, isLegacy: true, isEnabled: false))
        },
        .complete(.leSetScanResponseData, lengths: 1...32, family: .legacy) { controller, reader in
            guard let data = Command.legacyData(&reader) else { return nil }
            return .complete(
                controller.legacySet.scanResponse.apply(.complete, data, limit: 31, isLegacy: true, isEnabled: false))
        },
        .complete(.leSetAdvertisingEnable, 1, family: .legacy) { $0.enableLegacyAdvertising(&$1) },
    ]

    /// The significant part of up to 31 bytes of data after their count. A host may omit the rest.
    private static func legacyData(_ reader: inout ByteReader) -> ByteView? {
        guard let length = reader.uint8(), length <= 31 else { return nil }
        return reader.bytes(Int(length))
    }
}

extension VirtualController {
    fileprivate func setRandomAddress(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let bytes = reader.bytes(6) else { return nil }
        guard !legacySet.isEnabled, !scanner.isEnabled, initiation == nil else { return .complete(.commandDisallowed) }
        settings.randomAddress = BluetoothAddress(littleEndian: bytes, kind: .random)
        return .complete(.success)
    }

    fileprivate func enableLegacyAdvertising(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let isOn = reader.bool() else { return nil }
        guard isOn else {
            legacySet.disable()
            return .complete(.success)
        }
        guard let address = legacySet.ownAddress else { return nil }
        // Enabling an enabled set changes nothing.
        guard !legacySet.isEnabled else { return .complete(.success) }
        let isHighDuty = legacySet.parameters.properties.contains(.highDutyCycle)
        legacySet.enable(address: address, duration: isHighDuty ? .milliseconds(1280) : nil, eventLimit: 0)
        return .complete(.success)
    }
}
