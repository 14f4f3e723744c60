import BluetoothModel

/// Advertising data or a scan response of a set, which a host may give in several parts.
struct AdvertisingContent {
    /// What a part is (Core 6.0, Vol 4, Part E, 7.8.54).
    enum Operation: UInt8 {
        case intermediate = 0
        case first = 1
        case last = 2
        case complete = 3
        case unchanged = 4

        /// Whether earlier parts come before this one.
        var continues: Bool { self == .intermediate || self == .last }
    }

    private(set) var bytes: [UInt8] = []
    /// Whether the last part came; without it the set cannot be enabled.
    private(set) var isComplete = true

    /// Takes one part, or says why not.
    ///
    /// - Parameters:
    ///   - limit: how many bytes fit.
    ///   - isLegacy: whether legacy packets carry them, which take no parts.
    ///   - isEnabled: whether the set advertises at the moment.
    mutating func apply(
        _ operation: Operation, _ part: ByteView, limit: Int, isLegacy: Bool, isEnabled: Bool
    ) -> HCIStatus {
        if isLegacy {
            guard operation == .complete, part.count <= 31 else { return .invalidParameters }
        }
        switch operation {
        case .complete:
            guard part.count <= limit else { return .memoryCapacityExceeded }
            bytes = part.array
            isComplete = true
        case .unchanged:
            guard isEnabled, !bytes.isEmpty, part.isEmpty else { return .invalidParameters }
        case .first:
            guard !isEnabled else { return .commandDisallowed }
            guard !part.isEmpty else { return .invalidParameters }
            guard part.count <= limit else { return .memoryCapacityExceeded }
            bytes = part.array
            isComplete = false
        case .intermediate, .last:
            guard !isEnabled, !isComplete else { return .commandDisallowed }
            guard !part.isEmpty else { return .invalidParameters }
            guard bytes.count + part.count <= limit else {
                // Nothing of data that does not fit is kept.
                self = AdvertisingContent()
                return .memoryCapacityExceeded
            }
            bytes += part.array
            isComplete = operation == .last
        }
        return .success
    }
}
