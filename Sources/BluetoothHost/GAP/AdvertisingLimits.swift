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
        else { return .invalidArgument("an advertising interval must be from 32 to 16384 units of 0.625 ms") }
        if let duration = parameters.duration, !(.milliseconds(10)...(.milliseconds(655_350))).contains(duration) {
            return .invalidArgument("the advertising duration must be from 10 ms to 655.35 s, or unlimited")
        }
        if parameters.directedTo != nil, !parameters.isConnectable {
            return .invalidArgument("directed advertising must be connectable")
        }
        guard isExtended || !parameters.usesExtendedPackets else {
            return .unsupported("this controller does not support extended advertising")
        }
        return nil
    }

    private func dataFault(of content: AdvertisingSet.Content) -> RadioError? {
        let parameters = content.parameters
        if content.usesLegacyPackets {
            if parameters.directedTo != nil, !content.data.isEmpty || !content.scanResponse.isEmpty {
                return .invalidArgument("directed advertising cannot have data")
            }
            return nil
        }
        let length = max(content.data.count, content.scanResponse.count)
        guard isExtended else {
            return .limit("\(length) bytes of advertising data exceed the 31 bytes of this controller")
        }
        guard length <= maximumLength else {
            return .limit("\(length) bytes of advertising data exceed the \(maximumLength) bytes of this controller")
        }
        guard content.scanResponse.isEmpty || (!parameters.isConnectable && content.data.isEmpty) else {
            return .invalidArgument(
                "extended advertising has either advertising data or, if it is not connectable, a scan response")
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
