import BluetoothModel

/// The limits of a controller's advertising (Core 6.0, Vol 4, Part E, 7.8.5, 7.8.53 and 7.8.54).
struct AdvertisingLimits {
    var isExtended: Bool
    var maximumLength: Int

    /// Returns the error in an advertisement; nil if it is valid.
    func fault(of content: AdvertisingSet.Content) -> RadioError? {
        fault(of: content.parameters) ?? dataFault(of: content)
    }

    private func fault(of parameters: AdvertisingParameters) -> RadioError? {
        guard (0x20...0x4000).contains(parameters.intervalRange.lowerBound),
            parameters.intervalRange.upperBound <= 0x4000
        else { return .invalidArgument("an advertising interval is 32 to 16384 times 0.625 ms") }
        if let duration = parameters.duration, !(.milliseconds(10)...(.milliseconds(655_350))).contains(duration) {
            return .invalidArgument("advertising lasts 10 ms to 655.35 s, or until it is stopped")
        }
        if parameters.directedTo != nil, !parameters.isConnectable {
            return .invalidArgument("a directed advertisement asks its peer to connect, so it is connectable")
        }
        guard isExtended || !parameters.usesExtendedPackets else {
            return .unsupported("this controller has no extended advertising")
        }
        return nil
    }

    private func dataFault(of content: AdvertisingSet.Content) -> RadioError? {
        let parameters = content.parameters
        if content.usesLegacyPackets {
            if parameters.directedTo != nil, !content.data.isEmpty || !content.scanResponse.isEmpty {
                return .invalidArgument("a directed advertisement carries no data")
            }
            return nil
        }
        let length = max(content.data.count, content.scanResponse.count)
        guard isExtended else {
            return .limit("\(length) bytes of advertising data are more than the 31 that this controller sends")
        }
        guard length <= maximumLength else {
            return .limit("\(length) bytes of advertising data are more than the \(maximumLength) of this controller")
        }
        guard content.scanResponse.isEmpty || (!parameters.isConnectable && content.data.isEmpty) else {
            return .invalidArgument(
                "an extended advertisement has either data or, where it is not connectable, a scan response")
        }
        return nil
    }
}

extension AdvertisingSet.Content {
    /// True if legacy PDUs suffice; they are preferred because Bluetooth 4.0 devices receive them too.
    var usesLegacyPackets: Bool { !parameters.usesExtendedPackets && data.count <= 31 && scanResponse.count <= 31 }

    /// Returns true if the advertising event properties differ, and with them the data that a set can have.
    func isOfOtherKind(than other: Self) -> Bool {
        usesLegacyPackets != other.usesLegacyPackets || parameters.isConnectable != other.parameters.isConnectable
            || parameters.isScannable != other.parameters.isScannable
            || (parameters.directedTo == nil) != (other.parameters.directedTo == nil)
            || (!usesLegacyPackets && scanResponse.isEmpty != other.scanResponse.isEmpty)
    }
}
