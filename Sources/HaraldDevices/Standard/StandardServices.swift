import BluetoothProfiles
import Harald

/// The Battery Service.
public struct BatteryService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "180F"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The battery level in percent.
    public let level = Attribute(BatteryLevel.self)

    /// Creates the service declaration.
    public init(required: Bool = false) { isRequired = required }
}

/// The Device Information Service: manufacturer, model, revisions and identifiers of the device.
public struct DeviceInformationService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "180A"
    /// True if a matching device must have this service.
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
    /// The regulatory certification data list of IEEE 11073-20601.
    public let certification = Attribute(RegulatoryCertificationData.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = false) { isRequired = required }
}

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

/// The Health Thermometer Service.
public struct HealthThermometerService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1809"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Temperature Measurement characteristic.
    public let measurement = Attribute(TemperatureMeasurement.self)
    /// The temperature while a measurement is in progress.
    public let intermediate = Attribute(IntermediateTemperature.self, required: false)
    /// The part of the body that is measured.
    public let type = Attribute(TemperatureType.self, required: false)
    /// The interval between measurements.
    public let interval = Attribute(MeasurementInterval.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Blood Pressure Service.
public struct BloodPressureService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1810"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Blood Pressure Measurement characteristic.
    public let measurement = Attribute(BloodPressureMeasurement.self)
    /// The cuff pressure while a measurement is in progress.
    public let cuffPressure = Attribute(IntermediateCuffPressure.self, required: false)
    /// The supported features.
    public let feature = Attribute(BloodPressureFeature.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Glucose Service: measurements in drops of blood, which the meter stores as records.
public struct GlucoseService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1808"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Glucose Measurement characteristic.
    public let measurement = Attribute(GlucoseMeasurement.self)
    /// The Glucose Measurement Context characteristic: meals, medication and exercise.
    public let context = Attribute(GlucoseMeasurementContext.self, required: false)
    /// The supported features.
    public let feature = Attribute(GlucoseFeature.self, required: false)
    /// The Record Access Control Point of the stored measurements.
    public let records = Attribute(RecordAccessControlPoint.self)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Continuous Glucose Monitoring Service.
public struct ContinuousGlucoseService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "181F"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The CGM Measurement characteristic.
    public let measurement = Attribute(CGMMeasurement.self)
    /// The supported features.
    public let feature = Attribute(CGMFeature.self, required: false)
    /// The sensor status.
    public let status = Attribute(CGMStatus.self, required: false)
    /// The start time of the session.
    public let startTime = Attribute(CGMSessionStartTime.self, required: false)
    /// The expected run time of the session.
    public let runTime = Attribute(CGMSessionRunTime.self, required: false)
    /// The Record Access Control Point of the stored measurements.
    public let records = Attribute(RecordAccessControlPoint.self, required: false)
    /// The CGM Specific Ops Control Point.
    public let operations = Attribute(CGMSpecificOpsControlPoint.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Weight Scale Service.
public struct WeightScaleService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "181D"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Weight Measurement characteristic.
    public let measurement = Attribute(WeightMeasurement.self)
    /// The supported features.
    public let feature = Attribute(WeightScaleFeature.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Body Composition Service.
public struct BodyCompositionService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "181B"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The Body Composition Measurement characteristic.
    public let measurement = Attribute(BodyCompositionMeasurement.self)
    /// The supported features.
    public let feature = Attribute(BodyCompositionFeature.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = false) { isRequired = required }
}

/// The Pulse Oximeter Service.
public struct PulseOximeterService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1822"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The PLX Spot-Check Measurement characteristic.
    public let spotCheck = Attribute(PLXSpotCheckMeasurement.self, required: false)
    /// The PLX Continuous Measurement characteristic.
    public let continuous = Attribute(PLXContinuousMeasurement.self, required: false)
    /// The supported features.
    public let features = Attribute(PLXFeatures.self, required: false)
    /// The Record Access Control Point of the stored measurements.
    public let records = Attribute(RecordAccessControlPoint.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Current Time Service.
public struct CurrentTimeService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "1805"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The date and time of the device's clock.
    public let currentTime = Attribute(CurrentTime.self)
    /// The time zone and the daylight saving time offset.
    public let localTime = Attribute(LocalTimeInformation.self, required: false)
    /// The source and accuracy of the time.
    public let reference = Attribute(ReferenceTimeInformation.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = false) { isRequired = required }
}

/// The User Data Service.
public struct UserDataService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "181C"
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The User Control Point: registration, consent and deletion of user data.
    public let controlPoint = Attribute(UserControlPoint.self, required: false)
    /// The counter that is incremented with each change of the user's data.
    public let changeIncrement = Attribute(DatabaseChangeIncrement.self, required: false)
    /// The index of the current user.
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
    /// The email address.
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
    /// The maximum heart rate.
    public let highestHeartRate = Attribute(HeartRateMax.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = false) { isRequired = required }
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

/// The Environmental Sensing Service.
public struct EnvironmentalSensingService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "181A"
    /// True if a matching device must have this service.
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
    /// The barometric pressure trend.
    public let pressureTrend = Attribute(BarometricPressureTrend.self, required: false)
    /// The magnetic declination.
    public let magneticDeclination = Attribute(MagneticDeclination.self, required: false)
    /// The magnetic flux density along two axes.
    public let magneticFluxDensity2D = Attribute(MagneticFluxDensity2D.self, required: false)
    /// The magnetic flux density along three axes.
    public let magneticFluxDensity3D = Attribute(MagneticFluxDensity3D.self, required: false)

    /// Creates the service declaration.
    public init(required: Bool = true) { isRequired = required }
}

/// The Nordic UART Service: a serial port over GATT.
public struct NordicUARTService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SerialService.nordicUART.service
    /// The characteristic that the central writes to.
    public let receive = Attribute<SerialBytes>(SerialService.nordicUART.receive)
    /// The characteristic that the device notifies.
    public let transmit = Attribute<SerialBytes>(SerialService.nordicUART.transmit)

    /// Creates the service declaration.
    public init() {}
}

/// The ISSC Transparent UART Service: a serial port over GATT.
public struct TransparentUARTService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SerialService.isscTransparentUART.service
    /// The characteristic that the central writes to.
    public let receive = Attribute<SerialBytes>(SerialService.isscTransparentUART.receive)
    /// The characteristic that the device notifies.
    public let transmit = Attribute<SerialBytes>(SerialService.isscTransparentUART.transmit)

    /// Creates the service declaration.
    public init() {}
}
