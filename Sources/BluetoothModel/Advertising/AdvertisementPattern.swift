/// Bytes at a position of the data of one type: a search that radios offer for passive scans.
public struct AdvertisementPattern: Hashable, Sendable {
    /// The type of the structure.
    public var type: ADType
    /// The position of the bytes in its data.
    public var position: Int
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a pattern.
    public init(_ type: ADType, _ bytes: [UInt8], at position: Int = 0) {
        (self.type, self.position, self.bytes) = (type, position, bytes)
    }

    /// Returns true if a structure of the data has the bytes.
    public func matches(_ data: AdvertisingData) -> Bool {
        data.firstStructure { type, view in
            type == self.type && view.dropFirst(min(position, view.count)).prefix(bytes.count).equals(bytes)
                ? true : nil
        } ?? false
    }

    /// The flags of devices that can be connected or found (Core Specification Supplement, Part A, 1.3): LE only, or LE
    /// and BR/EDR at once; not discoverable, for a limited time, or always.
    package static let devices: [AdvertisementPattern] = [0x02, 0x04, 0x05, 0x06, 0x18, 0x19, 0x1A].map {
        AdvertisementPattern(.flags, [$0])
    }

    /// Returns true if everything that `other` finds is found by this pattern too.
    package func covers(_ other: AdvertisementPattern) -> Bool {
        type == other.type && position == other.position && other.bytes.starts(with: bytes)
    }
}

extension [AdvertisementPattern] {
    /// The patterns without those that others cover.
    package var minimal: [AdvertisementPattern] {
        var result: [AdvertisementPattern] = []
        for pattern in self where !result.contains(where: { $0.covers(pattern) }) {
            result.removeAll(where: pattern.covers)
            result.append(pattern)
        }
        return result
    }
}
