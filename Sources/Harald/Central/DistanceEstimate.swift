import BluetoothModel
import BluetoothProfiles
import Foundation

/// An estimate of the distance of a device from its RSSI, with the range that contains the distance about two times out
/// of three.
///
/// The model is log-distance path loss: the loss grows by ``exponent`` times 10 dB with every tenfold distance,
/// starting from the loss over the first metre. Bodies, walls and antennas add several decibels either way:
/// ``deviation``, from which the range is computed.
public struct DistanceEstimate: Hashable, Sendable, CustomStringConvertible {
    /// The estimated distance, in metres.
    public let metres: Double
    /// The likely distances, from the shortest to the longest, in metres.
    public let range: ClosedRange<Double>
    /// The path loss exponent: 2 in the open, 3 or more behind walls.
    public let exponent: Double
    /// The standard deviation of the RSSI, in decibels.
    public let deviation: Double

    /// The loss over the first metre, in decibels, with small antennas on a body or a desk.
    public static let lossOverFirstMetre = 50.0

    /// Creates an estimate from the transmit power that the device advertises.
    /// - Parameters:
    ///   - rssi: the RSSI in dBm, smoothed or not.
    ///   - txPower: the advertised transmit power in dBm; nil counts as 0.
    ///   - exponent: the path loss exponent; 2 in free space.
    ///   - deviation: the standard deviation of one measurement, in decibels.
    ///   - measurements: the number of measurements that `rssi` is the mean of; their noise shrinks with the square
    ///     root.
    public init(
        rssi: Double, txPower: Int?, exponent: Double = 2, deviation: Double = 6, measurements: Double = 1
    ) {
        self.init(
            rssi: rssi, powerAtOneMetre: Double(txPower ?? 0) - Self.lossOverFirstMetre, exponent: exponent,
            deviation: deviation, measurements: measurements)
    }

    /// Creates an estimate from the RSSI at one metre, in dBm, as beacons advertise it and
    /// ``AdvertisingData/powerAtOneMetre`` derives it for any device.
    public init(
        rssi: Double, powerAtOneMetre: Double, exponent: Double = 2, deviation: Double = 6, measurements: Double = 1
    ) {
        func distance(_ rssi: Double) -> Double { pow(10, (powerAtOneMetre - rssi) / (10 * exponent)) }
        // Half of the deviation remains however long one measures: walls and bodies do not average out.
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
    /// The expected RSSI at one metre, in dBm: the calibrated power of a beacon, else the advertised transmit power, or
    /// 0 dBm without one, less ``DistanceEstimate/lossOverFirstMetre``.
    public var powerAtOneMetre: Double {
        calibratedPower.map { Double($0) } ?? Double(txPower ?? 0) - DistanceEstimate.lossOverFirstMetre
    }
}

/// Smooths the RSSI with an exponential moving average: each measurement moves the mean by ``weight`` times its
/// difference.
public struct RSSISmoother: Hashable, Sendable {
    /// The weight of a measurement, above 0 and up to 1.
    public let weight: Double
    /// The mean in dBm; nil before the first measurement.
    public private(set) var mean: Double?
    private var count = 0

    /// Creates a smoother; with the default of 1/8 about the last 15 measurements count.
    public init(weight: Double = 0.125) { self.weight = min(max(weight, 0.001), 1) }

    /// Adds a measurement in dBm.
    public mutating func add(_ rssi: Int) {
        count += 1
        // The first measurements are averaged evenly: a single one is unreliable.
        let share = max(weight, 1 / Double(count))
        mean = mean.map { $0 + (Double(rssi) - $0) * share } ?? Double(rssi)
    }

    /// The number of independent measurements that the mean is equivalent to.
    public var measurements: Double { min(Double(count), (2 - weight) / weight) }

    /// Returns the distance of a device with this advertising data; nil before the first measurement.
    public func distance(of advertisement: AdvertisingData, exponent: Double = 2) -> DistanceEstimate? {
        mean.map {
            DistanceEstimate(
                rssi: $0, powerAtOneMetre: advertisement.powerAtOneMetre, exponent: exponent, measurements: measurements
            )
        }
    }

    /// Returns the distance; nil before the first measurement.
    public func distance(txPower: Int?, exponent: Double = 2) -> DistanceEstimate? {
        mean.map { DistanceEstimate(rssi: $0, txPower: txPower, exponent: exponent, measurements: measurements) }
    }
}
