import BluetoothModel

/// Puts the data of extended advertising reports together that came in fragments (Core 6.0, Vol 4, Part E, 7.7.65.13).
struct ExtendedReportAssembler {
    /// Says which advertisement a fragment belongs to.
    private struct Key: Hashable {
        let address: BluetoothAddress
        let sid: UInt8?
        let isScanResponse: Bool
    }

    private struct Entry {
        let key: Key
        /// nil for one that grew too long: the rest of it is dropped too.
        var data: [UInt8]?
    }

    /// How the data goes on after a fragment.
    enum Status: UInt8 {
        case complete = 0, more = 1, truncated = 2
    }

    /// What to do with a report.
    enum Outcome {
        /// It stands for itself.
        case asIs
        /// It ends what came before; here is all of its data.
        case assembled([UInt8])
        /// More has to come.
        case waiting
        /// Too long; dropped.
        case dropped
    }

    /// No advertisement has more data (Core 6.0, Vol 6, Part B, 4.4.2.10).
    private static let maximumLength = 1650
    /// As many advertisements are put together at a time; one more drops the oldest.
    private static let capacity = 16

    private var entries: [Entry] = []

    /// Advertisements that were begun and pushed out before they ended.
    private(set) var abandoned = 0

    /// Takes the fragment in a report.
    mutating func add(_ report: AdvertisingReport, _ status: Status) -> Outcome {
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

    /// Forgets what is not whole.
    mutating func removeAll() { entries = [] }

    private mutating func append(_ data: ByteView, at index: Int) -> Bool {
        guard var all = entries[index].data else { return false }
        // The array must not be shared while it grows, or it is copied for each fragment.
        entries[index].data = nil
        guard all.count + data.count <= Self.maximumLength else { return false }
        all.append(contentsOf: data.unsafeBytes)
        entries[index].data = all
        return true
    }
}
