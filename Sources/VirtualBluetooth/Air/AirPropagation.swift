#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How a signal gets weaker on its way: the log-distance path loss model.
public struct AirPropagation: Hashable, Sendable {
    /// What is lost over the first metre, in dB.
    public var referenceLoss: Double = 50
    /// How fast it gets weaker beyond: 2 in free space, 2.5 to 4 in buildings.
    public var exponent: Double = 2.5
    /// What a receiver still hears, in dBm.
    public var sensitivity: Double = -100

    /// What hosts are told where the strength is not known (Core 6.0, Vol 4, Part E, 7.5.4).
    public static let unknownStrength: Int8 = 127

    /// A room with a range of 100 m at 0 dBm.
    public init() {}

    /// The strength at a receiver in dBm, -127 to 20; 127 where one of the positions is not known.
    ///
    /// Devices closer than 1 m are heard as from 1 m.
    public func strength(of txPower: Int8, from sender: AirPosition?, to receiver: AirPosition?) -> Int8 {
        guard let sender, let receiver else { return Self.unknownStrength }
        let distance = sender.distance(to: receiver)
        var strength = Double(txPower) - referenceLoss
        if distance > 1 { strength -= 10 * exponent * log10(distance) }
        // A position may be anything, infinity and NaN included.
        guard strength > -127 else { return -127 }
        return strength < 20 ? Int8(strength.rounded()) : 20
    }

    /// Whether a receiver hears a signal of `strength` dBm; one of unknown strength is heard.
    public func isAudible(_ strength: Int8) -> Bool {
        strength == Self.unknownStrength || Double(strength) >= sensitivity
    }
}
