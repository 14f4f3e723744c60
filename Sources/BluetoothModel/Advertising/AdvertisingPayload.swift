/// The bytes of an advertising packet and of the scan response that belongs to it.
public struct AdvertisingPayload: Hashable, Sendable {
    /// For the advertising packet.
    public var advertisingData: [UInt8]
    /// For who asks for more; may be empty.
    public var scanResponse: [UInt8]

    /// A pair of packets.
    public init(advertisingData: [UInt8], scanResponse: [UInt8] = []) {
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
    }
}

/// Distributes whole structures over an advertising packet and a scan response.
struct AdvertisingPlacement {
    let advertisingLimit: Int
    let scanResponseLimit: Int

    /// The packets, or nil where there is no way to fit everything.
    func payload(_ structures: [AdvertisingData.Structure]) -> AdvertisingPayload? {
        guard let inAdvertising = greedy(structures).complete ?? fullest(structures) else { return nil }
        return AdvertisingPayload(
            advertisingData: encode(structures, where: { inAdvertising[$0] }),
            scanResponse: encode(structures, where: { !inAdvertising[$0] }))
    }

    /// What finds no room when structures are placed one after the other, the most important first.
    func leftOver(_ structures: [AdvertisingData.Structure]) -> [AdvertisingData.Structure] {
        greedy(structures).leftOver.map { structures[$0] }
    }

    private func encode(_ structures: [AdvertisingData.Structure], where isChosen: (Int) -> Bool) -> [UInt8] {
        AdvertisingData(structures: structures.indices.filter(isChosen).map { structures[$0] }).encoded
    }

    /// Fills the advertising packet and then the scan response. Says which structures are in the advertising packet,
    /// or which found no room.
    private func greedy(_ structures: [AdvertisingData.Structure]) -> (complete: [Bool]?, leftOver: [Int]) {
        var room = (advertising: advertisingLimit, scanResponse: scanResponseLimit)
        var inAdvertising = structures.map { _ in false }
        var leftOver: [Int] = []
        let order = structures.indices.sorted { left, right in
            let ranks = (rank(structures[left].type), rank(structures[right].type))
            return ranks.0 == ranks.1 ? left < right : ranks.0 < ranks.1
        }
        for index in order {
            let length = structures[index].encodedLength
            if length <= room.advertising {
                room.advertising -= length
                inAdvertising[index] = true
            } else if length <= room.scanResponse, structures[index].type != .flags {
                room.scanResponse -= length
            } else {
                leftOver.append(index)
            }
        }
        return (leftOver.isEmpty ? inAdvertising : nil, leftOver)
    }

    /// The choice that leaves the fewest bytes of the advertising packet free, if the scan response holds the rest.
    private func fullest(_ structures: [AdvertisingData.Structure]) -> [Bool]? {
        let flags = structures.indices.filter { structures[$0].type == .flags }
        let others = structures.indices.filter { structures[$0].type != .flags }
        let total = structures.reduce(0) { $0 + $1.encodedLength }
        let room = advertisingLimit - flags.reduce(0) { $0 + structures[$1].encodedLength }
        guard room >= 0, total <= advertisingLimit + scanResponseLimit else { return nil }
        // last[sum]: the structure that was added last to take exactly `sum` bytes; the ones before it came earlier.
        var last: [Int?] = Array(repeating: nil, count: room + 1)
        for index in others {
            let length = structures[index].encodedLength
            guard length <= room else { continue }
            for sum in stride(from: room, through: length, by: -1) where last[sum] == nil {
                if sum == length || last[sum - length] != nil { last[sum] = index }
            }
        }
        var sum = last.lastIndex { $0 != nil } ?? 0
        guard total - (advertisingLimit - room) - sum <= scanResponseLimit else { return nil }
        var chosen: [Int] = []
        while sum > 0, let index = last[sum] {
            chosen.append(index)
            sum -= structures[index].encodedLength
        }
        return structures.indices.map { flags.contains($0) || chosen.contains($0) }
    }

    /// The lower, the more important that a passive scanner sees it.
    private func rank(_ type: ADType) -> Int {
        if type == .flags { return 0 }
        if type.serviceUUIDLength != nil { return 1 }
        if type.solicitedUUIDLength != nil { return 2 }
        return type == .completeLocalName || type == .shortenedLocalName ? 3 : 4
    }
}
