import BluetoothProfiles
import Harald

/// The Heart Rate Service.
public struct HeartRateService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "180D"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Heart Rate Measurement characteristic.
    public let measurement = Attribute(HeartRateMeasurement.self)
    /// The position of the sensor on the body.
    public let location = Attribute(BodySensorLocation.self, required: false)
    /// The control point, which resets the expended energy.
    public let controlPoint = Attribute(HeartRateControlPoint.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Cycling Speed and Cadence Service.
public struct CyclingSpeedAndCadenceService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1816"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The CSC Measurement characteristic.
    public let measurement = Attribute(CSCMeasurement.self)
    /// The supported features.
    public let feature = Attribute(CSCFeature.self, required: false)
    /// The position of the sensor on the bicycle.
    public let location = Attribute(SensorLocation.self, required: false)
    /// The SC Control Point.
    public let controlPoint = Attribute(SpeedAndCadenceControlPoint.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Running Speed and Cadence Service.
public struct RunningSpeedAndCadenceService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1814"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The RSC Measurement characteristic.
    public let measurement = Attribute(RSCMeasurement.self)
    /// The supported features.
    public let feature = Attribute(RSCFeature.self, required: false)
    /// The position of the sensor on the body.
    public let location = Attribute(SensorLocation.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}
