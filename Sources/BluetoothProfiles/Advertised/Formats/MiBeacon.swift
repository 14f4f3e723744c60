import BluetoothModel

/// The format of Xiaomi's sensors, MiBeacon 4 and 5: a list of objects, each with an identifier and a length.
public struct MiBeacon: SealedFormat {
    public static let kind = "mibeacon", title = "MiBeacon"
    public static let source = "iot.mi.com, BLE MiBeacon protocol v5 and Object definition"
    public static let places: [AdvertisedPlace] = [.service("FE95")]
    public static let details = ["version", "product", "counter", "address", "capability"]
    public static let examples = [
        AdvertisedExample(
            "15 16 95FE 5020 AA01 DA 2CB434A8654C 0D10 04 1001 0702",
            "version 2, product LYWSDCGQ, counter 218, address 4C 65 A8 34 B4 2C, temperature 27.2 °C, "
                + "humidity 51.9 %"),
        AdvertisedExample(
            "1A 16 95FE 5858 5B05 01 665544332211 FE99A29257 1A1B1C E37B5C3B",
            "version 5, product LYWSD03MMC, counter 1, address 11 22 33 44 55 66, temperature 25.6 °C",
            address: "11:22:33:44:55:66", key: "231d39c1d7cc1ab1aee224cd096db932"),
    ]

    /// The bits of the frame control, the upper four of which are the version.
    public var control: UInt16 = 0x5040
    /// The number of the product.
    public var product: UInt16 = 0
    /// The number of the frame, modulo 256.
    public var counter: UInt8 = 0
    /// The address, the most significant byte first, if it is part of the frame.
    public var address: [UInt8]?
    /// The capabilities, if they are part of the frame: one byte, or three with those of input and output.
    public var capability: [UInt8]?
    /// The objects.
    public var objects: [Object] = []
    public init() {}

    /// An object: an identifier and its bytes.
    public struct Object: Hashable, Sendable {
        /// The identifier.
        public var id: UInt16
        /// The bytes, whose meaning depends on the identifier.
        public var data: [UInt8]

        /// Creates an object.
        public init(_ id: UInt16, _ data: [UInt8]) {
            self.id = id
            self.data = data
        }
    }

    /// True if the objects are encrypted on the air.
    public var isEncrypted: Bool { control & 0x08 != 0 }
    /// The version of the format, 2 to 5.
    public var version: UInt8 { UInt8(control >> 12) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        control =
            control & ~0x70 | (address == nil ? 0 : 0x10) | (capability == nil ? 0 : 0x20)
            | (objects.isEmpty ? 0 : 0x40)
        _ = try coder.wholeNumber("control", &control, .uint16)
        coder.describe("version", .integer(Int64(version)))
        try coder.integer("product", &product, .uint16) { .code($0, Self.products[UInt16(truncatingIfNeeded: $0)]) }
        try coder.integer("counter", &counter, .uint8)
        if control & 0x10 != 0 {
            var reversed = [UInt8]((address ?? []).reversed())
            try coder.hiddenBytes("address", &reversed, count: 6)
            address = reversed.reversed()
            coder.describe("address", .bytes(reversed.reversed()))
        }
        if control & 0x20 != 0 { try codeCapability(&coder) }
        if control & 0x40 != 0 { try codeObjects(&coder) }
    }

    /// Bit 5 of the first byte announces two more.
    private mutating func codeCapability(_ coder: inout FieldCoder) throws(ValueError) {
        var bytes = capability ?? []
        if coder.isDecoding {
            try coder.need(1, "capability")
            let count = coder.input[coder.position] & 0x20 == 0 ? 1 : 3
            try coder.bytes("capability", &bytes, count: count)
        } else {
            guard bytes.count == ((bytes.first ?? 0) & 0x20 == 0 ? 1 : 3) else {
                throw ValueError(field: "capability", reason: "\(bytes.count) bytes")
            }
            try coder.bytes("capability", &bytes)
        }
        capability = bytes
    }

    private mutating func codeObjects(_ coder: inout FieldCoder) throws(ValueError) {
        if coder.isDecoding { objects = [] }
        var index = 0
        while coder.isDecoding ? coder.bytesLeft > 0 : index < objects.count {
            var object = coder.isDecoding ? Object(0, []) : objects[index]
            _ = try coder.wholeNumber("object", &object.id, .uint16)
            var length = UInt8(clamping: object.data.count)
            _ = try coder.wholeNumber("object", &length, .uint8)
            try coder.hiddenBytes("object", &object.data, count: Int(length))
            if coder.isDecoding { objects.append(object) }
            try object.describe(&coder)
            index += 1
        }
    }
}

