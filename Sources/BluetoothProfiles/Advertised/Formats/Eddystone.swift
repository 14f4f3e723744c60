import BluetoothModel

// The frames of Eddystone, Google's beacon (https://github.com/google/eddystone), in service data of FEAA. Their first
// byte is the type. Numbers have the most significant byte first.

/// Identifies a beacon.
public struct EddystoneUID: AdvertisedFormat {
    public static let kind = "eddystone-uid", title = "Eddystone-UID"
    public static let source = "google/eddystone, eddystone-uid"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.service("FEAA")]
    public static let start: [UInt8] = [0x00]
    public static let details = ["power"]
    public static let examples = [
        AdvertisedExample(
            "17 16 AAFE 00 EE 00010203040506070809 AABBCCDDEEFF 0000",
            "power -18 dBm, namespace 00 01 02 03 04 05 06 07 08 09, instance AA BB CC DD EE FF")
    ]

    /// The signal strength at 0 m in dBm.
    public var power: Int8 = 0
    /// The identifier of the owner's beacons, 10 bytes.
    public var namespace = [UInt8](repeating: 0, count: 10)
    /// The identifier of a beacon of the owner, 6 bytes.
    public var instance = [UInt8](repeating: 0, count: 6)
    public init() {}

    public var powerAtOneMetre: Int8? { Eddystone.powerAtOneMetre(power) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
        try coder.bytes("namespace", &namespace, count: 10)
        try coder.bytes("instance", &instance, count: 6)
        // Older beacons end here.
        if !coder.isDecoding || coder.bytesLeft >= 2 { try coder.constant("reserved", [0, 0], isChecked: false) }
    }
}

/// Advertises a web address.
public struct EddystoneURL: AdvertisedFormat {
    public static let kind = "eddystone-url", title = "Eddystone-URL"
    public static let source = "google/eddystone, eddystone-url"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.service("FEAA")]
    public static let start: [UInt8] = [0x10]
    public static let details = ["power"]
    public static let examples = [
        AdvertisedExample("0E 16 AAFE 10 F7 03 6578616D706C65 01", "power -9 dBm, URL \"https://example.org/\"")
    ]

    /// The signal strength at 0 m in dBm.
    public var power: Int8 = 0
    /// The address.
    public var url = "https://"
    public init() {}

    public var powerAtOneMetre: Int8? { Eddystone.powerAtOneMetre(power) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
        var bytes: [UInt8] = coder.isDecoding ? [] : try Self.compressed(url)
        try coder.hiddenBytes("url", &bytes)
        url = try Self.expanded(bytes)
        coder.describe("url", .text(url))
    }

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]

    /// The first byte encodes the scheme. Bytes 0x00 to 0x06 encode usual endings with a slash, 0x07 to 0x0D those
    /// without.
    private static func expanded(_ bytes: [UInt8]) throws(ValueError) -> String {
        guard let first = bytes.first, Int(first) < schemes.count else {
            throw ValueError(field: "url", reason: "no scheme")
        }
        var text = schemes[Int(first)]
        for byte in bytes.dropFirst() {
            switch byte {
            case 0x00...0x06: text += endings[Int(byte)] + "/"
            case 0x07...0x0D: text += endings[Int(byte) - 7]
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: throw ValueError(field: "url", reason: "the byte 0x\([byte].hexText()) is reserved")
            }
        }
        return text
    }

    private static func compressed(_ url: String) throws(ValueError) -> [UInt8] {
        guard let scheme = schemes.firstIndex(where: { url.hasPrefix($0) }) else {
            throw ValueError(field: "url", reason: "it must begin with http:// or https://")
        }
        var result = [UInt8(scheme)]
        var rest = url.dropFirst(schemes[scheme].count)
        while let first = rest.utf8.first {
            if let ending = endings.firstIndex(where: { rest.hasPrefix($0) }) {
                rest = rest.dropFirst(endings[ending].count)
                let hasSlash = rest.first == "/"
                if hasSlash { rest = rest.dropFirst() }
                result.append(UInt8(hasSlash ? ending : ending + 7))
                continue
            }
            guard (0x21...0x7E).contains(first) else {
                throw ValueError(field: "url", reason: "it may only contain printable characters of ASCII")
            }
            result.append(first)
            rest = rest.dropFirst()
        }
        return result
    }
}

