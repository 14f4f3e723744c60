import BluetoothProfiles
import Harald

/// How full the battery is.
public struct BatteryService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "180F"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// The level.
    public let level = Attribute(BatteryLevel.self)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Who made the device, and which it is.
public struct DeviceInformationService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "180A"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// The manufacturer name.
    public let manufacturerName = Attribute(ManufacturerName.self, required: false)
    /// The model number.
    public let modelNumber = Attribute(ModelNumber.self, required: false)
    /// The serial number.
    public let serialNumber = Attribute(SerialNumber.self, required: false)
    /// The hardware revision.
    public let hardwareRevision = Attribute(HardwareRevision.self, required: false)
    /// The firmware revision.
    public let firmwareRevision = Attribute(FirmwareRevision.self, required: false)
    /// The software revision.
    public let softwareRevision = Attribute(SoftwareRevision.self, required: false)
    /// The system ID.
    public let systemID = Attribute(SystemID.self, required: false)
    /// The PnP ID.
    public let pnpID = Attribute(PnPID.self, required: false)
    /// The certification.
    public let certification = Attribute(RegulatoryCertificationData.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Heart rates.
public struct HeartRateService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "180D"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(HeartRateMeasurement.self)
    /// Where it is.
    public let location = Attribute(BodySensorLocation.self, required: false)
    /// What it is told.
    public let controlPoint = Attribute(HeartRateControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Body temperatures.
public struct HealthThermometerService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1809"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(TemperatureMeasurement.self)
    /// The intermediate.
    public let intermediate = Attribute(IntermediateTemperature.self, required: false)
    /// The type.
    public let type = Attribute(TemperatureType.self, required: false)
    /// The interval.
    public let interval = Attribute(MeasurementInterval.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Blood pressures.
public struct BloodPressureService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1810"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(BloodPressureMeasurement.self)
    /// The cuff pressure.
    public let cuffPressure = Attribute(IntermediateCuffPressure.self, required: false)
    /// What it can do.
    public let feature = Attribute(BloodPressureFeature.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Glucose in the blood.
public struct GlucoseService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1808"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(GlucoseMeasurement.self)
    /// The context.
    public let context = Attribute(GlucoseMeasurementContext.self, required: false)
    /// What it can do.
    public let feature = Attribute(GlucoseFeature.self, required: false)
    /// The records that it keeps.
    public let records = Attribute(RecordAccessControlPoint.self)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Glucose all the time.
public struct ContinuousGlucoseService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "181F"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(CGMMeasurement.self)
    /// What it can do.
    public let feature = Attribute(CGMFeature.self, required: false)
    /// The status.
    public let status = Attribute(CGMStatus.self, required: false)
    /// The start time.
    public let startTime = Attribute(CGMSessionStartTime.self, required: false)
    /// The run time.
    public let runTime = Attribute(CGMSessionRunTime.self, required: false)
    /// The records that it keeps.
    public let records = Attribute(RecordAccessControlPoint.self, required: false)
    /// The operations.
    public let operations = Attribute(CGMSpecificOpsControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Weights.
public struct WeightScaleService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "181D"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(WeightMeasurement.self)
    /// What it can do.
    public let feature = Attribute(WeightScaleFeature.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// What bodies are made of.
public struct BodyCompositionService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "181B"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(BodyCompositionMeasurement.self)
    /// What it can do.
    public let feature = Attribute(BodyCompositionFeature.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Oxygen in the blood.
public struct PulseOximeterService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1822"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// The spot check.
    public let spotCheck = Attribute(PLXSpotCheckMeasurement.self, required: false)
    /// The continuous.
    public let continuous = Attribute(PLXContinuousMeasurement.self, required: false)
    /// What it can do.
    public let features = Attribute(PLXFeatures.self, required: false)
    /// The records that it keeps.
    public let records = Attribute(RecordAccessControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// A clock.
public struct CurrentTimeService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1805"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// The clock.
    public let currentTime = Attribute(CurrentTime.self)
    /// The local time.
    public let localTime = Attribute(LocalTimeInformation.self, required: false)
    /// The reference.
    public let reference = Attribute(ReferenceTimeInformation.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Users and what is known of them.
public struct UserDataService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "181C"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it is told.
    public let controlPoint = Attribute(UserControlPoint.self, required: false)
    /// The change increment.
    public let changeIncrement = Attribute(DatabaseChangeIncrement.self, required: false)
    /// The user index.
    public let userIndex = Attribute(UserIndex.self, required: false)
    /// The first name.
    public let firstName = Attribute(FirstName.self, required: false)
    /// The age.
    public let age = Attribute(Age.self, required: false)
    /// The gender.
    public let gender = Attribute(Gender.self, required: false)
    /// The height.
    public let height = Attribute(UserHeight.self, required: false)
    /// The weight.
    public let weight = Attribute(UserWeight.self, required: false)
    /// The last name.
    public let lastName = Attribute(LastName.self, required: false)
    /// The address for mail.
    public let emailAddress = Attribute(EmailAddress.self, required: false)
    /// The language.
    public let language = Attribute(UserLanguage.self, required: false)
    /// The date of birth.
    public let dateOfBirth = Attribute(DateOfBirth.self, required: false)
    /// The waist circumference.
    public let waistCircumference = Attribute(WaistCircumference.self, required: false)
    /// The hip circumference.
    public let hipCircumference = Attribute(HipCircumference.self, required: false)
    /// The resting heart rate.
    public let restingHeartRate = Attribute(RestingHeartRate.self, required: false)
    /// The highest heart rate.
    public let highestHeartRate = Attribute(HeartRateMax.self, required: false)

    /// The service.
    public init(required: Bool = false) { isRequired = required }
}

/// Wheels and cranks.
public struct CyclingSpeedAndCadenceService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1816"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(CSCMeasurement.self)
    /// What it can do.
    public let feature = Attribute(CSCFeature.self, required: false)
    /// Where it is.
    public let location = Attribute(SensorLocation.self, required: false)
    /// What it is told.
    public let controlPoint = Attribute(SpeedAndCadenceControlPoint.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Steps.
public struct RunningSpeedAndCadenceService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "1814"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let measurement = Attribute(RSCMeasurement.self)
    /// What it can do.
    public let feature = Attribute(RSCFeature.self, required: false)
    /// Where it is.
    public let location = Attribute(SensorLocation.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// The air around.
public struct EnvironmentalSensingService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "181A"
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// The temperature.
    public let temperature = Attribute(Temperature.self, required: false)
    /// The humidity.
    public let humidity = Attribute(Humidity.self, required: false)
    /// The pressure.
    public let pressure = Attribute(Pressure.self, required: false)
    /// The elevation.
    public let elevation = Attribute(Elevation.self, required: false)
    /// The dew point.
    public let dewPoint = Attribute(DewPoint.self, required: false)
    /// The heat index.
    public let heatIndex = Attribute(HeatIndex.self, required: false)
    /// The wind chill.
    public let windChill = Attribute(WindChill.self, required: false)
    /// The true wind speed.
    public let trueWindSpeed = Attribute(TrueWindSpeed.self, required: false)
    /// The true wind direction.
    public let trueWindDirection = Attribute(TrueWindDirection.self, required: false)
    /// The apparent wind speed.
    public let apparentWindSpeed = Attribute(ApparentWindSpeed.self, required: false)
    /// The apparent wind direction.
    public let apparentWindDirection = Attribute(ApparentWindDirection.self, required: false)
    /// The gust factor.
    public let gustFactor = Attribute(GustFactor.self, required: false)
    /// The pollen concentration.
    public let pollenConcentration = Attribute(PollenConcentration.self, required: false)
    /// The rainfall.
    public let rainfall = Attribute(Rainfall.self, required: false)
    /// The irradiance.
    public let irradiance = Attribute(Irradiance.self, required: false)
    /// The UV index.
    public let uvIndex = Attribute(UVIndex.self, required: false)
    /// The trend of the pressure.
    public let pressureTrend = Attribute(BarometricPressureTrend.self, required: false)
    /// The magnetic declination.
    public let magneticDeclination = Attribute(MagneticDeclination.self, required: false)
    /// The magnetic flux density along two axes.
    public let magneticFluxDensity2D = Attribute(MagneticFluxDensity2D.self, required: false)
    /// The magnetic flux density along three axes.
    public let magneticFluxDensity3D = Attribute(MagneticFluxDensity3D.self, required: false)

    /// The service.
    public init(required: Bool = true) { isRequired = required }
}

/// Bytes both ways, as a serial line carries them: the UART service of Nordic Semiconductor.
public struct NordicUARTService: ServiceDeclaration {
    /// What it is.
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
    /// What it is.
    public let uuid = SerialService.isscTransparentUART.service
    /// Written by the central.
    public let receive = Attribute<SerialBytes>(SerialService.isscTransparentUART.receive)
    /// Sent by the device.
    public let transmit = Attribute<SerialBytes>(SerialService.isscTransparentUART.transmit)

    /// The service.
    public init() {}
}
