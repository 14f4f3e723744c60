import BluetoothModel
import Foundation

/// How far away a device is, from the strength of its signal: an estimate, with the range in which the distance lies
/// about two times out of three.
///
/// The model is log-distance path loss: the loss grows by ``exponent`` times 10 dB with every tenfold distance, from what is
/// lost over the first metre. Bodies, walls and antennas add several decibels either way, ``deviation``, which is what the
/// range is made of.
public struct DistanceEstimate: Hashable, Sendable, CustomStringConvertible {
    /// Metres.
    public let metres: Double
    /// From the shortest to the longest distance that is likely, in metres.
    public let range: ClosedRange<Double>
    /// How fast the signal fades: 2 in the open, 3 or more behind walls.
    public let exponent: Double
    /// The standard deviation of the signal's strength in decibels.
    public let deviation: Double

    /// What small antennas on a body or a desk lose over the first metre, in decibels.
    public static let lossOverFirstMetre = 50.0

    /// An estimate.
    /// - Parameters:
    ///   - rssi: the strength that was heard, in dBm, smoothed or not.
    ///   - txPower: the power that the device says it sends with, in dBm; 0 where it does not say.
    ///   - measurements: how many measurements `rssi` is the mean of; their noise shrinks with the square root.
    public init(
        rssi: Double, txPower: Int?, exponent: Double = 2, deviation: Double = 6, measurements: Double = 1
    ) {
        self.init(
            rssi: rssi, powerAtOneMetre: Double(txPower ?? 0) - Self.lossOverFirstMetre, exponent: exponent,
            deviation: deviation, measurements: measurements)
    }

    /// An estimate from what the device is heard with at one metre, in dBm, as beacons say it and
    /// ``BluetoothModel/AdvertisingData/powerAtOneMetre`` has it of any device.
    public init(
        rssi: Double, powerAtOneMetre: Double, exponent: Double = 2, deviation: Double = 6, measurements: Double = 1
    ) {
        func distance(_ rssi: Double) -> Double { pow(10, (powerAtOneMetre - rssi) / (10 * exponent)) }
        // Half of it stays however long one listens: walls and bodies do not average out.
        let constant = deviation / 2
        let spread = (constant * constant + (deviation * deviation - constant * constant) / max(1, measurements))
            .squareRoot()
        self.exponent = exponent
        self.deviation = spread
        metres = distance(rssi)
        range = distance(rssi + spread)...distance(rssi - spread)
    }

    /// "about 2.5 m (1.3 to 5.0)"
    public var description: String {
        "about \(Self.text(metres)) m (\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)))"
    }

    private static func text(_ metres: Double) -> String {
        metres < 10 ? "\((metres * 10).rounded() / 10)" : "\(Int(min(metres, 1e6).rounded()))"
    }
}

extension AdvertisingData {
    /// What the device is heard with at one metre, in dBm: what a beacon was calibrated to, else the TX power, or 0 dBm
    /// where it does not say, less ``DistanceEstimate/lossOverFirstMetre``.
    public var powerAtOneMetre: Double {
        calibratedPower.map { Double($0) } ?? Double(txPower ?? 0) - DistanceEstimate.lossOverFirstMetre
    }
}

/// Smooths the strength of a signal: each measurement moves the mean by ``weight`` of its difference, an exponential
/// moving average.
public struct RSSISmoother: Hashable, Sendable {
    /// How much a measurement counts, above 0 to 1.
    public let weight: Double
    /// The mean in dBm; nil before the first measurement.
    public private(set) var mean: Double?
    private var count = 0

    /// A smoother; with the default of 1/8 about the last 15 measurements count.
    public init(weight: Double = 0.125) { self.weight = min(max(weight, 0.001), 1) }

    /// Takes a measurement in dBm.
    public mutating func add(_ rssi: Int) {
        count += 1
        // The first measurements are averaged evenly: the very first alone says little.
        let share = max(weight, 1 / Double(count))
        mean = mean.map { $0 + (Double(rssi) - $0) * share } ?? Double(rssi)
    }

    /// As how many independent measurements the mean counts.
    public var measurements: Double { min(Double(count), (2 - weight) / weight) }

    /// The distance of a device that advertises this; nil before the first measurement.
    public func distance(of advertisement: AdvertisingData, exponent: Double = 2) -> DistanceEstimate? {
        mean.map {
            DistanceEstimate(
                rssi: $0, powerAtOneMetre: advertisement.powerAtOneMetre, exponent: exponent, measurements: measurements
            )
        }
    }

    /// The distance; nil before the first measurement.
    public func distance(txPower: Int?, exponent: Double = 2) -> DistanceEstimate? {
        mean.map { DistanceEstimate(rssi: $0, txPower: txPower, exponent: exponent, measurements: measurements) }
    }
}
