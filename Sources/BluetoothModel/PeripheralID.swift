/// A permanent identifier of a device: the same device has the same identifier in every run of the program.
///
/// The identifier does not reveal its origin, which is an identity address or a number of the platform. It stays the
/// same when a private address is resolved to a known device.
public struct PeripheralID: Hashable, Sendable {
    /// The upper and the lower half of a 128-bit number.
    public let high: UInt64, low: UInt64

    /// Creates an identifier from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses 8-4-4-4-12 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined()
        guard digits.allSatisfy(\.isHexDigit), let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Combines both halves in one step, as identifiers are looked up for every advertisement.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }
}

extension PeripheralID: Comparable {
    /// Compares the numbers.
    public static func < (first: PeripheralID, second: PeripheralID) -> Bool {
        (first.high, first.low) < (second.high, second.low)
    }
}

extension PeripheralID: CustomStringConvertible {
    /// 8-4-4-4-12 uppercase hexadecimal digits.
    public var description: String {
        let text = high.hexText(digits: 16) + low.hexText(digits: 16)
        var result = ""
        for (index, digit) in text.enumerated() {
            if [8, 12, 16, 20].contains(index) { result += "-" }
            result.append(digit)
        }
        return result
    }
}
