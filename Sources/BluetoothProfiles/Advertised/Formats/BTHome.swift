import BluetoothModel

/// Version 2 of BTHome, an open format of sensors, switches and buttons: a list of objects, each with an identifier
/// that determines its layout.
public struct BTHome: SealedFormat {
    public static let kind = "bthome", title = "BTHome"
    public static let source = "bthome.io/format, version 2"
    public static let places: [AdvertisedPlace] = [.service("FCD2")]
    public static let details = ["packetId", "deviceType", "firmware"]
    public static let examples = [
        AdvertisedExample("0A 16 D2FC 40 02C409 03BF13", "temperature 25.00 °C, humidity 50.55 %"),
        AdvertisedExample("08 16 D2FC 44 3A00 3A01", "trigger based yes, button none press"),
        AdvertisedExample(
            "15 16 D2FC 40 530C48656C6C6F20576F726C6421 451101", "text \"Hello World!\", temperature 27.3 °C"),
        AdvertisedExample(
            "12 16 D2FC 41 E445F3C9962B 33221100 6C7C4519", "temperature 25.06 °C, humidity 50.55 %",
            address: "54:48:E6:8F:80:A5", key: "231d39c1d7cc1ab1aee224cd096db932"),
    ]

    /// An object: an identifier and its content.
    public struct Object: Hashable, Sendable {
        /// The identifier, which determines the layout.
        public var id: UInt8
        /// The content.
        public var content: Content

        /// Creates an object.
        public init(_ id: UInt8, _ content: Content) {
            self.id = id
            self.content = content
        }

        /// Creates an object with a number in the unit of the identifier.
        public init(_ id: UInt8, _ number: ProfileNumber) { self.init(id, .number(number)) }
    }

    /// The content of an object.
    public enum Content: Hashable, Sendable {
        /// A measurement, in the unit of the identifier.
        case number(ProfileNumber)
        /// A state, an event, an identifier, or the seconds since 1970.
        case code(UInt32)
        /// Text.
        case text(String)
        /// Uninterpreted bytes.
        case bytes([UInt8])
        /// An event and its argument: the steps of a dimmer, the arguments of a command.
        case event(UInt8, [UInt8])
    }

    /// True if the device advertises when something happens, false if it advertises regularly.
    public var isTriggerBased = false
    /// True if the objects are encrypted on the air.
    public var isEncrypted = false
    /// The device's address, most significant byte first, if it is part of the frame.
    public var address: [UInt8]?
    /// The objects, in the order of their identifiers.
    public var objects: [Object] = []
    /// The bytes from the first object of an unknown identifier on.
    public var unknown: [UInt8] = []
    public init() {}

    /// Creates a value from objects.
    public init(_ objects: [Object]) { self.objects = objects }

    /// The upper three bits of the first byte are the version.
    public static func matches(_ frame: AdvertisedFrame) -> Bool { (frame.bytes.first ?? 0) >> 5 == 2 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try codeInformation(&coder)
        if coder.isDecoding { objects = [] }
        var index = 0
        while coder.isDecoding ? coder.bytesLeft > 0 : index < objects.count {
            var object = coder.isDecoding ? Object(coder.input[coder.position], .code(0)) : objects[index]
            guard let definition = BTHomeObjects.all[object.id] else {
                guard coder.isDecoding else {
                    throw ValueError(field: "object", reason: "0x\([object.id].hexText()) has no meaning")
                }
                break
            }
            try coder.constant(definition.name, [object.id])
            try definition.code(&coder, &object.content)
            if coder.isDecoding { objects.append(object) }
            index += 1
        }
        // Identifiers are in ascending order, so that newer objects follow those that an older receiver knows.
        if !coder.isDecoding || coder.bytesLeft > 0 {
            let before = coder.fields
            try coder.bytes("unknown", &unknown)
            if unknown.isEmpty { coder.fields = before }
        }
    }

    /// The first byte, an address if its second bit is set, the encrypted objects, a counter, and the check
    /// (bthome.io/encryption).
    /// - Throws: ``ValueError`` if the frame is too short, or the address of the device is not known.
    public static func sealedPart(of frame: AdvertisedFrame) throws(ValueError) -> SealedPart? {
        guard let information = frame.bytes.first, information & 1 == 1 else { return nil }
        let hasAddress = information & 2 == 2
        let start = hasAddress ? 7 : 1
        guard frame.bytes.count >= start + 8 else {
            throw ValueError(field: "encrypted", reason: "counter and check are missing")
        }
        let own = hasAddress ? BluetoothAddress(bigEndian: frame.bytes[1..<7].reversed()) : nil
        guard let address = own ?? frame.address else {
            throw ValueError(field: "encrypted", reason: "the address of the device is not known")
        }
        let end = frame.bytes.count - 8
        return part(
            header: Array(frame.bytes[..<start]), Array(frame.bytes[start..<end]), address,
            counter: Array(frame.bytes[end..<end + 4]), check: Array(frame.bytes[(end + 4)...]))
    }

