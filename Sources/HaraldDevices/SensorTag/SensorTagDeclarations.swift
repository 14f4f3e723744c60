import BluetoothProfiles
import Harald

/// The UUIDs that both models share.
public enum SensorTagUUID {
    /// The base UUID. The offset replaces XXXX of F000XXXX.
    public static let base: BaseUUID = "F0000000-0451-4000-B000-000000000000"
}

/// A sensor of a SensorTag: data, configuration and period.
public struct SensorTagService<Data: GATTValue>: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID
    /// True if a matching device must have this service.
    public let isRequired: Bool
    /// The measured value.
    public let data: Attribute<Data>
    /// The configuration, which turns the sensor on and off.
    public let configuration: Attribute<RawUInt8>
    /// The measurement period.
    public let period: Attribute<SensorPeriod>
    private let on: UInt8

    /// Creates a sensor from the offset of its service. By default, data, configuration and period are at the next
    /// three offsets.
    /// - Parameters:
    ///   - offset: the offset of the service UUID.
    ///   - on: the configuration that turns the sensor on.
    ///   - periodAt: the distance of the period from `offset`.
    ///   - required: true if a matching device must have this service.
    public init(_ offset: UInt16, on: UInt8 = 1, periodAt: UInt16 = 3, required: Bool = true) {
        uuid = SensorTagUUID.base[offset]
        data = Attribute(SensorTagUUID.base[offset + 1])
        configuration = Attribute(SensorTagUUID.base[offset + 2])
        // The first firmware of the CC2541 has a period for the accelerometer only.
        period = Attribute(SensorTagUUID.base[offset + periodAt], required: false)
        self.on = on
        isRequired = required
    }

    /// The write that turns the sensor on.
    public var turningOn: [CharacteristicWrite] { [configuration.set(RawUInt8(integerLiteral: on))] }
    /// The write that turns the sensor off.
    public var turningOff: [CharacteristicWrite] { [configuration.set(0)] }
}

/// The barometer of the CC2541, which must be calibrated before it measures.
public struct CalibratedBarometerService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SensorTagUUID.base[0xAA40]
    /// The raw temperature, then the raw pressure.
    public let data = Attribute<RawUInt16Pair>(SensorTagUUID.base[0xAA41])
    /// 0 turns the sensor off, 1 on; 2 makes it provide its calibration.
    public let configuration = Attribute<RawUInt8>(SensorTagUUID.base[0xAA42])
    /// The factory calibration. Available after 2 was written to `configuration`.
    public let calibration = Attribute<BarometerCalibration>(SensorTagUUID.base[0xAA43])
    /// The measurement period.
    public let period = Attribute<SensorPeriod>(SensorTagUUID.base[0xAA44], required: false)
    /// Creates the service declaration.
    public init() {}
    /// The write that turns the sensor on.
    public var turningOn: [CharacteristicWrite] { [configuration.set(1)] }
    /// The write that turns the sensor off.
    public var turningOff: [CharacteristicWrite] { [configuration.set(0)] }
}

/// The movement sensor of the CC2650: gyroscope, accelerometer and magnetometer.
public struct MovementService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SensorTagUUID.base[0xAA80]
    /// The raw values of all nine axes.
    public let data = Attribute<RawMovement>(SensorTagUUID.base[0xAA81])
    /// Bits 0 to 6 enable the axes, bit 7 enables wake on motion, bits 8 and 9 are the range of the accelerometer.
    public let configuration = Attribute<RawUInt16>(SensorTagUUID.base[0xAA82])
    /// The measurement period.
    public let period = Attribute<SensorPeriod>(SensorTagUUID.base[0xAA83], required: false)
    /// Creates the service declaration.
    public init() {}
    /// The write that turns all axes on, with wake on motion off and a range of 8 g.
    public var turningOn: [CharacteristicWrite] { [configuration.set(RawUInt16(0x027F))] }
    /// The write that turns all axes off.
    public var turningOff: [CharacteristicWrite] { [configuration.set(RawUInt16(0))] }
}

/// The keys of a SensorTag.
public struct SensorTagKeyService: ServiceDeclaration {
    /// The service UUID.
    public let uuid: BluetoothUUID = "FFE0"
    /// The pressed keys.
    public let data = Attribute(SensorTagKeys.self)
    /// Creates the service declaration.
    public init() {}
}

/// The buzzer and lights of the CC2650.
public struct SensorTagIOService: ServiceDeclaration {
    /// The service UUID.
    public let uuid = SensorTagUUID.base[0xAA64]
    /// False: a matching device need not have this service.
    public let isRequired = false
    /// Bit 0 is the red light, bit 1 the green light, bit 2 the buzzer.
    public let data = Attribute<RawUInt8>(SensorTagUUID.base[0xAA65])
    /// The mode: 0 local, 1 remote (according to `data`), 2 test.
    public let configuration = Attribute<RawUInt8>(SensorTagUUID.base[0xAA66])
    /// Creates the service declaration.
    public init() {}
}

/// The first SensorTag of Texas Instruments, of 2012.
public struct SensorTagCC2541: DeviceDeclaration {
    /// The temperature.
    public let temperature = SensorTagService<RawUInt16Pair>(0xAA00)
    /// The accelerometer.
    public let accelerometer = SensorTagService<RawAxes8>(0xAA10)
    /// The humidity.
    public let humidity = SensorTagService<RawUInt16Pair>(0xAA20)
    /// The magnetometer.
    public let magnetometer = SensorTagService<RawAxes16>(0xAA30)
    /// The barometer.
    public let barometer = CalibratedBarometerService()
    /// The gyroscope.
    public let gyroscope = SensorTagService<RawAxes16>(0xAA50, on: 7)
    /// The keys.
    public let keys = SensorTagKeyService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()
    /// Creates the declaration.
    public init() {}
    /// Matches by the names of this model.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        SensorTag.model(named: name) == .cc2541
    }
}

/// The second SensorTag of Texas Instruments, of 2015.
public struct SensorTagCC2650: DeviceDeclaration {
    /// The temperature.
    public let temperature = SensorTagService<RawUInt16Pair>(0xAA00)
    /// The humidity.
    public let humidity = SensorTagService<RawUInt16Pair>(0xAA20)
    /// The barometer.
    public let barometer = SensorTagService<RawBarometer>(0xAA40, periodAt: 4)
    /// The ambient light.
    public let light = SensorTagService<RawUInt16>(0xAA70)
    /// The gyroscope, accelerometer and magnetometer.
    public let movement = MovementService()
    /// The keys.
    public let keys = SensorTagKeyService()
    /// The lights and the buzzer.
    public let io = SensorTagIOService()
    /// The battery.
    public let battery = BatteryService()
    /// Manufacturer, model and revisions.
    public let information = DeviceInformationService()
    /// Creates the declaration.
    public init() {}
    /// Matches by the names of this model.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        SensorTag.model(named: name) == .cc2650
    }
}
