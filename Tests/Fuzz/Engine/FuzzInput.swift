import BluetoothModel

/// Takes decisions and bytes from an input, from its beginning to its end. Behind the end everything is zero and empty,
/// so that the beginning of an input is an input.
struct FuzzInput {
    private var reader: ByteReader

    init(_ view: ByteView) { reader = ByteReader(view) }

    /// True at the end of the input.
    var isAtEnd: Bool { reader.isAtEnd }

    mutating func uint8() -> UInt8 { reader.uint8() ?? 0 }

    /// Two bytes, little-endian.
    mutating func uint16() -> UInt16 { reader.uint16() ?? UInt16(uint8()) }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(uint8()) % bound }

    mutating func flag() -> Bool { uint8() & 1 == 1 }

    /// Takes `count` bytes, or the rest if fewer are left.
    mutating func bytes(_ count: Int) -> [UInt8] { reader.bytes(min(count, reader.count))?.array ?? [] }

    /// Bytes with their number in front.
    mutating func counted() -> [UInt8] { bytes(Int(uint8())) }

    /// All that is left.
    mutating func rest() -> [UInt8] { bytes(reader.count) }

    /// One of several.
    mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
