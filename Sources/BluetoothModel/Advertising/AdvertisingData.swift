/// The data of advertising packets and scan responses: a list of structures (Core 6.0, Vol 3, Part C, 11; Core
/// Specification Supplement, Part A).
///
/// The structures are kept unchanged and in order, including unknown types and duplicates. Typed properties read and
/// replace them. All bytes are stored in one array, so that a received report costs one allocation.
public struct AdvertisingData: Hashable, Sendable {
    /// An advertising structure: a type and its bytes.
    public struct Structure: Hashable, Sendable {
        /// The type.
        public var type: ADType
        /// The bytes after the type. No packet can carry more than 254.
        public var data: [UInt8]

        /// Creates a structure.
        public init(type: ADType, data: [UInt8]) {
            self.type = type
            self.data = data
        }

        /// The number of bytes in a packet, including the length and type bytes.
        public var encodedLength: Int { data.count + 2 }
    }

    /// The maximum number of bytes after the type of a structure. The length byte also counts the type.
    public static let maximumStructureLength = 254

    /// The structures as in a packet, each with a length byte. Invariant: all are complete, none has length zero.
    var bytes: [UInt8] = []
    /// The rarely used parts; nil if there are none, so that the value is a single reference to copy and compare.
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

    /// Structures that are too long for any packet. Never set on received data.
    var oversized: [Structure] {
        get { rarities?.oversized ?? [] }
        set { setRarities(oversized: newValue, malformedTail: malformedTail) }
    }

    /// The bytes of a received structure whose length exceeds the remaining bytes, including its length byte.
    ///
    /// Never encoded again.
    public internal(set) var malformedTail: [UInt8] {
        get { rarities?.malformedTail ?? [] }
        set { setRarities(oversized: oversized, malformedTail: newValue) }
    }

    /// Creates empty data.
    public init() {}

    /// Creates data from structures, in this order.
    public init(structures: [Structure]) {
        for structure in structures { append(structure) }
    }

    /// Parses the data of a packet. Never fails.
    ///
    /// Keeps the complete structures. A length of zero ends the data; the bytes after it are padding. A structure that
    /// is longer than the remaining bytes is kept in ``malformedTail``.
    public init(parsing view: ByteView) {
        let end = Self.endOfStructures(view)
        bytes = view.prefix(end).array
        if end < view.count, view[end] != 0 { malformedTail = view.dropFirst(end).array }
    }

    /// Parses the data of a packet. Never fails.
    public init(parsing bytes: [UInt8]) { self = bytes.withByteView { AdvertisingData(parsing: $0) } }

    /// Returns the offset of the first byte after the complete structures.
    static func endOfStructures(_ view: ByteView) -> Int {
        var offset = 0
        while offset < view.count {
            let length = Int(view[offset])
            guard length > 0, length < view.count - offset else { break }
            offset += 1 + length
        }
        return offset
    }

    /// True if there are no structures.
    public var isEmpty: Bool { bytes.isEmpty && oversized.isEmpty }

    /// The number of bytes that all structures take in packets.
    public var encodedLength: Int { oversized.reduce(bytes.count) { $0 + $1.encodedLength } }

    /// The structures as in a packet, without padding.
    ///
    /// Omits structures with more than 254 bytes of data, which no packet can carry. ``encoded(limit:shortensName:)``
    /// throws for them.
    public var encoded: [UInt8] { bytes }

    /// All structures in order. Those that are too long for a packet come last.
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

    /// Calls `body` for each structure in order. The view is valid during the call. Does not allocate.
    public func forEachStructure(_ body: (_ type: ADType, _ data: ByteView) -> Void) {
        _ = firstStructure { type, data -> Void? in
            body(type, data)
            return nil
        }
    }

    /// Calls `body` for each structure in order and returns its first result that is not nil.
    public func firstStructure<Result>(_ body: (_ type: ADType, _ data: ByteView) -> Result?) -> Result? {
        let found = bytes.withByteView { view -> Result? in
            var offset = 0
            // Each length is at least 1 and does not exceed the remaining bytes: the invariant of `bytes`.
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

    /// Returns the result of `body` for the data of the first structure of `type`; nil if there is none.
    public func first<Result>(_ type: ADType, _ body: (ByteView) -> Result?) -> Result? {
        firstStructure { $0 == type ? body($1) : nil }
    }

    /// Returns true if there is a structure of `type`.
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

    /// Replaces the structures of `types` by `replacements`, which are placed at the first one, else at the end.
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

    /// Returns this data combined with a scan response.
    ///
    /// A structure in both packets is kept once. If both have different structures of a type, both are kept. Typed
    /// properties then use the one of the advertising packet, but prefer a complete name to a shortened one.
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
