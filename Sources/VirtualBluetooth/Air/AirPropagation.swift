#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The attenuation of signals with distance: the log-distance path loss model.
public struct AirPropagation: Hashable, Sendable {
    /// The path loss over the first metre, in dB.
    public var referenceLoss: Double = 50
    /// The path loss exponent beyond the first metre: 2 in free space, 2.5 to 4 in buildings.
    public var exponent: Double = 2.5
    /// The sensitivity of receivers, in dBm.
    public var sensitivity: Double = -100

    /// The RSSI that reports an unknown signal strength (Core 6.0, Vol 4, Part E, 7.5.4).
    public static let unknownStrength: Int8 = 127

    /// Creates the model of a room with a range of 100 m at 0 dBm.
    public init() {}

    /// Returns the received signal strength, -127 to 20 dBm, or 127 if one of the positions is nil.
    ///
    /// Distances below 1 m count as 1 m.
    public func strength(of txPower: Int8, from sender: AirPosition?, to receiver: AirPosition?) -> Int8 {
        guard let sender, let receiver else { return Self.unknownStrength }
        let distance = sender.distance(to: receiver)
        var strength = Double(txPower) - referenceLoss
        if distance > 1 { strength -= 10 * exponent * log10(distance) }
        // A position may hold any values, infinity and NaN included.
        guard strength > -127 else { return -127 }
        return strength < 20 ? Int8(strength.rounded()) : 20
    }

    /// Returns true if a receiver detects a signal of `strength` dBm. Signals of unknown strength are always detected.
    public func isAudible(_ strength: Int8) -> Bool {
        strength == Self.unknownStrength || Double(strength) >= sensitivity
    }
}
