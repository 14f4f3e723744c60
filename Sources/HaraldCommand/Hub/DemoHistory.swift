import Foundation
import HealthHub

/// A month of plausible readings of the clinic's devices and of an earlier cuff, with a daily course and reproducible
/// noise.
struct DemoHistory {
    private let now: Date
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    private(set) var readings: [SubmittedReading] = []

    init(now: Date) {
        self.now = now
        for day in 1...30 {
            let age = Double(day) * 86400
            // The values improve from week to week.
            let course = Double(day) / 3
            for (cuff, offset) in [("BP0001", 0.0), ("BP0002", -6)] {
                pressure(cuff, age - 3600 * 1.5, 128 + offset + course, 81 + course / 2)
                pressure(cuff, age - 3600 * 13, 124 + offset + course, 78 + course / 2)
            }
            add("HS0001", age, ["weight": (73.5 + course / 8 + noise(0.4), 2, "kg")])
            add("PO0001", age, ["spO2": (97 + noise(1.4), 0, "%"), "pulseRate": (66 + noise(6), 0, "bpm")])
            for (hour, level) in [(0.0, 6.1), (5, 7.9), (11, 7.2)] {
                add("GM0001", age - hour * 3600, ["glucose": (level + noise(1.6), 1, "mmol/L")])
            }
        }
        for minute in stride(from: 5, to: 15 * 1440, by: 5) {
            let hour = Double(minute % 1440) / 60
            let meals = [7.5, 13, 19].map { max(0, 60 - abs(hour - $0) * 30) }.reduce(0, +)
            add("CG0001", Double(minute) * 60, ["cgmGlucoseConcentration": (112 + meals + noise(16), 0, "mg/dL")])
        }
    }

    private mutating func pressure(_ cuff: String, _ age: Double, _ systolic: Double, _ diastolic: Double) {
        add(
            cuff, age,
            [
                "systolic": (systolic + noise(9), 0, "mmHg"), "diastolic": (diastolic + noise(6), 0, "mmHg"),
                "pulseRate": (68 + noise(6), 0, "bpm"),
            ])
    }

    private mutating func add(_ serial: String, _ age: Double, _ values: [String: (Double, Int, String)]) {
        var reading = SubmittedReading()
        reading.id = "demo-\(readings.count)"
        reading.device = .init(serial: serial)
        reading.simulated = true
        reading.time = now.addingTimeInterval(-age).formatted(.iso8601)
        reading.fields = values.mapValues { value, digits, unit in
            .object(["value": .string(String(format: "%.\(digits)f", value)), "unit": .string(unit)])
        }
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
