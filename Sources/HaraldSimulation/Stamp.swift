/// A value of the simulation. It encodes its origin, its characteristic and its number, which determine all of its
/// octets, so that values from no known origin are recognised.
struct Stamp: Hashable, Sendable {
    /// The host that created the value.
    var host: Int
    var place: Int
    /// The number of the value for its host and place, counted from 1; 0 is the initial value.
    var number: Int
    /// The length, 8 to 512 octets.
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

    /// Decodes a value; nil if the octets are not a valid value.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.shortest else { return nil }
        let number = (0..<4).reduce(0) { $0 | Int(bytes[2 + $1]) << (8 * $1) }
        self.init(
            host: Int(bytes[0]), place: Int(bytes[1]), number: number, length: Int(bytes[6]) | Int(bytes[7]) << 8)
        guard self.bytes == bytes else { return nil }
    }
}