/// Encryption (Object definition, "Encrypted broadcast"): a nonce of the address, the product, the counter and three
/// more bytes of the counter.
extension MiBeacon {
    /// Returns the address in the frame; nil if it has none.
    private static func ownAddress(_ bytes: [UInt8]) -> BluetoothAddress? {
        guard bytes.count >= 11, bytes[0] & 0x10 != 0 else { return nil }
        return BluetoothAddress(bigEndian: bytes[5..<11].reversed())
    }

    /// Returns the address in the frame, or that from which it was sent; nil if the frame has no objects.
    public static func sender(ofValuesIn frame: AdvertisedFrame) -> BluetoothAddress? {
        guard let control = frame.bytes.first, control & 0x40 != 0 else { return nil }
        return ownAddress(frame.bytes) ?? frame.address
    }

    /// Versions up to 3 have another encryption, which is not decoded.
    /// - Throws: ``ValueError`` for such a version, if the frame is too short, or if the address of the device is not
    ///   known.
    public static func sealedPart(of frame: AdvertisedFrame) throws(ValueError) -> SealedPart? {
        let bytes = frame.bytes
        guard bytes.count >= 5, bytes[0] & 0x48 == 0x48 else { return nil }
        guard bytes[1] >> 4 >= 4 else {
            throw ValueError(field: "encrypted", reason: "version \(bytes[1] >> 4) has another encryption")
        }
        let own = ownAddress(bytes)
        var start = own == nil ? 5 : 11
        if bytes[0] & 0x20 != 0, bytes.count > start { start += bytes[start] & 0x20 == 0 ? 1 : 3 }
        guard bytes.count >= start + 7 + 2 else {
            throw ValueError(field: "encrypted", reason: "counter and check are missing")
        }
        guard let address = own ?? frame.address else {
            throw ValueError(field: "encrypted", reason: "the address of the device is not known")
        }
        let end = bytes.count - 7
        return part(
            header: Array(bytes[..<start]), Array(bytes[start..<end]), address, extra: Array(bytes[end..<end + 3]),
            check: Array(bytes[(end + 3)...]))
    }

    /// The lowest byte of the counter must be ``counter``.
    /// - Throws: ``ValueError`` if it is not, or if the control has no encryption.
    public func part(
        toSeal bytes: [UInt8], counter: UInt32, address: BluetoothAddress
    ) throws(ValueError) -> SealedPart {
        guard isEncrypted, version >= 4 else {
            throw ValueError(field: "control", reason: "encryption needs its bit and version 4 or 5")
        }
        guard UInt8(truncatingIfNeeded: counter) == self.counter else {
            throw ValueError(field: "counter", reason: "\(counter) does not end with \(self.counter)")
        }
        let start = 5 + (self.address == nil ? 0 : 6) + (capability?.count ?? 0)
        return Self.part(
            header: Array(bytes[..<start]), Array(bytes[start...]), address,
            extra: (1...3).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }, check: [])
    }

    public static func bytes(of part: SealedPart) -> [UInt8] {
        part.header + part.text + part.nonce.suffix(3) + part.check
    }

    private static func part(
        header: [UInt8], _ text: [UInt8], _ address: BluetoothAddress, extra: [UInt8], check: [UInt8]
    ) -> SealedPart {
        let counter = (extra.reversed() + [header[4]]).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return SealedPart(
            header: header, nonce: address.bigEndianBytes.reversed() + header[2..<5] + extra, associatedData: [0x11],
            text: text, check: check, address: address, counter: counter)
    }
}

extension MiBeacon.Object {
    /// Describes the fields of the object (Object definition).
    func describe(_ coder: inout FieldCoder) throws(ValueError) {
        guard coder.describes else { return }
        guard let layout = Self.layouts[id] else {
            return coder.describe(
                "object", .group([Field("id", .hex(UInt64(id), digits: 4)), Field("data", .bytes(data))]))
        }
        var inner = FieldCoder(decoding: data, describes: true)
        for part in layout { try part.code(&inner) }
        coder.fields += inner.fields
    }

