import BluetoothProfiles
import Harald

/// A strap or a watch that tells heart rates.
public struct HeartRateStrap: DeviceDeclaration {
    public let heartRate = HeartRateService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A thermometer for the body.
public struct ThermometerDevice: DeviceDeclaration {
    public let thermometer = HealthThermometerService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A blood pressure monitor.
public struct BloodPressureMonitor: DeviceDeclaration {
    public let bloodPressure = BloodPressureService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A meter of glucose in a drop of blood, which keeps its measurements.
public struct GlucoseMeter: DeviceDeclaration {
    public let glucose = GlucoseService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of glucose that stays on the body.
public struct ContinuousGlucoseMonitor: DeviceDeclaration {
    public let glucose = ContinuousGlucoseService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A scale, perhaps one that knows what bodies are made of.
public struct HealthScale: DeviceDeclaration {
    public let weightScale = WeightScaleService()
    public let bodyComposition = BodyCompositionService()
    public let userData = UserDataService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A pulse oximeter.
public struct PulseOximeter: DeviceDeclaration {
    public let oximeter = PulseOximeterService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of wheel and crank.
public struct CyclingSensor: DeviceDeclaration {
    public let cycling = CyclingSpeedAndCadenceService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of steps.
public struct RunningSensor: DeviceDeclaration {
    public let running = RunningSpeedAndCadenceService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}

/// A sensor of the air in a room.
public struct RoomSensor: DeviceDeclaration {
    public let environment = EnvironmentalSensingService()
    public let currentTime = CurrentTimeService()
    public let battery = BatteryService()
    public let information = DeviceInformationService()

    /// The declaration.
    public init() {}
}
