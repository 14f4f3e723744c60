import BluetoothModel

/// Where a temperature is taken (Health Thermometer Service 1.0, 3.2).
public struct TemperatureSite: NamedCode {
    /// The number.
    public var rawValue: UInt8
    /// A value from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What the numbers stand for.
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
    /// Names the fields.
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
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A1C"
    /// The temperature.
    public var temperature: ProfileNumber = 0
    /// Whether it is in degrees Fahrenheit.
    public var isFahrenheit = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Where it was taken.
    public var temperatureType: TemperatureSite?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()
    /// Nothing is set yet.
    public init() {}
}

/// A body temperature while it is being measured (Health Thermometer Service 1.0, 3.3).
public struct IntermediateTemperature: TemperatureReading {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A1E"
    /// The temperature.
    public var temperature: ProfileNumber = 0
    /// Whether it is in degrees Fahrenheit.
    public var isFahrenheit = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Where it was taken.
    public var temperatureType: TemperatureSite?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()
    /// Nothing is set yet.
    public init() {}
}

/// Where a thermometer always measures (Health Thermometer Service 1.0, 3.2).
public struct TemperatureType: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A1D"
    /// The place.
    public var site = TemperatureSite(rawValue: 0)
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("temperatureType", &site)
    }
}

/// How often a thermometer measures by itself (Health Thermometer Service 1.0, 3.4).
public struct MeasurementInterval: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A21"
    /// Seconds; 0 for not by itself.
    public var interval: UInt16 = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("measurementInterval", &interval, .uint16, unit: .seconds)
    }
}
