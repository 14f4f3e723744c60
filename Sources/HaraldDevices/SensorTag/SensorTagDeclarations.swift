import BluetoothProfiles
import Harald

/// What both SensorTags build their UUIDs on.
public enum SensorTagUUID {
    /// The base; the offset stands in F000XXXX.
    public static let base: BaseUUID = "F0000000-0451-4000-B000-000000000000"
}

/// A sensor of a SensorTag: its data, what turns it on and off, and how often it measures.
public struct SensorTagService<Data: GATTValue>: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID
    /// Whether a device without it is none of its kind.
    public let isRequired: Bool
    /// What it measures.
    public let data: Attribute<Data>
    /// What it is set to.
    public let configuration: Attribute<RawOctet>
    /// How often it measures.
    public let period: Attribute<SensorPeriod>
    private let on: UInt8

    /// A sensor by its offset: data, configuration and period are at one, two and three more.
    public init(_ offset: UInt16, on: UInt8 = 1, periodAt: UInt16 = 3, required: Bool = true) {
        uuid = SensorTagUUID.base[offset]
        data = Attribute(SensorTagUUID.base[offset + 1])
        configuration = Attribute(SensorTagUUID.base[offset + 2])
        // The first firmware of the CC2541 has it for the accelerometer only.
        period = Attribute(SensorTagUUID.base[offset + periodAt], required: false)
        self.on = on
        isRequired = required
    }

    /// What is written to turn it on.
    public var turningOn: [Setting] { [configuration.set(RawOctet(integerLiteral: on))] }
    /// What is written so that it rests.
    public var turningOff: [Setting] { [configuration.set(0)] }
}

/// The barometer of the CC2541, which is calibrated before it measures.
public struct CalibratedBarometerService: ServiceDeclaration {
    /// What it is.
    public let uuid = SensorTagUUID.base[0xAA40]
    /// Temperature, then pressure.
    public let data = Attribute<RawPair>(SensorTagUUID.base[0xAA41])
    /// 1 measures, 2 calibrates.
    public let configuration = Attribute<RawOctet>(SensorTagUUID.base[0xAA42])
    /// What the factory measured; there after calibrating.
    public let calibration = Attribute<BarometerCalibration>(SensorTagUUID.base[0xAA43])
    /// How often it measures.
    public let period = Attribute<SensorPeriod>(SensorTagUUID.base[0xAA44], required: false)
    /// The service.
    public init() {}
    /// What is written to turn it on.
    public var turningOn: [Setting] { [configuration.set(1)] }
    /// What is written so that it rests.
    public var turningOff: [Setting] { [configuration.set(0)] }
}

/// The movement sensor of the CC2650: gyroscope, accelerometer and magnetometer in one.
public struct MovementService: ServiceDeclaration {
    /// What it is.
    public let uuid = SensorTagUUID.base[0xAA80]
    /// All nine numbers.
    public let data = Attribute<RawMovement>(SensorTagUUID.base[0xAA81])
    /// Which axes measure (bits 0 to 6), whether a movement wakes it (7), and the accelerometer's range (8 and 9).
    public let configuration = Attribute<RawWord>(SensorTagUUID.base[0xAA82])
    /// How often it measures.
    public let period = Attribute<SensorPeriod>(SensorTagUUID.base[0xAA83], required: false)
    /// The service.
    public init() {}
    /// What is written to turn it on.
    public var turningOn: [Setting] { [configuration.set(RawWord(0x027F))] }
    /// What is written so that it rests.
    public var turningOff: [Setting] { [configuration.set(RawWord(0))] }
}

/// The keys of a SensorTag.
public struct SensorTagKeyService: ServiceDeclaration {
    /// What it is.
    public let uuid: BluetoothUUID = "FFE0"
    /// Which are pressed.
    public let data = Attribute(SensorTagKeys.self)
    /// The service.
    public init() {}
}

/// Buzzer and lights of the CC2650.
public struct SensorTagIOService: ServiceDeclaration {
    /// What it is.
    public let uuid = SensorTagUUID.base[0xAA64]
    /// Whether a device without it is none of its kind.
    public let isRequired = false
    /// Lights and buzzer as bits: red 0, green 1, buzzer 2.
    public let data = Attribute<RawOctet>(SensorTagUUID.base[0xAA65])
    /// 0 by itself, 1 as `data` says, 2 to test.
    public let configuration = Attribute<RawOctet>(SensorTagUUID.base[0xAA66])
    /// The service.
    public init() {}
}

/// The first SensorTag of Texas Instruments.
public struct SensorTagCC2541: DeviceDeclaration {
    /// The temperature.
    public let temperature = SensorTagService<RawPair>(0xAA00)
    /// The accelerometer.
    public let accelerometer = SensorTagService<RawAxes8>(0xAA10)
    /// The humidity.
    public let humidity = SensorTagService<RawPair>(0xAA20)
    /// The magnetometer.
    public let magnetometer = SensorTagService<RawAxes16>(0xAA30)
    /// The barometer.
    public let barometer = CalibratedBarometerService()
    /// The gyroscope.
    public let gyroscope = SensorTagService<RawAxes16>(0xAA50, on: 7)
    /// The keys.
    public let keys = SensorTagKeyService()
    /// Maker and model.
    public let information = DeviceInformationService()
    /// The declaration.
    public init() {}
    /// Its names.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        SensorTag.model(named: name) == .cc2541
    }
}

/// The second SensorTag of Texas Instruments.
public struct SensorTagCC2650: DeviceDeclaration {
    /// The temperature.
    public let temperature = SensorTagService<RawPair>(0xAA00)
    /// The humidity.
    public let humidity = SensorTagService<RawPair>(0xAA20)
    /// The barometer.
    public let barometer = SensorTagService<RawBarometer>(0xAA40, periodAt: 4)
    /// The light.
    public let light = SensorTagService<RawWord>(0xAA70)
    /// The movement.
    public let movement = MovementService()
    /// The keys.
    public let keys = SensorTagKeyService()
    /// Lights and buzzer.
    public let io = SensorTagIOService()
    /// The battery.
    public let battery = BatteryService()
    /// Maker and model.
    public let information = DeviceInformationService()
    /// The declaration.
    public init() {}
    /// Its names.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        SensorTag.model(named: name) == .cc2650
    }
}