/// The telemetry of a beacon.
public struct EddystoneTLM: AdvertisedFormat {
    public static let kind = "eddystone-tlm", title = "Eddystone-TLM"
    public static let source = "google/eddystone, eddystone-tlm/tlm-plain"
    public static let places: [AdvertisedPlace] = [.service("FEAA")]
    public static let start: [UInt8] = [0x20, 0x00]
    public static let details = ["count", "uptime"]
    public static let examples = [
        AdvertisedExample(
            "11 16 AAFE 20 00 0BB8 1980 000003E8 00002710",
            "battery 3.000 V, temperature 25.5 °C, count 1000, uptime 1000.0 s")
    ]

    /// The voltage of the battery in volts; ``ProfileNumber/Special/unknown`` if the beacon has none.
    public var battery: ProfileNumber = .special(.unknown)
    /// The temperature in 1/256 °C; -32768 if the beacon has no thermometer.
    public var temperature: Int16 = -32768
    /// The number of advertisements since power-on.
    public var count: UInt32 = 0
    /// The seconds since power-on.
    public var uptime: ProfileNumber = 0
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.number("battery", &battery, .decimal(.uint16, -3, unknown: 0), unit: .volts)
        try coder.integer(
            "temperature", &temperature, .int16, unit: .celsius, specials: [-32768: .unknown],
            shown: { .real(Double($0) / 256) })
        try coder.integer("count", &count, .uint32)
        try coder.number("uptime", &uptime, .decimal(.uint32, -1), unit: .seconds)
    }
}

/// Telemetry that only the owner can decrypt.
public struct EddystoneEncryptedTLM: AdvertisedFormat {
    public static let kind = "eddystone-etlm", title = "Eddystone-TLM, encrypted"
    public static let source = "google/eddystone, eddystone-tlm/tlm-encrypted"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.service("FEAA")]
    public static let start: [UInt8] = [0x20, 0x01]
    public static let examples = [
        AdvertisedExample(
            "15 16 AAFE 20 01 000102030405060708090A0B 1234 5678",
            "encrypted 00 01 02 03 04 05 06 07 08 09 0A 0B, salt 0x1234, check 0x5678")
    ]

    /// The encrypted telemetry, 12 bytes.
    public var encrypted = [UInt8](repeating: 0, count: 12)
    /// The salt and the message integrity check.
    public var salt: UInt16 = 0, check: UInt16 = 0
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        func hex(_ raw: Int64) -> FieldValue { .hex(UInt64(raw), digits: 4) }
        try coder.bytes("encrypted", &encrypted, count: 12)
        try coder.integer("salt", &salt, .uint16, shown: hex)
        try coder.integer("check", &check, .uint16, shown: hex)
    }
}

/// An identifier that changes, which only the owner's service resolves.
public struct EddystoneEID: AdvertisedFormat {
    public static let kind = "eddystone-eid", title = "Eddystone-EID"
    public static let source = "google/eddystone, eddystone-eid"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.service("FEAA")]
    public static let start: [UInt8] = [0x30]
    public static let details = ["power"]
    public static let examples = [
        AdvertisedExample("0D 16 AAFE 30 F7 0011223344556677", "power -9 dBm, ID 00 11 22 33 44 55 66 77")
    ]

    /// The signal strength at 0 m in dBm.
    public var power: Int8 = 0
    /// The identifier, 8 bytes.
    public var id = [UInt8](repeating: 0, count: 8)
    public init() {}

    public var powerAtOneMetre: Int8? { Eddystone.powerAtOneMetre(power) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
        try coder.bytes("id", &id, count: 8)
    }
}

enum Eddystone {
    /// The signal strength is 41 dB lower at one metre than at 0 m (eddystone-uid, Tx Power).
    static func powerAtOneMetre(_ power: Int8) -> Int8 { Int8(clamping: Int(power) - 41) }
}
