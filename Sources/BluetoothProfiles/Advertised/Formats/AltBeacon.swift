import BluetoothModel

/// A beacon of the open AltBeacon format, of any company.
public struct AltBeacon: AdvertisedFormat {
    public static let kind = "altbeacon", title = "AltBeacon"
    public static let source = "AltBeacon Protocol Specification 1.0"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.anyManufacturer]
    public static let details = ["power", "reserved"]
    public static let examples = [
        AdvertisedExample(
            "1B FF 1801 BEAC 0CF052C297CA407C84F8B62AAC4E9020 0001 0002 C5 00",
            "company Radius Networks, Inc., ID 0C F0 52 C2 97 CA 40 7C 84 F8 B6 2A AC 4E 90 20 00 01 00 02, "
                + "power -59 dBm, reserved 0")
    ]

    /// The maker of the beacon.
    public var company = CompanyIdentifier.unassigned
    /// The identifier, 20 bytes.
    public var id = [UInt8](repeating: 0, count: 20)
    /// The signal strength at one metre in dBm.
    public var power: Int8 = 0
    /// A byte whose meaning the company defines.
    public var reserved: UInt8 = 0
    public init() {}

    private static let code: [UInt8] = [0xBE, 0xAC]
    public static let patterns = [AdvertisementPattern(.manufacturerSpecificData, code, at: 2)]
    public static func matches(_ frame: AdvertisedFrame) -> Bool { frame.bytes.dropFirst(2).starts(with: code) }
    public var powerAtOneMetre: Int8? { power }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        var number = company.rawValue
        try coder.integer("company", &number, .uint16) { raw in
            .code(raw, CompanyIdentifier(rawValue: UInt16(truncatingIfNeeded: raw)).name)
        }
        company = CompanyIdentifier(rawValue: number)
        try coder.constant("code", Self.code)
        try coder.bytes("id", &id, count: 20)
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
        try coder.integer("reserved", &reserved, .uint8)
    }
}
