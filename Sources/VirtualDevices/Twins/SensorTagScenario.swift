import Foundation
import HaraldDevices

/// The environment of a simulated SensorTag: the temperature drifts, the tag rotates around its short side, and keys
/// are pressed every ten seconds.
public enum SensorTagScenario {
    /// The environment at one time.
    public struct Moment: Hashable, Sendable {
        /// The temperatures of the air and of the object in front of the tag in degrees Celsius.
        public var ambient: Double, object: Double
        /// The relative humidity in percent.
        public var humidity: Double
        /// The pressure in hectopascals.
        public var pressure: Double
        /// The illuminance in lux.
        public var light: Double
        /// The acceleration in multiples of standard gravity.
        public var acceleration: Axes
        /// The rotation in degrees per second.
        public var rotation: Axes
        /// The magnetic field in microteslas.
        public var magneticField: Axes
        /// The pressed keys: bit 0 right, bit 1 left, bit 2 reed relay.
        public var keys: UInt8
    }

    /// Returns the environment at a time after the start.
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
