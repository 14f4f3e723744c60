/// What a device says about itself in advertising packets and scan responses: a list of structures
/// (Core 6.0, Vol 3, Part C, 11; Core Specification Supplement, Part A).
///
/// The structures stay as they came, in their order, unknown types and repeated ones included; typed properties read
/// and replace them. The value holds the bytes in one array, so that a received report costs one allocation.
public struct AdvertisingData: Hashable, Sendable {
    /// One element: a type and its bytes.
    public struct Structure: Hashable, Sendable {
        /// What the bytes mean.
        public var type: ADType
        /// The bytes after the type; more than 254 fit in no packet.
        public var data: [UInt8]

        /// A structure from its parts.
        public init(type: ADType, data: [UInt8]) {
            self.type = type
            self.data = data
        }

        /// How many bytes the structure takes in a packet, with its length and its type.
        public var encodedLength: Int { data.count + 2 }
    }

    /// The most bytes that follow the type in a structure, whose length byte counts the type too.
    public static let maximumStructureLength = 254

    /// The structures as in a packet, each with a length byte: always whole, none of length zero.
    var bytes: [UInt8] = []
    /// What few have; nil where there is nothing of it, so that a value is one reference to copy and to compare.
    private var rarities: Rarities?

    private final class Rarities: Hashable, Sendable {
        let oversized: [Structure]
        let malformedTail: [UInt8]

        init(oversized: [Structure], malformedTail: [UInt8]) {
            self.oversized = oversized
            self.malformedTail = malformedTail
        }

        static func == (left: Rarities, right: Rarities) -> Bool {
            left.oversized == right.oversized && left.malformedTail == right.malformedTail
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(oversized)
            hasher.combine(malformedTail)
        }
    }

    private mutating func setRarities(oversized: [Structure], malformedTail: [UInt8]) {
        let isThere = !oversized.isEmpty || !malformedTail.isEmpty
        rarities = isThere ? Rarities(oversized: oversized, malformedTail: malformedTail) : nil
    }

    /// Structures that somebody made and no packet can carry; nothing received is ever here.
    var oversized: [Structure] {
        get { rarities?.oversized ?? [] }
        set { setRarities(oversized: newValue, malformedTail: malformedTail) }
    }

    /// What was left of received bytes where a structure claimed more than there was, its length byte included.
    ///
    /// It is never encoded again.
    public internal(set) var malformedTail: [UInt8] {
        get { rarities?.malformedTail ?? [] }
        set { setRarities(oversized: oversized, malformedTail: newValue) }
    }

    /// Nothing.
    public init() {}

    /// The structures, in this order.
    public init(structures: [Structure]) {
        for structure in structures { append(structure) }
    }

    /// What a packet holds; never fails.
    ///
    /// Whole structures are kept. A length of zero ends the data early, and what follows it is padding without meaning.
    /// A structure that is longer than what is left goes to ``malformedTail``.
    public init(parsing view: ByteView) {
        let end = Self.endOfStructures(view)
        bytes = view.prefix(end).array
        if end < view.count, view[end] != 0 { malformedTail = view.dropFirst(end).array }
    }

    /// What a packet holds; never fails.
    public init(parsing bytes: [UInt8]) { self = bytes.withByteView { AdvertisingData(parsing: $0) } }

    /// The offset of the first byte that belongs to no whole structure.
    static func endOfStructures(_ view: ByteView) -> Int {
        var offset = 0
        while offset < view.count {
            let length = Int(view[offset])
            guard length > 0, length < view.count - offset else { break }
            offset += 1 + length
        }
        return offset
    }

    /// Whether there is no structure.
    public var isEmpty: Bool { bytes.isEmpty && oversized.isEmpty }

    /// How many bytes all structures take in packets.
    public var encodedLength: Int { oversized.reduce(bytes.count) { $0 + $1.encodedLength } }

    /// The structures as a packet carries them, without padding.
    ///
    /// A structure with more than 254 bytes of data is left out, as no packet can carry it; ``encoded(limit:)`` is the
    /// one that says so.
    public var encoded: [UInt8] { bytes }

    /// All structures, in their order; those that are too long for a packet come last.
    public var structures: [Structure] {
        get {
            var result: [Structure] = []
            forEachStructure { type, data in result.append(Structure(type: type, data: data.array)) }
            return result
        }
        set {
            let tail = malformedTail
            self = AdvertisingData(structures: newValue)
            malformedTail = tail
        }
    }

    /// Calls `body` for each structure, in order; the view is valid during the call. Nothing is allocated.
    public func forEachStructure(_ body: (_ type: ADType, _ data: ByteView) -> Void) {
        _ = firstStructure { type, data -> Void? in
            body(type, data)
            return nil
        }
    }

    /// The first result of `body` that is not nil, calling it for each structure in order.
    public func firstStructure<Result>(_ body: (_ type: ADType, _ data: ByteView) -> Result?) -> Result? {
        let found = bytes.withByteView { view -> Result? in
            var offset = 0
            // Each length is at least 1 and reaches no further than the end: an invariant of `bytes`.
            while offset < view.count {
                let length = Int(view[offset])
                if let result = body(
                    ADType(rawValue: view[offset + 1]), view.dropFirst(offset + 2).prefix(length - 1))
                {
                    return result
                }
                offset += 1 + length
            }
            return nil
        }
        if let found { return found }
        for structure in oversized {
            if let result = structure.data.withByteView({ body(structure.type, $0) }) { return result }
        }
        return nil
    }

    /// The result of `body` for the data of the first structure of `type`; nil where there is none.
    public func first<Result>(_ type: ADType, _ body: (ByteView) -> Result?) -> Result? {
        firstStructure { $0 == type ? body($1) : nil }
    }

    /// Whether there is a structure of `type`.
    public func contains(_ type: ADType) -> Bool { first(type) { _ in true } ?? false }

    /// Appends a structure.
    public mutating func append(_ structure: Structure) {
        guard structure.data.count <= Self.maximumStructureLength else {
            oversized.append(structure)
            return
        }
        bytes.reserveCapacity(bytes.count + structure.encodedLength)
        bytes.append(UInt8(structure.data.count + 1))
        bytes.append(structure.type.rawValue)
        bytes.append(contentsOf: structure.data)
    }

    /// Removes the structures of `types`.
    public mutating func remove(_ types: ADType...) { replace(types, with: []) }

    /// Removes the structures of `types` and puts `replacements` where the first one was, else at the end.
    public mutating func replace(_ types: [ADType], with replacements: [Structure]) {
        var result: [Structure] = []
        var isPlaced = false
        for structure in structures {
            guard types.contains(structure.type) else {
                result.append(structure)
                continue
            }
            if !isPlaced { result += replacements }
            isPlaced = true
        }
        structures = isPlaced ? result : result + replacements
    }

    /// This data and what the scan response adds.
    ///
    /// A structure that both packets have is kept once. Where they disagree both are kept; the typed properties then
    /// take the one of the advertising packet, but a complete name before a shortened one.
    public func merging(scanResponse: AdvertisingData) -> AdvertisingData {
        if scanResponse.isEmpty && scanResponse.malformedTail.isEmpty { return self }
        var result = self
        let own = structures
        for structure in scanResponse.structures where !own.contains(structure) { result.append(structure) }
        result.malformedTail += scanResponse.malformedTail
        return result
    }
}

extension AdvertisingData: CustomStringConvertible {
    /// The bytes in hexadecimal.
    public var description: String { bytes.hexText() }
}
