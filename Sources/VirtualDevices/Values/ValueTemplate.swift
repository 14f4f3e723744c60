/// The template of a characteristic value: a sequence of parts that may change over time.
public struct ValueTemplate: Hashable, Sendable {
    /// A part of a value.
    public enum Part: Hashable, Sendable {
        /// Constant bytes.
        case bytes([UInt8])
        /// A number that follows a waveform. `digits` is the number of decimal places of a medical float.
        case number(NumberFormat, Waveform, digits: Int)
        /// A heart rate measurement.
        case heartRate(HeartRateTemplate)
    }

    /// The parts in order.
    public var parts: [Part]

    /// Creates a value from its parts.
    public init(_ parts: [Part] = []) { self.parts = parts }

    /// Creates a constant value.
    public init(_ bytes: [UInt8]) { parts = [.bytes(bytes)] }

    /// The bytes of a constant value; nil if a part changes over time.
    public var fixedBytes: [UInt8]? {
        var bytes: [UInt8] = []
        for part in parts {
            guard case .bytes(let more) = part else { return nil }
            bytes += more
        }
        return bytes
    }
}

/// Generates the bytes of a value over time. The same seed generates the same bytes.
public struct ValuePlayer: Sendable {
    private enum Part: Sendable {
        case bytes([UInt8])
        case number(NumberFormat, WaveformPlayer, digits: Int)
        case heartRate(HeartRatePlayer)
    }

    private var parts: [Part]

    /// Creates a player at time zero.
    public init(_ template: ValueTemplate, seed: UInt64 = 1) {
        parts = template.parts.enumerated().map { index, part in
            let seed = seed &+ UInt64(index) &* 7919
            return switch part {
            case .bytes(let bytes): .bytes(bytes)
            case .number(let format, let waveform, let digits):
                .number(format, WaveformPlayer(waveform, seed: seed), digits: digits)
            case .heartRate(let template): .heartRate(HeartRatePlayer(template, seed: seed))
            }
        }
    }

    /// Returns the bytes at a time, which must not decrease between calls.
    public mutating func bytes(at elapsed: Duration) -> [UInt8] {
        var result: [UInt8] = []
        for index in parts.indices {
            switch parts[index] {
            case .bytes(let bytes): result += bytes
            case .number(let format, var player, let digits):
                result += format.encoded(player.value(at: elapsed), digits: digits)
                parts[index] = .number(format, player, digits: digits)
            case .heartRate(var player):
                result += player.bytes(at: elapsed)
                parts[index] = .heartRate(player)
            }
        }
        return result
    }
}
