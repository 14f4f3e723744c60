import Foundation
import HealthHub
import JSON

/// A month of plausible readings of five people: measured in the mornings and evenings of the hub's time zone, some
/// forgotten, with reproducible noise. Equal times give equal readings.
struct DemoHistory {
    private let now: Date
    private let zone: TimeZone
    private let midnight: Date
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    private(set) var readings: [SubmittedReading] = []

    init(now: Date, zone: TimeZone = .current) {
        (self.now, self.zone) = (now, zone)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        midnight = calendar.startOfDay(for: now)
        for day in (0...30).reversed() {
            anna(day)
            ben(day)
            clara(day)
            david(day)
            emma(day)
        }
        urgentValues()
        continuousGlucose()
    }

    /// A cuff: the pressure falls since a new medicine. A scale each morning, an oximeter on some days.
    private mutating func anna(_ day: Int) {
        let course = max(0, Double(day) - 10) * 0.9
        pressure("BP0001", day, 7.2, (131 + course, 82 + course / 2), pulse: 66)
        pressure("BP0001", day, 20.7, (125 + course, 78 + course / 2), pulse: 71)
        add("HS0001", at(day, 7), ["weight": (73.4 + Double(day) * 0.04 + noise(0.35), 1, "kg")], user: 1)
        if day % 3 == 0 {
            add("PO0001", at(day, 20.8), ["spO2": (97 + noise(1.4), 0, "%"), "pulseRate": (68 + noise(6), 0, "bpm")])
        }
    }

    /// A glucose meter before meals, and a cuff in the evening.
    private mutating func ben(_ day: Int) {
        for (hour, level) in [(6.9, 6.3), (12.1, 7.0), (18.6, 7.6)] {
            add("GM0001", at(day, hour), ["glucose": (level + noise(1.2), 1, "mmol/L")])
        }
        pressure("BP0002", day, 21.2, (127, 80), pulse: 74)
    }

    /// The second person of the scale, twice a week.
    private mutating func clara(_ day: Int) {
        guard day % 7 == 1 || day % 7 == 4 else { return }
        add("HS0001", at(day, 7.6), ["weight": (61.3 + noise(0.5), 1, "kg")], user: 2)
    }

    /// A cuff every other day, until nine days ago: overdue.
    private mutating func david(_ day: Int) {
        guard day >= 9, day % 2 == 1 else { return }
        pressure("BP0003", day, 8.1, (133, 84), pulse: 63)
    }

    /// A cuff in pregnancy.
    private mutating func emma(_ day: Int) {
        guard day > 0, day % 2 == 0 else { return }
        pressure("BP0004", day, 9.3, (116, 73), pulse: 82)
    }

    /// Anna's urgent value, which somebody has seen, with the repeated one, and Emma's, which nobody has.
    private mutating func urgentValues() {
        for (cuff, minutes, systolic, diastolic) in [
            ("BP0001", 660.0, 186.0, 104.0), ("BP0001", 648, 158, 93), ("BP0004", 95, 163, 104),
        ] {
            let values = ["systolic": (systolic, 0, "mmHg"), "diastolic": (diastolic, 0, "mmHg")]
            add(cuff, now.addingTimeInterval(-minutes * 60), values)
        }
    }

    /// Fifteen days of a continuous monitor, which rises after meals.
    private mutating func continuousGlucose() {
        for minute in stride(from: 15 * 1440, to: 0, by: -5) {
            let time = now.addingTimeInterval(Double(-minute) * 60)
            let seconds = time.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: time))
            let hour = seconds.truncatingRemainder(dividingBy: 86400) / 3600
            let meals = [7.5, 13, 19].map { max(0, 60 - abs(hour - $0 - 1) * 30) }.reduce(0, +)
            add("CG0001", time, ["cgmGlucoseConcentration": (112 + meals + noise(16), 0, "mg/dL")])
        }
    }

    private mutating func pressure(
        _ cuff: String, _ day: Int, _ hour: Double, _ mean: (systolic: Double, diastolic: Double), pulse: Double
    ) {
        let values: [String: (Double, Int, String)] = [
            "systolic": (mean.systolic + noise(7), 0, "mmHg"), "diastolic": (mean.diastolic + noise(5), 0, "mmHg"),
            "pulseRate": (pulse + noise(6), 0, "bpm"),
        ]
        // One measurement of twelve is forgotten.
        if noise(1) < 0.83 { add(cuff, at(day, hour), values) }
    }

    /// Returns a time about an hour of a day, in the hub's time zone.
    private mutating func at(_ day: Int, _ hour: Double) -> Date {
        midnight.addingTimeInterval(Double(-day) * 86400 + (hour + noise(0.4)) * 3600)
    }

    private mutating func add(
        _ serial: String, _ time: Date, _ values: [String: (Double, Int, String)], user: Int? = nil
    ) {
        guard time < now else { return }
        var reading = SubmittedReading()
        reading.id = "demo-\(readings.count)"
        reading.device = .init(serial: serial)
        reading.simulated = true
        reading.time = time.formatted(.iso8601)
        var fields = values.mapValues { value, digits, unit -> JSONValue in
            .object(["value": .string(String(format: "%.\(digits)f", value)), "unit": .string(unit)])
        }
        fields["userID"] = user.map { .int($0) }
        reading.fields = fields
        readings.append(reading)
    }

    /// Returns a number between `-size` and `size`, by Marsaglia's xorshift.
    private mutating func noise(_ size: Double) -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return (Double(state >> 11) / Double(1 << 53) * 2 - 1) * size
    }
}
