/// The value of a characteristic: parts one after the other, some of which may change over time.
public struct ValueTemplate: Hashable, Sendable {
    /// A part of a value.
    public enum Part: Hashable, Sendable {
        /// Bytes that stay.
        case bytes([UInt8])
        /// A number that follows a waveform; a medical float has so many decimals.
        case number(NumberFormat, Waveform, digits: Int)
        /// A heart rate measurement.
        case heartRate(HeartRateTemplate)
    }

    /// The parts in their order.
    public var parts: [Part]

    /// A value of parts.
    public init(_ parts: [Part] = []) { self.parts = parts }

    /// A value that stays.
    public init(_ bytes: [UInt8]) { parts = [.bytes(bytes)] }

    /// The bytes, where none of them changes; nil otherwise.
    public var fixedBytes: [UInt8]? {
        var bytes: [UInt8] = []
        for part in parts {
            guard case .bytes(let more) = part else { return nil }
            bytes += more
        }
        return bytes
    }
}

/// Plays a value: tells its bytes at any time. The same seed gives the same bytes.
public struct ValuePlayer: Sendable {
    private enum Part: Sendable {
        case bytes([UInt8])
        case number(NumberFormat, WaveformPlayer, digits: Int)
        case heartRate(HeartRatePlayer)
    }

    private var parts: [Part]

    /// A player at the beginning.
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

    /// The bytes `elapsed` after the beginning. Time does not go backwards.
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
