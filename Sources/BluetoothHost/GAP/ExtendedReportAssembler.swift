import BluetoothModel

/// Reassembles the data of extended advertising reports that arrive in fragments (Core 6.0, Vol 4, Part E, 7.7.65.13).
package struct ExtendedReportAssembler {
    /// Identifies the advertisement to which a fragment belongs.
    private struct Key: Hashable {
        let address: BluetoothAddress
        let sid: UInt8?
        let isScanResponse: Bool
    }

    private struct Entry {
        let key: Key
        /// nil for an advertisement that exceeded the maximum length; its further fragments are dropped.
        var data: [UInt8]?
    }

    /// The data status of a fragment: complete, more data to come, or truncated.
    package enum Status: UInt8 {
        case complete = 0, more = 1, truncated = 2
    }

    /// The handling of a report.
    package enum Outcome {
        /// The report is complete by itself.
        case asIs
        /// The report completes a fragmented one; the value is all of its data.
        case assembled([UInt8])
        /// More fragments follow.
        case waiting
        /// The data is too long and was dropped.
        case dropped
    }

    /// The maximum length of advertising data, in octets (Core 6.0, Vol 6, Part B, 4.4.2.10).
    private static let maximumLength = 1650
    /// The maximum number of advertisements being reassembled; one more drops the oldest.
    private static let capacity = 16

    private var entries: [Entry] = []

    package init() {}

    /// The number of advertisements that were dropped before they were complete.
    private(set) var abandoned = 0

    /// Adds the fragment of a report.
    package mutating func add(_ report: AdvertisingReport, _ status: Status) -> Outcome {
        if entries.isEmpty, status != .more { return .asIs }
        let key = Key(address: report.address, sid: report.sid, isScanResponse: report.isScanResponse)
        let index = entries.firstIndex { $0.key == key }
        switch (status, index) {
        case (.more, nil):
            if entries.count >= Self.capacity {
                entries.removeFirst()
                abandoned += 1
            }
            entries.append(Entry(key: key, data: report.data.array))
            return .waiting
        case (.more, let index?):
            guard append(report.data, at: index) else { return .dropped }
            return .waiting
        case (_, nil): return .asIs
        case (_, let index?):
            guard append(report.data, at: index), let data = entries.remove(at: index).data else {
                entries.removeAll { $0.key == key }
                return .dropped
            }
            return .assembled(data)
        }
    }

    /// Discards incomplete advertisements.
    mutating func removeAll() { entries = [] }

    private mutating func append(_ data: ByteView, at index: Int) -> Bool {
        guard var all = entries[index].data else { return false }
        // The stored reference is cleared first, so that the array is uniquely referenced and appending does not copy
        // it.
        entries[index].data = nil
        guard all.count + data.count <= Self.maximumLength else { return false }
        all.append(contentsOf: data.unsafeBytes)
        entries[index].data = all
        return true
    }
}
