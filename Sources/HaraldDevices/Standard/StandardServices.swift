import BluetoothProfiles
import Harald

/// How full the battery is.
public struct BatteryService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "180F"
    public let isRequired: Bool
    public let level = Attribute(BatteryLevel.self)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Who made the device, and which it is.
public struct DeviceInformationService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "180A"
    public let isRequired: Bool
    public let manufacturerName = Attribute(ManufacturerName.self, required: false)
    public let modelNumber = Attribute(ModelNumber.self, required: false)
    public let serialNumber = Attribute(SerialNumber.self, required: false)
    public let hardwareRevision = Attribute(HardwareRevision.self, required: false)
    public let firmwareRevision = Attribute(FirmwareRevision.self, required: false)
    public let softwareRevision = Attribute(SoftwareRevision.self, required: false)
    public let systemID = Attribute(SystemID.self, required: false)
    public let pnpID = Attribute(PnPID.self, required: false)
    public let certification = Attribute(RegulatoryCertificationData.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Heart rates.
public struct HeartRateService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "180D"
    public let isRequired: Bool
    public let measurement = Attribute(HeartRateMeasurement.self)
    public let location = Attribute(BodySensorLocation.self, required: false)
    public let controlPoint = Attribute(HeartRateControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Body temperatures.
public struct HealthThermometerService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1809"
    public let isRequired: Bool
    public let measurement = Attribute(TemperatureMeasurement.self)
    public let intermediate = Attribute(IntermediateTemperature.self, required: false)
    public let type = Attribute(TemperatureType.self, required: false)
    public let interval = Attribute(MeasurementInterval.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Blood pressures.
public struct BloodPressureService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1810"
    public let isRequired: Bool
    public let measurement = Attribute(BloodPressureMeasurement.self)
    public let cuffPressure = Attribute(IntermediateCuffPressure.self, required: false)
    public let feature = Attribute(BloodPressureFeature.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Glucose in the blood.
public struct GlucoseService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1808"
    public let isRequired: Bool
    public let measurement = Attribute(GlucoseMeasurement.self)
    public let context = Attribute(GlucoseMeasurementContext.self, required: false)
    public let feature = Attribute(GlucoseFeature.self, required: false)
    public let records = Attribute(RecordAccessControlPoint.self)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Glucose all the time.
public struct ContinuousGlucoseService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "181F"
    public let isRequired: Bool
    public let measurement = Attribute(CGMMeasurement.self)
    public let feature = Attribute(CGMFeature.self, required: false)
    public let status = Attribute(CGMStatus.self, required: false)
    public let startTime = Attribute(CGMSessionStartTime.self, required: false)
    public let runTime = Attribute(CGMSessionRunTime.self, required: false)
    public let records = Attribute(RecordAccessControlPoint.self, required: false)
    public let operations = Attribute(CGMSpecificOpsControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Weights.
public struct WeightScaleService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "181D"
    public let isRequired: Bool
    public let measurement = Attribute(WeightMeasurement.self)
    public let feature = Attribute(WeightScaleFeature.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// What bodies are made of.
public struct BodyCompositionService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "181B"
    public let isRequired: Bool
    public let measurement = Attribute(BodyCompositionMeasurement.self)
    public let feature = Attribute(BodyCompositionFeature.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Oxygen in the blood.
public struct PulseOximeterService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1822"
    public let isRequired: Bool
    public let spotCheck = Attribute(PLXSpotCheckMeasurement.self, required: false)
    public let continuous = Attribute(PLXContinuousMeasurement.self, required: false)
    public let features = Attribute(PLXFeatures.self, required: false)
    public let records = Attribute(RecordAccessControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// A clock.
public struct CurrentTimeService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1805"
    public let isRequired: Bool
    public let currentTime = Attribute(CurrentTime.self)
    public let localTime = Attribute(LocalTimeInformation.self, required: false)
    public let reference = Attribute(ReferenceTimeInformation.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Users and what is known of them.
public struct UserDataService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "181C"
    public let isRequired: Bool
    public let controlPoint = Attribute(UserControlPoint.self, required: false)
    public let changeIncrement = Attribute(DatabaseChangeIncrement.self, required: false)
    public let userIndex = Attribute(UserIndex.self, required: false)
    public let firstName = Attribute(FirstName.self, required: false)
    public let age = Attribute(Age.self, required: false)
    public let gender = Attribute(Gender.self, required: false)
    public let height = Attribute(UserHeight.self, required: false)
    public let weight = Attribute(UserWeight.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Wheels and cranks.
public struct CyclingSpeedAndCadenceService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1816"
    public let isRequired: Bool
    public let measurement = Attribute(CSCMeasurement.self)
    public let feature = Attribute(CSCFeature.self, required: false)
    public let location = Attribute(SensorLocation.self, required: false)
    public let controlPoint = Attribute(SpeedAndCadenceControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Steps.
public struct RunningSpeedAndCadenceService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "1814"
    public let isRequired: Bool
    public let measurement = Attribute(RSCMeasurement.self)
    public let feature = Attribute(RSCFeature.self, required: false)
    public let location = Attribute(SensorLocation.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// The air around.
public struct EnvironmentalSensingService: ServiceDeclaration {
    public let uuid: BluetoothUUID = "181A"
    public let isRequired: Bool
    public let temperature = Attribute(Temperature.self, required: false)
    public let humidity = Attribute(Humidity.self, required: false)
    public let pressure = Attribute(Pressure.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Bytes both ways, as a serial line carries them: the UART service of Nordic Semiconductor.
public struct NordicUARTService: ServiceDeclaration {
    public let uuid = SerialService.nordicUART.service
    /// Written by the central.
    public let receive = Attribute<SerialBytes>(SerialService.nordicUART.receive)
    /// Sent by the device.
    public let transmit = Attribute<SerialBytes>(SerialService.nordicUART.transmit)

    /// The service.
    public init() {}
}

/// Bytes both ways, as a serial line carries them: the transparent UART of ISSC.
public struct TransparentUARTService: ServiceDeclaration {
    public let uuid = SerialService.isscTransparentUART.service
    /// Written by the central.
    public let receive = Attribute<SerialBytes>(SerialService.isscTransparentUART.receive)
    /// Sent by the device.
    public let transmit = Attribute<SerialBytes>(SerialService.isscTransparentUART.transmit)

    /// The service.
    public init() {}
}
