import BluetoothProfiles
import Harald

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
