/// The bytes of an advertising packet and its scan response.
public struct AdvertisingPayload: Hashable, Sendable {
    /// The advertising packet.
    public var advertisingData: [UInt8]
    /// The scan response; may be empty.
    public var scanResponse: [UInt8]

    /// Creates a payload.
    public init(advertisingData: [UInt8], scanResponse: [UInt8] = []) {
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
    }
}

/// Distributes complete structures over an advertising packet and a scan response.
struct AdvertisingPlacement {
    let advertisingLimit: Int
    let scanResponseLimit: Int

    /// Returns the packets; nil if the structures cannot be placed.
    func payload(_ structures: [AdvertisingData.Structure]) -> AdvertisingPayload? {
        guard let inAdvertising = greedy(structures).complete ?? fullest(structures) else { return nil }
        return AdvertisingPayload(
            advertisingData: encode(structures, where: { inAdvertising[$0] }),
            scanResponse: encode(structures, where: { !inAdvertising[$0] }))
    }

    /// Returns the structures without room if they are placed one after the other, by priority.
    func leftOver(_ structures: [AdvertisingData.Structure]) -> [AdvertisingData.Structure] {
        greedy(structures).leftOver.map { structures[$0] }
    }

    private func encode(_ structures: [AdvertisingData.Structure], where isChosen: (Int) -> Bool) -> [UInt8] {
        AdvertisingData(structures: structures.indices.filter(isChosen).map { structures[$0] }).encoded
    }

    /// Fills the advertising packet and then the scan response, by priority. Returns the structures that are in the
    /// advertising packet, or those without room.
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

    /// Returns the choice of structures that leaves the fewest bytes of the advertising packet free, if the rest fits
    /// into the scan response.
    private func fullest(_ structures: [AdvertisingData.Structure]) -> [Bool]? {
        let flags = structures.indices.filter { structures[$0].type == .flags }
        let others = structures.indices.filter { structures[$0].type != .flags }
        let total = structures.reduce(0) { $0 + $1.encodedLength }
        let room = advertisingLimit - flags.reduce(0) { $0 + structures[$1].encodedLength }
        guard room >= 0, total <= advertisingLimit + scanResponseLimit else { return nil }
        // last[sum]: the structure that was added last to take exactly `sum` bytes. The others of that sum precede it.
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

    /// The priority of a type in the advertising packet, which passive scanners receive. Lower ranks come first.
    private func rank(_ type: ADType) -> Int {
        if type == .flags { return 0 }
        if type.serviceUUIDLength != nil { return 1 }
        if type.solicitedUUIDLength != nil { return 2 }
        return type == .completeLocalName || type == .shortenedLocalName ? 3 : 4
    }
}
