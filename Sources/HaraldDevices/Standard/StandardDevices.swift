import BluetoothProfiles
import Harald

/// A strap or a watch that tells heart rates.
public struct HeartRateStrap: DeviceDeclaration {
    /// The heart rate.
    public let heartRate = HeartRateService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A thermometer for the body.
public struct ThermometerDevice: DeviceDeclaration {
    /// The thermometer.
    public let thermometer = HealthThermometerService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
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
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A meter of glucose in a drop of blood, which keeps its measurements.
public struct GlucoseMeter: DeviceDeclaration {
    /// The glucose.
    public let glucose = GlucoseService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of glucose that stays on the body.
public struct ContinuousGlucoseMonitor: DeviceDeclaration {
    /// The glucose.
    public let glucose = ContinuousGlucoseService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A scale, perhaps one that knows what bodies are made of.
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
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
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
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of wheel and crank.
public struct CyclingSensor: DeviceDeclaration {
    /// The cycling.
    public let cycling = CyclingSpeedAndCadenceService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of steps.
public struct RunningSensor: DeviceDeclaration {
    /// The running.
    public let running = RunningSpeedAndCadenceService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of the air in a room.
public struct RoomSensor: DeviceDeclaration {
    /// The environment.
    public let environment = EnvironmentalSensingService()
    /// The clock.
    public let currentTime = CurrentTimeService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}
