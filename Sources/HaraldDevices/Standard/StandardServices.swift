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
