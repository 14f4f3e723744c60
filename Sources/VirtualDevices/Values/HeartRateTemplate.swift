import Foundation

/// A template of Heart Rate Measurement values (2A37; Heart Rate Service 1.0, 3.1).
public struct HeartRateTemplate: Hashable, Sendable {
    /// The heart rate in beats per minute.
    public var rate: Waveform
    /// True if the sensor has skin contact; nil if it does not detect contact.
    public var contact: Bool?
    /// The expended energy in kilojoules; nil if the device does not report it.
    public var energy: Waveform?
    /// True if RR intervals are sent.
    public var sendsIntervals: Bool

    /// Creates a template.
    public init(rate: Waveform, contact: Bool? = nil, energy: Waveform? = nil, sendsIntervals: Bool = true) {
        self.rate = rate
        self.contact = contact
        self.energy = energy
        self.sendsIntervals = sendsIntervals
    }
}

/// Encodes consecutive heart rate measurements. Each has the RR intervals since the previous one.
struct HeartRatePlayer: Sendable {
    private let template: HeartRateTemplate
    private var rate: WaveformPlayer
    private var energy: WaveformPlayer?
    /// The time of the last beat in seconds.
    private var lastBeat = 0.0

    /// The number of intervals that fit into a notification of the minimum MTU, together with the other fields.
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
        // RR intervals are in units of 1/1024 s.
        for interval in intervals { fields += NumberFormat(.u16).encoded(interval * 1024) }
        return [flags] + fields
    }

    private mutating func intervals(upTo now: Double, beatsPerMinute: Double) -> [Double] {
        guard beatsPerMinute >= 1 else { return [] }
        let regular = 60 / beatsPerMinute
        // After a pause, only the last beats are reported.
        lastBeat = max(lastBeat, now - regular * Double(Self.mostIntervals))
        var intervals: [Double] = []
        while intervals.count < Self.mostIntervals {
            // Respiratory sinus arrhythmia: the heart beats faster on inhalation and slower on exhalation.
            let interval = regular * (1 + 0.03 * sin(lastBeat * 2 * .pi / 4))
            guard lastBeat + interval <= now else { break }
            lastBeat += interval
            intervals.append(interval)
        }
        return intervals
    }
}
