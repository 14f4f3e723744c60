import BluetoothModel

/// Advertising data or scan response data of a set. A host may send it in several fragments.
struct AdvertisingContent {
    /// The position of a fragment (Core 6.0, Vol 4, Part E, 7.8.54).
    enum Operation: UInt8 {
        case intermediate = 0
        case first = 1
        case last = 2
        case complete = 3
        case unchanged = 4

        /// True for a fragment that is appended to earlier ones.
        var continues: Bool { self == .intermediate || self == .last }
    }

    private(set) var bytes: [UInt8] = []
    /// False between the first fragment and the last. A set with incomplete data cannot be enabled.
    private(set) var isComplete = true

    /// Applies one fragment and returns the status for the host.
    ///
    /// - Parameters:
    ///   - limit: the maximum length of the data, in octets.
    ///   - isLegacy: true for legacy advertising PDUs, which do not support fragments.
    ///   - isEnabled: true while the set advertises.
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
                // Data that exceeds the limit is discarded as a whole.
                self = AdvertisingContent()
                return .memoryCapacityExceeded
            }
            bytes += part.array
            isComplete = operation == .last
        }
        return .success
    }
}
