import Foundation
import HaraldDevices

/// What happens to a simulated SensorTag: the temperature drifts, the tag is turned around its short side, and every ten
/// seconds keys are pressed.
public enum SensorTagScenario {
    /// What is true at a time.
    public struct Moment: Hashable, Sendable {
        /// Degrees Celsius, of the air and of what is in front of the tag.
        public var ambient: Double, object: Double
        /// Percent.
        public var humidity: Double
        /// Hectopascals.
        public var pressure: Double
        /// Lux.
        public var light: Double
        /// Multiples of standard gravity.
        public var acceleration: Axes
        /// Degrees per second.
        public var rotation: Axes
        /// Microteslas.
        public var magneticField: Axes
        /// The keys as bits: right 0, left 1, reed 2.
        public var keys: UInt8
    }

    /// What is true so long after the beginning.
    public static func moment(at elapsed: Duration) -> Moment {
        let time = elapsed / .seconds(1)
        func wave(_ period: Double) -> Double { sin(2 * .pi * time / period) }
        let ambient = 22 + 2 * wave(600)
        let angle = 2 * .pi * time / 20
        let inTen = time.truncatingRemainder(dividingBy: 10)
        var keys: UInt8 = 0
        if (2..<3).contains(inTen) { keys |= 1 }
        if (5..<6).contains(inTen) { keys |= 2 }
        if (8..<8.5).contains(inTen) { keys |= 4 }
        return Moment(
            ambient: ambient, object: ambient + 1.5, humidity: 45 + 5 * wave(900), pressure: 1013.25 + 1.5 * wave(1200),
            light: 350 + 150 * wave(120), acceleration: Axes(0, sin(angle), cos(angle)), rotation: Axes(18, 0, 0),
            magneticField: Axes(22, 40 * cos(angle), -40 * sin(angle)), keys: keys)
    }
}
