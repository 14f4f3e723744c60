/// The hash of a world's events: every packet between a host and its controller, and the start and end of every
/// operation, each with its time.
final class Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The hash after each event.
    private(set) var marks: [UInt64] = []
    /// The events as text, if requested.
    private(set) var lines: [String] = []
    private let keepsLines: Bool

    init(keepsLines: Bool) { self.keepsLines = keepsLines }

    func add(_ time: Int64, _ bytes: some Sequence<UInt8>, _ words: @autoclosure () -> String) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: time >> Int64(shift))) }
        for byte in bytes { mix(byte) }
        marks.append(hash)
        if keepsLines { lines.append("\(Self.text(of: time)) \(words())") }
    }

    private func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

    /// Formats the time in seconds with six decimals.
    static func text(of nanoseconds: Int64) -> String {
        let micro = nanoseconds / 1000
        let fraction = String(micro % 1_000_000)
        return "\(micro / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }

    /// Returns the index of the first event in which two traces differ; nil if they are equal.
    static func difference(_ one: Trace, _ other: Trace) -> Int? {
        if let place = zip(one.marks, other.marks).enumerated().first(where: { $1.0 != $1.1 })?.offset { return place }
        return one.marks.count == other.marks.count ? nil : min(one.marks.count, other.marks.count)
    }
}
