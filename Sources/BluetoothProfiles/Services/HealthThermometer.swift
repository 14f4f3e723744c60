import BluetoothModel

/// The measurement site on the body (Health Thermometer Service 1.0, 3.2).
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

/// A body temperature, final or intermediate.
public protocol TemperatureReading: CharacteristicType {
    /// The temperature in degrees Celsius or Fahrenheit.
    var temperature: ProfileNumber { get set }
    /// True if the temperature is in degrees Fahrenheit.
    var isFahrenheit: Bool { get set }
    /// The time of the measurement.
    var timeStamp: DateTime? { get set }
    /// The measurement site.
    var temperatureType: TemperatureSite? { get set }
    /// The bits and bytes that are reserved for future use.
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

/// The Temperature Measurement characteristic (Health Thermometer Service 1.0, 3.1).
public struct TemperatureMeasurement: TemperatureReading {
    public static let uuid: BluetoothUUID = "2A1C"
    /// The temperature in degrees Celsius or Fahrenheit.
    public var temperature: ProfileNumber = 0
    /// True if the temperature is in degrees Fahrenheit.
    public var isFahrenheit = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The measurement site.
    public var temperatureType: TemperatureSite?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}
}

/// The temperature while a measurement is in progress (Health Thermometer Service 1.0, 3.3).
public struct IntermediateTemperature: TemperatureReading {
    public static let uuid: BluetoothUUID = "2A1E"
    /// The temperature in degrees Celsius or Fahrenheit.
    public var temperature: ProfileNumber = 0
    /// True if the temperature is in degrees Fahrenheit.
    public var isFahrenheit = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The measurement site.
    public var temperatureType: TemperatureSite?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}
}

/// The fixed measurement site of a thermometer (Health Thermometer Service 1.0, 3.2).
public struct TemperatureType: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A1D"
    /// The measurement site.
    public var site = TemperatureSite(rawValue: 0)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("temperatureType", &site)
    }
}

/// The interval between measurements (Health Thermometer Service 1.0, 3.4).
public struct MeasurementInterval: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A21"
    /// The interval in seconds; 0 disables periodic measurements.
    public var interval: UInt16 = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("measurementInterval", &interval, .uint16, unit: .seconds)
    }
}
