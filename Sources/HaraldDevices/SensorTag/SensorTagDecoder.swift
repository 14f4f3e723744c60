import BluetoothModel
import BluetoothProfiles

/// Encodes the configuration and decodes the data of a SensorTag without a link, for bytes from a CoreBluetooth
/// delegate or a log. ``SensorTag`` does the same over a link.
///
///     var decoder = SensorTagDecoder(.cc2650)
///     if let sensor = decoder.sensor(sending: uuid) { print(try decoder.reading(of: sensor, bytes)) }
public struct SensorTagDecoder: Sendable {
    /// The model.
    public let model: SensorTag.Model
    /// The calibration of the CC2541's barometer. Required to decode its data.
    public var barometer: BarometerCalibration?
    /// The range of the CC2650's accelerometer: 2, 4, 8 or 16 times standard gravity.
    public var range = 8
    /// The zero offsets, subtracted from each reading.
    private var zero: [SensorTag.Sensor: Axes] = [:]
    private var last: [SensorTag.Sensor: Axes] = [:]

    /// Creates a decoder without calibration.
    public init(_ model: SensorTag.Model) { self.model = model }

    /// Returns the sensor whose data a characteristic holds; nil for another characteristic.
    public func sensor(sending uuid: BluetoothUUID) -> SensorTag.Sensor? {
        model.sensors.first { $0.uuid(of: .data) == uuid }
    }

    /// Returns the value to write to the configuration of a sensor. The keys have no configuration.
    public func configuration(of sensor: SensorTag.Sensor, isOn: Bool) -> any GATTValue {
        switch sensor {
        // The range, and all axes of gyroscope, accelerometer and magnetometer.
        case .movement: RawUInt16(isOn ? rangeBits << 8 | 0x7F : 0)
        // One bit for each axis.
        case .gyroscope: RawUInt8(integerLiteral: isOn ? 7 : 0)
        default: RawUInt8(integerLiteral: isOn ? 1 : 0)
        }
    }

    private var rangeBits: UInt16 { range <= 2 ? 0 : range <= 4 ? 1 : range <= 8 ? 2 : 3 }

    /// Makes the last reading of the gyroscope or the magnetometer its zero.
    /// - Returns: True if the sensor has a zero offset now: it can be calibrated, and there was a reading.
    public mutating func calibrate(_ sensor: SensorTag.Sensor) -> Bool {
        // The movement sensor contains both. Their offsets are stored under their own names.
        let parts: [SensorTag.Sensor]
        switch sensor {
        case .movement: parts = [.gyroscope, .magnetometer]
        case .gyroscope, .magnetometer: parts = [sensor]
        default: return false
        }
        for part in parts { zero[part] = last[part] }
        return parts.allSatisfy { zero[$0] != nil }
    }

    /// Removes all zero offsets.
    public mutating func resetCalibration() { zero = [:] }

    /// Decodes the bytes of a sensor.
    /// - Throws: ``ValueError`` if there are too few or too many bytes, or the barometer of the CC2541 was not
    ///   calibrated.
    public mutating func reading(
        of sensor: SensorTag.Sensor, _ bytes: some Sequence<UInt8>
    ) throws(ValueError) -> SensorTag.Reading {
        SensorTag.Reading(sensor: sensor, fields: try fields(sensor, Array(bytes)))
    }

    private mutating func fields(_ sensor: SensorTag.Sensor, _ bytes: [UInt8]) throws(ValueError) -> [Field] {
        switch sensor {
        case .temperature:
            let raw = try RawUInt16Pair(bytes: bytes)
            let (object, ambient) = model == .cc2541 ? SensorTagFormulas.tmp006(raw) : SensorTagFormulas.tmp007(raw)
            return [
                Field("object", .real(Self.rounded(object)), unit: .celsius),
                Field("ambient", .real(Self.rounded(ambient)), unit: .celsius),
            ]
        case .humidity:
            let raw = try RawUInt16Pair(bytes: bytes)
            let (temperature, humidity) =
                model == .cc2541 ? SensorTagFormulas.sht21(raw) : SensorTagFormulas.hdc1000(raw)
            return [
                Field("humidity", .real(Self.rounded(humidity)), unit: .percent),
                Field("temperature", .real(Self.rounded(temperature)), unit: .celsius),
            ]
        case .barometer:
            let (temperature, pressure): (Double, Double)
            if model == .cc2650 {
                let raw = try RawBarometer(bytes: bytes)
                (temperature, pressure) = (Double(raw.temperature) / 100, Double(raw.pressure) / 100)
            } else {
                guard let calibration = barometer else {
                    throw ValueError(
                        field: "pressure", reason: "the calibration of the barometer is not read; switch it on first")
                }
                let (celsius, pascals) = SensorTagFormulas.t5400(try RawUInt16Pair(bytes: bytes), calibration)
                (temperature, pressure) = (celsius, pascals / 100)
            }
            return [
                Field("pressure", .real(Self.rounded(pressure)), unit: .hectopascals),
                Field("temperature", .real(Self.rounded(temperature)), unit: .celsius),
            ]
        case .light:
            let light = SensorTagFormulas.opt3001(try RawUInt16(bytes: bytes).value)
            return [Field("light", .real(Self.rounded(light)), unit: .lux)]
        case .accelerometer:
            let axes = try RawAxes8(bytes: bytes).axes * SensorTagFormulas.gravitiesPerCount
            return Self.fields(axes, unit: .standardGravity)
        case .gyroscope:
            let axes = try RawAxes16(bytes: bytes).axes * SensorTagFormulas.degreesPerSecondPerCount
            return Self.fields(zeroed(axes, .gyroscope), unit: .degreesPerSecond)
        case .magnetometer:
            let axes = try RawAxes16(bytes: bytes).axes * SensorTagFormulas.microteslasPerCount
            return Self.fields(zeroed(axes, .magnetometer), unit: .microteslas)
        case .movement:
            let raw = try RawMovement(bytes: bytes)
            let turning = zeroed(raw.gyroscope.axes * SensorTagFormulas.degreesPerSecondPerCount, .gyroscope)
            let field = zeroed(raw.magnetometer.axes, .magnetometer)
            return Self.fields(raw.accelerometer.axes * (Double(range) / 32768), unit: .standardGravity, "acceleration")
                + Self.fields(turning, unit: .degreesPerSecond, "rotation")
                + Self.fields(field, unit: .microteslas, "magneticField")
        case .keys:
            let keys = try SensorTagKeys(bytes: bytes)
            let both = [Field("left", .flag(keys.left)), Field("right", .flag(keys.right))]
            return model == .cc2650 ? both + [Field("reed", .flag(keys.reed))] : both
        }
    }

    /// Rounds to seven decimals, which removes the rounding errors of the calculation. They represent the finest binary
    /// step of a register (1/128 °C) exactly and are finer than the resolution of every sensor.
    private static func rounded(_ value: Double) -> Double { (value * 1e7).rounded() / 1e7 }

    private mutating func zeroed(_ axes: Axes, _ sensor: SensorTag.Sensor) -> Axes {
        last[sensor] = axes
        return axes - (zero[sensor] ?? Axes())
    }

    private static func fields(_ axes: Axes, unit: GATTUnit, _ name: String = "") -> [Field] {
        [("x", axes.x), ("y", axes.y), ("z", axes.z)].map { axis, value in
            Field(name.isEmpty ? axis : name + axis.uppercased(), .real(value), unit: unit)
        }
    }
}
