#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Slow changes of signal strengths, as of devices in a room in which people move.
///
/// The change of a pair of controllers depends on the seed and the time only: three waves with periods of a few seconds
/// and phases of their own.
package struct AirFading: Hashable, Sendable {
    /// The largest change, in dB.
    package var depth: Double
    /// The seed of the phases.
    package var seed: UInt64

    /// Creates fading of a few dB.
    package init(depth: Double = 4, seed: UInt64 = 1) {
        self.depth = depth
        self.seed = seed
    }

    private static let periods = [2.3, 5.9, 13.7]

    /// Returns the change, in dB, of a signal between two controllers.
    /// - Parameter seconds: the time on the clock of the air.
    package func change(from sender: UInt64, to receiver: UInt64, at seconds: Double) -> Double {
        var state = seed ^ sender &* 0x9E37_79B9_7F4A_7C15 ^ receiver &* 0xC2B2_AE3D_27D4_EB4F
        let waves = Self.periods.map { period in
            // splitmix64
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            let phase = Double((mixed ^ mixed >> 31) >> 11) / Double(1 << 53)
            return sin(2 * Double.pi * (seconds / period + phase))
        }
        return depth * waves.reduce(0, +) / Double(waves.count)
    }
}
