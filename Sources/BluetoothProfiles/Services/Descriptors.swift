import BluetoothModel

/// The Characteristic Presentation Format descriptor (Core 6.0, Vol 3, Part G, 3.3.3.5).
public struct CharacteristicPresentationFormat: CharacteristicType {
    public static let uuid: BluetoothUUID = "2904"
    /// The format of a value (Assigned Numbers, 2.4).
    public struct Format: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12", 0x06: "uint16",
            0x07: "uint24", 0x08: "uint32", 0x09: "uint48", 0x0A: "uint64", 0x0B: "uint128", 0x0C: "sint8",
            0x0D: "sint12", 0x0E: "sint16", 0x0F: "sint24", 0x10: "sint32", 0x11: "sint48", 0x12: "sint64",
            0x13: "sint128", 0x14: "float32", 0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32",
            0x18: "uint16[2]", 0x19: "utf8s", 0x1A: "utf16s", 0x1B: "struct", 0x1C: "medASN1",
        ]
    }
    /// The format of the value.
    public var format = Format(rawValue: 0x04)
    /// The power of ten by which an integer is multiplied.
    public var exponent: Int8 = 0
    /// The unit, a UUID of 16 bits such as 0x272F for °C.
    public var unit: UInt16 = 0x2700
    /// The name space of the description; 1 is that of the Bluetooth SIG.
    public var namespace: UInt8 = 1
    /// The description, a number of the name space.
    public var description: UInt16 = 0
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("format", &format)
        try coder.integer("exponent", &exponent, .int8)
        try coder.integer("unit", &unit, .uint16) {
            .code($0, AssignedNumbers.name(of: BluetoothUUID(UInt32(truncatingIfNeeded: $0))))
        }
        try coder.integer("namespace", &namespace, .uint8)
        try coder.integer("description", &description, .uint16) { .hex(UInt64($0), digits: 4) }
    }
}

extension CharacteristicPresentationFormat {
    /// The layouts of integers.
    private static let integers: [UInt8: IntegerFormat] = [
        0x04: .uint8, 0x06: .uint16, 0x07: .uint24, 0x08: .uint32, 0x09: .uint48, 0x0C: .int8, 0x0E: .int16,
        0x0F: .int24, 0x10: .int32,
    ]

    /// Returns the value of a characteristic that has this descriptor: a number or text; nil for other formats.
    /// - Throws: ``ValueError`` if the bytes do not fit the format.
    public func field(of bytes: some Sequence<UInt8>) throws(ValueError) -> Field? {
        var coder = FieldCoder(decoding: Array(bytes), describes: true)
        let unit = GATTUnit(assigned: unit)
        var number: ProfileNumber = 0
        switch format.rawValue {
        case 0x16: try coder.number("value", &number, .sfloat, unit: unit)
        case 0x17: try coder.number("value", &number, .float, unit: unit)
        case 0x19:
            var text = ""
            try coder.text("value", &text)
        case let code:
            guard let integer = Self.integers[code] else { return nil }
            try coder.number("value", &number, .decimal(integer, Int(exponent)), unit: unit)
        }
        try coder.finish()
        return coder.fields.first
    }
}

extension GATTUnit {
    /// The units with a usual symbol, by their assigned numbers (Assigned Numbers, 3.5).
    private static let symbols: [UInt16: GATTUnit] = [
        0x2701: .metres, 0x2702: .kilograms, 0x2703: .seconds, 0x2704: .amperes, 0x2711: .cubicMetres,
        0x2712: .metresPerSecond, 0x2713: .metresPerSquareSecond, 0x2722: GATTUnit("Hz"), 0x2723: .newtons,
        0x2724: .pascals, 0x2725: GATTUnit("J"), 0x2726: .watts, 0x2728: .volts, 0x272A: .ohms, 0x272F: .celsius,
        0x2731: .lux, 0x2741: .newtonMetres, 0x2760: .minutes, 0x2761: .hours, 0x2763: .degrees, 0x2767: .litres,
        0x2781: .mmHg, 0x27A2: .inches, 0x27A6: .kilometresPerHour, 0x27A8: .revolutionsPerMinute,
        0x27AA: .kilocalories, 0x27AB: .kilowattHours, 0x27AC: .fahrenheit, 0x27AD: .percent, 0x27AF: .beatsPerMinute,
        0x27B1: .milligramsPerDecilitre, 0x27B6: .wattsPerSquareMetre, 0x27B8: .pounds, 0x27C4: .partsPerMillion,
    ]

    /// Creates the unit with an assigned number; nil for "unitless" and for unassigned numbers. A unit without a usual
    /// symbol has its name.
    init?(assigned number: UInt16) {
        guard number != 0x2700 else { return nil }
        if let unit = Self.symbols[number] {
            self = unit
        } else if let name = AssignedNumbers.name(of: BluetoothUUID(UInt32(number))) {
            self.init(name)
        } else {
            return nil
        }
    }
}

/// The Characteristic Aggregate Format descriptor (Core 6.0, Vol 3, Part G, 3.3.3.6).
public struct CharacteristicAggregateFormat: CharacteristicType {
    public static let uuid: BluetoothUUID = "2905"
    /// The handles of the presentation formats of the parts of the value.
    public var handles: [UInt16] = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        if coder.isDecoding { handles = [] }
        var index = 0
        let before = coder.fields
        while coder.isDecoding ? coder.bytesLeft > 0 : index < handles.count {
            var handle = coder.isDecoding ? 0 : handles[index]
            try coder.integer("attributeHandles", &handle, .uint16)
            if coder.isDecoding { handles.append(handle) }
            index += 1
        }
        coder.fields = before
        coder.describe("attributeHandles", .list(handles.map { .hex(UInt64($0), digits: 4) }))
    }
}

/// The Valid Range descriptor: the least and the greatest value, in the format of the characteristic (GATT
/// Specification Supplement, Valid Range).
public struct ValidRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2906"
    /// The least and the greatest value; both have the same number of bytes.
    public var least: [UInt8] = [], greatest: [UInt8] = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        let count = coder.isDecoding ? coder.bytesLeft / 2 : least.count
        guard coder.isDecoding ? coder.bytesLeft.isMultiple(of: 2) : greatest.count == count else {
            throw ValueError(field: "validRange", reason: "both values must have the same length")
        }
        try coder.bytes("lowerInclusiveValue", &least, count: count)
        try coder.bytes("upperInclusiveValue", &greatest, count: count)
    }
}