    /// Returns the objects, which follow the first byte and the address.
    /// - Throws: ``ValueError`` if ``isEncrypted`` is false.
    public func part(
        toSeal bytes: [UInt8], counter: UInt32, address: BluetoothAddress
    ) throws(ValueError) -> SealedPart {
        guard isEncrypted else { throw ValueError(field: "isEncrypted", reason: "it is false") }
        let start = self.address == nil ? 1 : 7
        return Self.part(
            header: Array(bytes[..<start]), Array(bytes[start...]), address,
            counter: (0..<4).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }, check: [])
    }

    public static func bytes(of part: SealedPart) -> [UInt8] {
        part.header + part.text + part.nonce.suffix(4) + part.check
    }

    private static func part(
        header: [UInt8], _ text: [UInt8], _ address: BluetoothAddress, counter: [UInt8], check: [UInt8]
    ) -> SealedPart {
        SealedPart(
            header: header, nonce: address.bigEndianBytes + [0xD2, 0xFC, header[0]] + counter, associatedData: [],
            text: text, check: check, address: address, counter: counter.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    private mutating func codeInformation(_ coder: inout FieldCoder) throws(ValueError) {
        var information: UInt8 = 0x40 | (isEncrypted ? 1 : 0) | (address == nil ? 0 : 2) | (isTriggerBased ? 4 : 0)
        _ = try coder.wholeNumber("information", &information, .uint8)
        (isEncrypted, isTriggerBased) = (information & 1 != 0, information & 4 != 0)
        if isTriggerBased { coder.describe("triggerBased", .flag(true)) }
        guard information & 2 != 0 else { return address = nil }
        var bytes = [UInt8]((address ?? []).reversed())
        try coder.hiddenBytes("address", &bytes, count: 6)
        address = bytes.reversed()
        coder.describe("address", .bytes(bytes.reversed()))
    }
}

/// The objects of BTHome (bthome.io/format, "Supported data types").
enum BTHomeObjects {
    struct Definition: Sendable {
        var name: String
        var layout: Layout
        var unit: GATTUnit?
    }

    enum Layout: Sendable {
        case number(NumberLayout)
        /// A code with the meanings of its values.
        case code(IntegerFormat, [UInt32: String])
        /// An event, and the number of bytes of its argument.
        case event([UInt8: String], argument: Int)
        /// The length of the argument, an event, and the argument.
        case command([UInt8: String])
        case text, bytes
        /// Seconds since 1970.
        case time
        /// A version number, the last part first.
        case version(IntegerFormat)
    }

    static let all: [UInt8: Definition] = {
        var all: [UInt8: Definition] = [
            0x3A: Definition(
                name: "button",
                layout: .code(
                    .uint8,
                    [
                        0: "none", 1: "press", 2: "double press", 3: "triple press", 4: "long press",
                        5: "long double press", 6: "long triple press", 0x80: "hold press", 0x81: "hold release",
                    ])),
            0x3B: Definition(
                name: "command", layout: .command([0: "off", 1: "on", 2: "toggle", 3: "step up", 4: "step down"])),
            0x3C: Definition(
                name: "dimmer", layout: .event([0: "none", 1: "rotate left", 2: "rotate right"], argument: 1)),
            0x50: Definition(name: "time", layout: .time),
            0x53: Definition(name: "text", layout: .text),
            0x54: Definition(name: "raw", layout: .bytes),
            0x64: Definition(
                name: "lightLevel", layout: .code(.uint8, [0: "dark", 1: "twilight", 2: "bright"])),
            0xF1: Definition(name: "firmware", layout: .version(.uint32)),
            0xF2: Definition(name: "firmware", layout: .version(.uint24)),
        ]
        for (id, name, format, mantissa, exponent, unit) in numbers {
            all[id] = Definition(
                name: name, layout: .number(.scaled(format, ExactDecimal(mantissa, exponent: exponent))), unit: unit)
        }
        for (id, name, off, on) in states {
            all[id] = Definition(name: name, layout: .code(.uint8, [0: off, 1: on]))
        }
        return all
    }()

    private static let numbers: [(UInt8, String, IntegerFormat, Int64, Int, GATTUnit?)] = [
        (0x00, "packetId", .uint8, 1, 0, nil), (0x01, "battery", .uint8, 1, 0, .percent),
        (0x02, "temperature", .int16, 1, -2, .celsius), (0x03, "humidity", .uint16, 1, -2, .percent),
        (0x04, "pressure", .uint24, 1, -2, .hectopascals), (0x05, "illuminance", .uint24, 1, -2, .lux),
        (0x06, "mass", .uint16, 1, -2, .kilograms), (0x07, "massPounds", .uint16, 1, -2, .pounds),
        (0x08, "dewPoint", .int16, 1, -2, .celsius), (0x09, "count", .uint8, 1, 0, nil),
        (0x0A, "energy", .uint24, 1, -3, .kilowattHours), (0x0B, "power", .uint24, 1, -2, .watts),
        (0x0C, "voltage", .uint16, 1, -3, .volts), (0x0D, "pm25", .uint16, 1, 0, .microgramsPerCubicMetre),
        (0x0E, "pm10", .uint16, 1, 0, .microgramsPerCubicMetre), (0x12, "co2", .uint16, 1, 0, .partsPerMillion),
        (0x13, "tvoc", .uint16, 1, 0, .microgramsPerCubicMetre), (0x14, "moisture", .uint16, 1, -2, .percent),
        (0x2E, "humidity", .uint8, 1, 0, .percent), (0x2F, "moisture", .uint8, 1, 0, .percent),
        (0x3D, "count", .uint16, 1, 0, nil), (0x3E, "count", .uint32, 1, 0, nil),
        (0x3F, "rotation", .int16, 1, -1, .degrees), (0x40, "distanceMillimetres", .uint16, 1, 0, .millimetres),
        (0x41, "distance", .uint16, 1, -1, .metres), (0x42, "duration", .uint24, 1, -3, .seconds),
        (0x43, "current", .uint16, 1, -3, .amperes), (0x44, "speed", .uint16, 1, -2, .metresPerSecond),
        (0x45, "temperature", .int16, 1, -1, .celsius), (0x46, "uvIndex", .uint8, 1, -1, nil),
        (0x47, "volume", .uint16, 1, -1, .litres), (0x48, "volumeMillilitres", .uint16, 1, 0, .millilitres),
        (0x49, "volumeFlowRate", .uint16, 1, -3, .cubicMetresPerHour), (0x4A, "voltage", .uint16, 1, -1, .volts),
        (0x4B, "gas", .uint24, 1, -3, .cubicMetres), (0x4C, "gas", .uint32, 1, -3, .cubicMetres),
        (0x4D, "energy", .uint32, 1, -3, .kilowattHours), (0x4E, "volume", .uint32, 1, -3, .litres),
        (0x4F, "water", .uint32, 1, -3, .litres), (0x51, "acceleration", .uint16, 1, -3, .metresPerSquareSecond),
        (0x52, "gyroscope", .uint16, 1, -3, .degreesPerSecond), (0x55, "volumeStorage", .uint32, 1, -3, .litres),
        (0x56, "conductivity", .uint16, 1, 0, .microsiemensPerCentimetre),
        (0x57, "temperature", .int8, 1, 0, .celsius), (0x58, "temperature", .int8, 35, -2, .celsius),
        (0x59, "count", .int8, 1, 0, nil), (0x5A, "count", .int16, 1, 0, nil), (0x5B, "count", .int32, 1, 0, nil),
        (0x5C, "power", .int32, 1, -2, .watts), (0x5D, "current", .int16, 1, -3, .amperes),
        (0x5E, "direction", .uint16, 1, -2, .degrees), (0x5F, "precipitation", .uint16, 1, -1, .millimetres),
        (0x60, "channel", .uint8, 1, 0, nil), (0x61, "rotationalSpeed", .uint16, 1, 0, .revolutionsPerMinute),
        (0x62, "speed", .int32, 1, -6, .metresPerSecond),
        (0x63, "acceleration", .int32, 1, -6, .metresPerSquareSecond),
        (0x65, "settingsRevision", .uint8, 1, 0, nil), (0xF0, "deviceType", .uint16, 1, 0, nil),
    ]

    /// The meanings of 0 and 1.
    private static let states: [(UInt8, String, String, String)] = [
        (0x0F, "generic", "off", "on"), (0x10, "powerState", "off", "on"), (0x11, "opening", "closed", "open"),
        (0x15, "batteryState", "normal", "low"), (0x16, "batteryCharging", "not charging", "charging"),
        (0x17, "carbonMonoxide", "not detected", "detected"), (0x18, "cold", "normal", "cold"),
        (0x19, "connectivity", "disconnected", "connected"), (0x1A, "door", "closed", "open"),
        (0x1B, "garageDoor", "closed", "open"), (0x1C, "gasState", "clear", "detected"),
        (0x1D, "heat", "normal", "hot"), (0x1E, "light", "no light", "light detected"),
        (0x1F, "lock", "locked", "unlocked"), (0x20, "moistureState", "dry", "wet"),
        (0x21, "motion", "clear", "detected"), (0x22, "moving", "not moving", "moving"),
        (0x23, "occupancy", "clear", "detected"), (0x24, "plug", "unplugged", "plugged in"),
        (0x25, "presence", "away", "home"), (0x26, "problem", "OK", "problem"),
        (0x27, "running", "not running", "running"), (0x28, "safety", "unsafe", "safe"),
        (0x29, "smoke", "clear", "detected"), (0x2A, "sound", "clear", "detected"), (0x2B, "tamper", "off", "on"),
        (0x2C, "vibration", "clear", "detected"), (0x2D, "window", "closed", "open"),
    ]
}

extension BTHomeObjects.Definition {
    func code(_ coder: inout FieldCoder, _ content: inout BTHome.Content) throws(ValueError) {
        switch layout {
        case .number(let layout):
            var number: ProfileNumber = 0
            if case .number(let given) = content { number = given }
            try coder.number(name, &number, layout, unit: unit)
            content = .number(number)
        case .code(let format, let names):
            var code = code(content)
            try coder.integer(name, &code, format) { .code($0, names[UInt32(truncatingIfNeeded: $0)]) }
            content = .code(code)
        case .event(let names, let count):
            var (event, argument) = event(content)
            _ = try coder.wholeNumber(name, &event, .uint8)
            try coder.hiddenBytes(name, &argument, count: count)
            content = .event(event, argument)
            coder.describe(name, .text(text(event, argument, names)))
        case .command(let names):
            var (event, argument) = event(content)
            // The upper three bits of the length are reserved.
            var length = UInt8(clamping: argument.count)
            _ = try coder.wholeNumber(name, &length, .uint8)
            _ = try coder.wholeNumber(name, &event, .uint8)
            try coder.hiddenBytes(name, &argument, count: Int(length & 0x1F))
            content = .event(event, argument)
            coder.describe(name, .text(text(event, argument, names)))
        case .text:
            var text = ""
            if case .text(let given) = content { text = given }
            guard let decoded = String(validating: try sized(Array(text.utf8), &coder), as: UTF8.self) else {
                throw ValueError(field: name, reason: "the bytes are not UTF-8 text")
            }
            text = decoded
            content = .text(text)
            coder.describe(name, .text(text))
        case .bytes:
            var bytes: [UInt8] = []
            if case .bytes(let given) = content { bytes = given }
            bytes = try sized(bytes, &coder)
            content = .bytes(bytes)
            coder.describe(name, .bytes(bytes))
        case .time:
            var seconds = code(content)
            try coder.integer(name, &seconds, .uint32) { .time(DateTime(secondsSince2000: $0 - 946_684_800)) }
            content = .code(seconds)
        case .version(let format):
            var version = code(content)
            try coder.integer(name, &version, format) { raw in
                let parts = (0..<format.byteCount).reversed().map { String(raw >> Int64(8 * $0) & 0xFF) }
                return .text(parts.joined(separator: "."))
            }
            content = .code(version)
        }
    }

    private func code(_ content: BTHome.Content) -> UInt32 {
        if case .code(let code) = content { return code }
        return 0
    }

    private func event(_ content: BTHome.Content) -> (UInt8, [UInt8]) {
        if case .event(let event, let argument) = content { return (event, argument) }
        return (0, [])
    }

    private func text(_ event: UInt8, _ argument: [UInt8], _ names: [UInt8: String]) -> String {
        let text = names[event] ?? "event 0x\([event].hexText())"
        switch argument.count {
        case 0: return text
        case 1: return event == 0 ? text : "\(text) \(argument[0])"
        default: return "\(text) \(argument.hexText())"
        }
    }

    /// Codes a length and that many bytes.
    private func sized(_ bytes: [UInt8], _ coder: inout FieldCoder) throws(ValueError) -> [UInt8] {
        var (length, bytes) = (UInt8(clamping: bytes.count), bytes)
        _ = try coder.wholeNumber(name, &length, .uint8)
        try coder.hiddenBytes(name, &bytes, count: Int(length))
        return bytes
    }
}
