import BluetoothModel

/// Detects advertising reports that repeat earlier ones, for a bounded number of advertisers. Those received least
/// recently are forgotten.
package struct DuplicateFilter {
    private let capacity: Int
    /// The digest of the last data of each advertiser. Entries not seen since the tables were swapped are in `older`.
    private var recent: [UInt64: UInt64] = [:]
    private var older: [UInt64: UInt64] = [:]

    /// Creates a filter that remembers between `capacity` and twice as many advertisements.
    package init(capacity: Int = 1024) { self.capacity = max(1, capacity) }

    /// Returns true if the report is the first of its advertiser or its data has changed, and remembers it.
    package mutating func isNew(_ report: AdvertisingReport) -> Bool {
        let key = Self.key(of: report)
        let digest = Self.digest(of: report.data)
        if let known = recent[key] {
            if known != digest { recent[key] = digest }
            return known != digest
        }
        let known = older[key]
        if recent.count >= capacity {
            swap(&recent, &older)
            recent.removeAll(keepingCapacity: true)
        }
        recent[key] = digest
        return known != digest
    }

    /// Forgets everything.
    package mutating func removeAll() {
        recent.removeAll(keepingCapacity: true)
        older.removeAll(keepingCapacity: true)
    }

    /// Returns a key of 55 bits: address (48), address type (1), scan response (1), and advertising SID (4) with a flag
    /// (1).
    private static func key(of report: AdvertisingReport) -> UInt64 {
        var key = report.address.value | UInt64(report.address.kind.rawValue) << 48
        if report.isScanResponse { key |= 1 << 49 }
        if let sid = report.sid { key |= UInt64(sid & 0xF) << 50 | 1 << 54 }
        return key
    }

    /// FNV-1a suffices: a collision hides one change of one advertiser's data.
    private static func digest(of data: ByteView) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in data.unsafeBytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return digest
    }
}