    struct Part: Sendable {
        var name: String
        var format: IntegerFormat
        var exponent = 0
        var unit: GATTUnit?
        /// The meanings of a code; empty for a number.
        var meanings: [Int64: String] = [:]
        /// True for a number of 4 bytes in floating point.
        var isFloat = false

        func code(_ coder: inout FieldCoder) throws(ValueError) {
            if isFloat {
                let bits = UInt32(truncatingIfNeeded: try coder.take(name, .uint32))
                let number = ProfileNumber(Double(Float(bitPattern: bits)), decimals: 2)
                return coder.describe(name, .number(number), unit)
            }
            guard meanings.isEmpty else {
                let raw = try coder.take(name, format)
                return coder.describe(name, .code(raw, meanings[raw]))
            }
            var number: ProfileNumber = 0
            try coder.number(name, &number, .decimal(format, exponent), unit: unit)
        }
    }

    private static let yes: [Int64: String] = [0: "clear", 1: "detected"]

    static let layouts: [UInt16: [Part]] = [
        0x000A: [Part(name: "temperature", format: .int16, exponent: -2, unit: .celsius)],
        0x000F: [Part(name: "motionIlluminance", format: .uint24, unit: .lux)],
        0x1001: [
            Part(name: "button", format: .uint16),
            Part(
                name: "event", format: .uint8,
                meanings: [0: "press", 1: "double press", 2: "long press", 3: "triple press"]),
        ],
        0x1004: [Part(name: "temperature", format: .int16, exponent: -1, unit: .celsius)],
        0x1005: [
            Part(name: "powerState", format: .uint8, meanings: [0: "off", 1: "on"]),
            Part(name: "temperature", format: .uint8, unit: .celsius),
        ],
        0x1006: [Part(name: "humidity", format: .uint16, exponent: -1, unit: .percent)],
        0x1007: [Part(name: "illuminance", format: .uint24, unit: .lux)],
        0x1008: [Part(name: "moisture", format: .uint8, unit: .percent)],
        0x1009: [Part(name: "conductivity", format: .uint16, unit: .microsiemensPerCentimetre)],
        0x100A: [Part(name: "battery", format: .uint8, unit: .percent)],
        0x100D: [
            Part(name: "temperature", format: .int16, exponent: -1, unit: .celsius),
            Part(name: "humidity", format: .uint16, exponent: -1, unit: .percent),
        ],
        0x1010: [Part(name: "formaldehyde", format: .uint16, exponent: -2, unit: .milligramsPerCubicMetre)],
        0x1012: [Part(name: "powerState", format: .uint8, meanings: [0: "off", 1: "on"])],
        0x1013: [Part(name: "consumable", format: .uint8, unit: .percent)],
        0x1014: [Part(name: "flooding", format: .uint8, meanings: yes)],
        0x1015: [Part(name: "smoke", format: .uint8, meanings: yes)],
        0x1016: [Part(name: "gasState", format: .uint8, meanings: yes)],
        0x1017: [Part(name: "idle", format: .uint32, unit: .seconds)],
        0x1018: [Part(name: "light", format: .uint8, meanings: [0: "no light", 1: "light detected"])],
        0x1019: [
            Part(
                name: "opening", format: .uint8, meanings: [0: "open", 1: "closed", 2: "left open", 3: "reset"])
        ],
        0x4C01: [Part(name: "temperature", format: .uint32, unit: .celsius, isFloat: true)],
        0x4C02: [Part(name: "humidity", format: .uint8, unit: .percent)],
        0x4C03: [Part(name: "battery", format: .uint8, unit: .percent)],
        0x4C08: [Part(name: "humidity", format: .uint32, unit: .percent, isFloat: true)],
        0x5003: [Part(name: "battery", format: .uint8, unit: .percent)],
    ]
}

extension MiBeacon {
    /// The names of some products.
    static let products: [UInt16: String] = [
        0x0098: "HHCCJCY01", 0x01AA: "LYWSDCGQ", 0x0347: "CGG1", 0x03BC: "GCLS002", 0x045B: "LYWSD02",
        0x055B: "LYWSD03MMC", 0x0576: "CGD1", 0x0A8D: "RTCGQ02LM", 0x098B: "MCCGQ02HL", 0x06D3: "MHO-C303",
        0x0387: "MHO-C401", 0x0C3C: "CGC1", 0x066F: "CGDK2",
    ]
}
