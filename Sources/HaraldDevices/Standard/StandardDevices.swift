import BluetoothProfiles
import Harald

/// A heart rate monitor, such as a chest strap or a watch.
public struct HeartRateStrap: DeviceDeclaration {
    /// The heart rate.
    public let heartRate = HeartRateService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A health thermometer.
public struct ThermometerDevice: DeviceDeclaration {
    /// The thermometer.
    public let thermometer = HealthThermometerService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A blood pressure monitor.
public struct BloodPressureMonitor: DeviceDeclaration {
    /// The blood pressure.
    public let bloodPressure = BloodPressureService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A blood glucose meter, which stores its measurements as records.
public struct GlucoseMeter: DeviceDeclaration {
    /// The glucose.
    public let glucose = GlucoseService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A continuous glucose monitor, which is worn on the body.
public struct ContinuousGlucoseMonitor: DeviceDeclaration {
    /// The glucose.
    public let glucose = ContinuousGlucoseService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A weight scale, optionally with body composition and user data.
public struct HealthScale: DeviceDeclaration {
    /// The weight scale.
    public let weightScale = WeightScaleService()
    /// The body composition.
    public let bodyComposition = BodyCompositionService()
    /// The user data.
    public let userData = UserDataService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A pulse oximeter.
public struct PulseOximeter: DeviceDeclaration {
    /// The oximeter.
    public let oximeter = PulseOximeterService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A cycling speed and cadence sensor.
public struct CyclingSensor: DeviceDeclaration {
    /// The speed and cadence.
    public let cycling = CyclingSpeedAndCadenceService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// A running speed and cadence sensor.
public struct RunningSensor: DeviceDeclaration {
    /// The running speed and cadence.
    public let running = RunningSpeedAndCadenceService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}

/// An environmental sensor.
public struct RoomSensor: DeviceDeclaration {
    /// The environmental sensors.
    public let environment = EnvironmentalSensingService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()

    /// Creates the declaration.
    public init() {}
}
