/// A value of the simulation: it says who made it, for which characteristic, and its number, and all of its octets follow from
/// that, so that a value that nobody made is recognised.
struct Stamp: Hashable, Sendable {
    /// Who made it: the host.
    var host: Int
    var place: Int
    /// Each value of a maker and a place has its own, counted from 1; 0 is the value at the start.
    var number: Int
    /// Its octets, 8 to 512.
    var length: Int

    static let shortest = 8

    init(host: Int, place: Int, number: Int, length: Int) {
        (self.host, self.place, self.number) = (host, place, number)
        self.length = max(Self.shortest, min(length, 512))
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [UInt8(host), UInt8(place)]
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        while bytes.count < length { bytes.append(UInt8(truncatingIfNeeded: bytes.count &* 31 &+ number)) }
        return bytes
    }

    /// The value that these octets are; nil where nobody made them.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.shortest else { return nil }
        let number = (0..<4).reduce(0) { $0 | Int(bytes[2 + $1]) << (8 * $1) }
        self.init(
            host: Int(bytes[0]), place: Int(bytes[1]), number: number, length: Int(bytes[6]) | Int(bytes[7]) << 8)
        guard self.bytes == bytes else { return nil }
    }
}
