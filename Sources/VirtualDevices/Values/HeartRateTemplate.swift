import Foundation

/// The fields of a Heart Rate Measurement (2A37; Heart Rate Service 1.0, 3.1).
public struct HeartRateTemplate: Hashable, Sendable {
    /// Beats per minute.
    public var rate: Waveform
    /// Whether the skin is touched; nil where the device does not know.
    public var contact: Bool?
    /// Energy expended in kilojoules; nil where the device does not count.
    public var energy: Waveform?
    /// Whether the intervals between the beats are sent.
    public var sendsIntervals: Bool

    /// A measurement.
    public init(rate: Waveform, contact: Bool? = nil, energy: Waveform? = nil, sendsIntervals: Bool = true) {
        self.rate = rate
        self.contact = contact
        self.energy = energy
        self.sendsIntervals = sendsIntervals
    }
}

/// Encodes heart rate measurements one after the other: each holds the beats since the one before.
struct HeartRatePlayer: Sendable {
    private let template: HeartRateTemplate
    private var rate: WaveformPlayer
    private var energy: WaveformPlayer?
    /// When the last beat was, in seconds.
    private var lastBeat = 0.0

    /// As many intervals as fit in a notification of the smallest MTU, with the other fields.
    private static let mostIntervals = 7

    init(_ template: HeartRateTemplate, seed: UInt64) {
        self.template = template
        rate = WaveformPlayer(template.rate, seed: seed)
        energy = template.energy.map { WaveformPlayer($0, seed: seed &+ 1) }
    }

    mutating func bytes(at elapsed: Duration) -> [UInt8] {
        let beats = min(max(rate.value(at: elapsed), 0), 65535)
        let number = UInt16(beats.rounded())
        var flags: UInt8 = number > 255 ? 0x01 : 0
        if let contact = template.contact { flags |= contact ? 0x06 : 0x04 }
        var fields = NumberFormat(number > 255 ? .u16 : .u8).encoded(Double(number))
        if let kilojoules = energy?.value(at: elapsed) {
            flags |= 0x08
            fields += NumberFormat(.u16).encoded(kilojoules)
        }
        let intervals = template.sendsIntervals ? intervals(upTo: elapsed / .seconds(1), beatsPerMinute: beats) : []
        if !intervals.isEmpty { flags |= 0x10 }
        // In units of 1/1024 s.
        for interval in intervals { fields += NumberFormat(.u16).encoded(interval * 1024) }
        return [flags] + fields
    }

    private mutating func intervals(upTo now: Double, beatsPerMinute: Double) -> [Double] {
        guard beatsPerMinute >= 1 else { return [] }
        let regular = 60 / beatsPerMinute
        // After a pause only the last beats are worth telling.
        lastBeat = max(lastBeat, now - regular * Double(Self.mostIntervals))
        var intervals: [Double] = []
        while intervals.count < Self.mostIntervals {
            // The heart goes faster on breathing in, slower on breathing out.
            let interval = regular * (1 + 0.03 * sin(lastBeat * 2 * .pi / 4))
            guard lastBeat + interval <= now else { break }
            lastBeat += interval
            intervals.append(interval)
        }
        return intervals
    }
}
