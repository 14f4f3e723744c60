import BluetoothModel

extension SensorTag.Model {
    /// The sensors of the model.
    public var sensors: [SensorTag.Sensor] {
        switch self {
        case .cc2541: [.temperature, .humidity, .barometer, .accelerometer, .gyroscope, .magnetometer, .keys]
        case .cc2650: [.temperature, .humidity, .barometer, .light, .movement, .keys]
        }
    }
}

extension SensorTag.Sensor {
    /// The characteristics of a sensor.
    public enum Part: Hashable, Sendable, CaseIterable {
        /// The measured value.
        case data
        /// The configuration, which turns the sensor on and off.
        case configuration
        /// The measurement period.
        case period
    }

    /// The UUID of the sensor's service.
    public var service: BluetoothUUID { self == .keys ? "FFE0" : SensorTagUUID.base[offset] }

    /// Returns the UUID of a characteristic. Nil for configuration and period of the keys, which are always on.
    public func uuid(of part: Part) -> BluetoothUUID? {
        switch part {
        case .data: self == .keys ? SensorTagKeys.uuid : SensorTagUUID.base[offset + 1]
        case .configuration: self == .keys ? nil : SensorTagUUID.base[offset + 2]
        // The barometer of the CC2541 has its calibration in between. The CC2650 keeps that layout.
        case .period: self == .keys ? nil : SensorTagUUID.base[offset + (self == .barometer ? 4 : 3)]
        }
    }

    private var offset: UInt16 {
        switch self {
        case .temperature: 0xAA00
        case .accelerometer: 0xAA10
        case .humidity: 0xAA20
        case .magnetometer: 0xAA30
        case .barometer: 0xAA40
        case .gyroscope: 0xAA50
        case .light: 0xAA70
        case .movement: 0xAA80
        case .keys: 0xFFE0
        }
    }
}
