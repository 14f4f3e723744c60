import Foundation

/// How a number changes over time.
public enum Waveform: Hashable, Sendable {
    /// It does not.
    case constant(Double)
    /// Up and down between two numbers, once a period, from the middle upwards.
    case sine(ClosedRange<Double>, period: Duration)
    /// Evenly from the lowest to the highest, then again from the lowest; the other way round where it falls.
    case ramp(ClosedRange<Double>, period: Duration, falls: Bool)
    /// By chance: every so often up or down by at most `step`, and never out of the range.
    case walk(ClosedRange<Double>, step: Double, every: Duration)
    /// One number after the other, all of them once a period.
    case steps([Double], period: Duration)

    /// Whether it is always the same number.
    public var isConstant: Bool {
        if case .constant = self { return true }
        return false
    }
}

/// Plays a waveform: tells its number at any time. The same seed gives the same numbers.
public struct WaveformPlayer: Sendable {
    private let waveform: Waveform
    private var walk: (position: Double, step: Int64)
    private var chance: UInt64

    /// After a pause, a walk makes at most so many steps at once.
    private static let mostSteps: Int64 = 1000

    /// A player at the beginning.
    public init(_ waveform: Waveform, seed: UInt64 = 1) {
        self.waveform = waveform
        chance = seed
        walk = (0, 0)
        if case .walk(let range, _, _) = waveform { walk.position = (range.lowerBound + range.upperBound) / 2 }
    }

    /// The number `elapsed` after the beginning. Time does not go backwards.
    public mutating func value(at elapsed: Duration) -> Double {
        switch waveform {
        case .constant(let value): return value
        case .sine(let range, let period):
            let middle = (range.lowerBound + range.upperBound) / 2
            return middle + (range.upperBound - middle) * sin(Self.phase(elapsed, period) * 2 * .pi)
        case .ramp(let range, let period, let falls):
            let phase = Self.phase(elapsed, period)
            let span = range.upperBound - range.lowerBound
            return falls ? range.upperBound - span * phase : range.lowerBound + span * phase
        case .walk(let range, let step, let every):
            let target = Int64(min(Self.ratio(elapsed, every), 9e15))
            walk.step = max(walk.step, target - Self.mostSteps)
            while walk.step < target {
                walk.step += 1
                walk.position += step * (nextChance() * 2 - 1)
                walk.position = min(max(walk.position, range.lowerBound), range.upperBound)
            }
            return walk.position
        case .steps(let values, let period):
            guard !values.isEmpty else { return 0 }
            return values[min(Int(Self.phase(elapsed, period) * Double(values.count)), values.count - 1)]
        }
    }

    /// 0 to 1, by the generator of Vigna's SplitMix64.
    private mutating func nextChance() -> Double {
        chance &+= 0x9E37_79B9_7F4A_7C15
        var mixed = chance
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53 as UInt64)
    }

    private static func ratio(_ elapsed: Duration, _ period: Duration) -> Double {
        period > .zero ? max(0, elapsed / period) : 0
    }

    private static func phase(_ elapsed: Duration, _ period: Duration) -> Double {
        let ratio = ratio(elapsed, period)
        return ratio - ratio.rounded(.down)
    }
}
