import BluetoothModel

/// Where a temperature is taken (Health Thermometer Service 1.0, 3.2).
public struct TemperatureSite: NamedCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let names: [UInt8: String] = [
        1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastro-intestinal tract", 6: "mouth", 7: "rectum", 8: "toe",
        9: "tympanum",
    ]
    /// The ear.
    public static let ear = TemperatureSite(rawValue: 3)
}

/// A body temperature, as a measurement or as one that is still going on.
public protocol TemperatureReading: CharacteristicType {
    /// The temperature, in degrees Celsius or Fahrenheit.
    var temperature: ProfileNumber { get set }
    /// Whether it is in degrees Fahrenheit.
    var isFahrenheit: Bool { get set }
    /// When it was taken.
    var timeStamp: DateTime? { get set }
    /// Where it was taken.
    var temperatureType: TemperatureSite? { get set }
    /// What the specification keeps for later.
    var reserved: ReservedPart { get set }
}

extension TemperatureReading {
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x07, &reserved)
        isFahrenheit = coder.flag(0, when: isFahrenheit)
        try coder.number("temperature", &temperature, .float, unit: isFahrenheit ? .fahrenheit : .celsius)
        try coder.time("timeStamp", &timeStamp, bit: 1)
        try coder.code("temperatureType", &temperatureType, bit: 2)
        coder.rest(&reserved)
    }
}

/// A body temperature (Health Thermometer Service 1.0, 3.1).
public struct TemperatureMeasurement: TemperatureReading {
    public static let uuid: BluetoothUUID = "2A1C"
    public var temperature: ProfileNumber = 0
    public var isFahrenheit = false
    public var timeStamp: DateTime?
    public var temperatureType: TemperatureSite?
    public var reserved = ReservedPart()
    public init() {}
}

/// A body temperature while it is being measured (Health Thermometer Service 1.0, 3.3).
public struct IntermediateTemperature: TemperatureReading {
    public static let uuid: BluetoothUUID = "2A1E"
    public var temperature: ProfileNumber = 0
    public var isFahrenheit = false
    public var timeStamp: DateTime?
    public var temperatureType: TemperatureSite?
    public var reserved = ReservedPart()
    public init() {}
}

/// Where a thermometer always measures (Health Thermometer Service 1.0, 3.2).
public struct TemperatureType: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A1D"
    /// The place.
    public var site = TemperatureSite(rawValue: 0)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("temperatureType", &site)
    }
}

/// How often a thermometer measures by itself (Health Thermometer Service 1.0, 3.4).
public struct MeasurementInterval: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A21"
    /// Seconds; 0 for not by itself.
    public var interval: UInt16 = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("measurementInterval", &interval, .uint16, unit: .seconds)
    }
}
