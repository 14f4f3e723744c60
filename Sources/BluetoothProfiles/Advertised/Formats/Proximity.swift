import BluetoothModel

// Kinds of devices and flags of services whose other content is for their makers only.

/// An Exposure Notification of a phone.
public struct ExposureNotification: AdvertisedFormat {
    public static let kind = "exposure-notification", title = "Exposure Notification"
    public static let source = "Apple and Google, Exposure Notification Bluetooth Specification 1.2.2"
    public static let subject = AdvertisedSubject.device
    public static let places: [AdvertisedPlace] = [.service("FD6F")]
    public static let details = ["identifier", "metadata"]
    public static let examples = [
        AdvertisedExample(
            "17 16 6FFD 000102030405060708090A0B0C0D0E0F 40414243",
            "identifier 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F, metadata 40 41 42 43")
    ]

    /// The identifier of the phone, 16 bytes, which changes about every quarter of an hour.
    public var identifier = [UInt8](repeating: 0, count: 16)
    /// Encrypted metadata, 4 bytes.
    public var metadata = [UInt8](repeating: 0, count: 4)
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bytes("identifier", &identifier, count: 16)
        try coder.bytes("metadata", &metadata, count: 4)
    }
}

/// An accessory or phone of Apple's network Find My.
public struct FindMy: AdvertisedFormat {
    public static let kind = "find-my", title = "Find My"
    public static let source = "Heinrich et al., Who Can Find My Devices?, PETS 2021, 5.1"
    public static let subject = AdvertisedSubject.device
    public static let places: [AdvertisedPlace] = [.appleMessage(0x12)]
    /// Messages of Apple: near its owner's devices, the short one may follow another.
    public static let patterns = [AdvertisementPattern(.manufacturerSpecificData, [0x4C, 0x00])]
    public static let details = ["key", "status"]
    public static let examples = [
        AdvertisedExample("07 FF 4C00 12 02 54 01", "state with its owner, battery medium, status 0x54, key 01"),
        AdvertisedExample(
            "1E FF 4C00 12 19 10 000102030405060708090A0B0C0D0E0F101112131415 01 00",
            "state separated, battery full, status 0x10, "
                + "key 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15 01 00"),
    ]

    /// The status; the upper two bits are the charge of the battery.
    public var status: UInt8 = 0
    /// The public key, without the part that is the address, or what remains of it.
    public var key: [UInt8] = []
    public init() {}

    /// True if the accessory has lost the contact with its owner's devices: it then sends its key.
    public var isSeparated: Bool { key.count > 2 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        _ = try coder.wholeNumber("status", &status, .uint8)
        var rest = key
        try coder.hiddenBytes("key", &rest)
        key = rest
        coder.describe("state", .code(isSeparated ? 1 : 0, isSeparated ? "separated" : "with its owner"))
        coder.describe("battery", .code(Int64(status >> 6), ["full", "medium", "low", "critical"][Int(status >> 6)]))
        coder.describe("status", .hex(UInt64(status), digits: 2))
        coder.describe("key", .bytes(rest))
    }
}

/// An accessory that Android's Fast Pair can pair.
public struct FastPair: AdvertisedFormat {
    public static let kind = "fast-pair", title = "Fast Pair"
    public static let source = "developers.google.com/nearby/fast-pair, Advertising"
    public static let subject = AdvertisedSubject.device
    public static let places: [AdvertisedPlace] = [.service("FE2C")]
    public static let details = ["accounts"]
    public static let examples = [
        AdvertisedExample("06 16 2CFE 718FA4", "state discoverable, model 0x718FA4"),
        AdvertisedExample(
            "0B 16 2CFE 00 40 03AA9BE6 11 2C", "state paired, flags 0x00, accounts 40 03 AA 9B E6 11 2C"),
    ]

    /// The number of the model that an accessory in pairing mode sends; nil otherwise.
    public var model: UInt32?
    /// The version and flags that another accessory sends.
    public var flags: UInt8 = 0
    /// The accounts that it is paired with, as a filter, and the state of its batteries.
    public var accounts: [UInt8] = []
    public init() {}

    /// Three bytes are a model.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        if coder.isDecoding ? coder.bytesLeft == 3 : model != nil {
            var number = model ?? 0
            coder.describe("state", .code(1, "discoverable"))
            try coder.integer("model", &number, .uint24) { .hex(UInt64($0), digits: 6) }
            model = number
        } else {
            model = nil
            coder.describe("state", .code(0, "paired"))
            try coder.integer("flags", &flags, .uint8) { .hex(UInt64($0), digits: 2) }
            try coder.bytes("accounts", &accounts)
        }
    }
}

/// An accessory that Windows' Swift Pair can pair.
public struct SwiftPair: AdvertisedFormat {
    public static let kind = "swift-pair", title = "Swift Pair"
    public static let source = "learn.microsoft.com, Bluetooth Swift Pair, payload"
    public static let subject = AdvertisedSubject.device
    public static let places: [AdvertisedPlace] = [.manufacturer(.microsoft)]
    public static let start: [UInt8] = [0x03]
    public static let details = ["power", "rest"]
    public static let examples = [
        AdvertisedExample("06 FF 0600 03 00 80", "pairs over LE, power -128 dBm"),
        AdvertisedExample(
            "0A FF 0600 03 01 80 4D6F7573", "pairs over LE or BR/EDR, power -128 dBm, rest 4D 6F 75 73"),
    ]

    /// The radios that the accessory pairs over.
    public struct Scenario: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [0: "LE", 1: "LE or BR/EDR", 2: "BR/EDR"]
    }
    /// The radios that the accessory pairs over.
    public var scenario = Scenario(rawValue: 0)
    /// The reserved RSSI byte, 0x80.
    public var power: Int8 = -128
    /// The address, class and name, depending on the scenario.
    public var rest: [UInt8] = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("pairsOver", &scenario)
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
        var bytes = rest
        try coder.hiddenBytes("rest", &bytes)
        rest = bytes
        if !bytes.isEmpty { coder.describe("rest", .bytes(bytes)) }
    }
}
