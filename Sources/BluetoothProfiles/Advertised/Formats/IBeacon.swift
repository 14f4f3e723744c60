import BluetoothModel

/// Apple's beacon.
public struct IBeacon: AdvertisedFormat {
    public static let kind = "iBeacon", title = "iBeacon"
    public static let source = "Apple, Proximity Beacon Specification R1, 2"
    public static let subject = AdvertisedSubject.beacon
    public static let places: [AdvertisedPlace] = [.appleMessage(0x02)]
    public static let details = ["power"]
    public static let examples = [
        AdvertisedExample(
            "1A FF 4C00 02 15 5A4BCFCE174E4BAC A814092E77F6B7E5 0001 002A CE",
            "UUID \"5A4BCFCE-174E-4BAC-A814-092E77F6B7E5\", major 1, minor 42, power -50 dBm")
    ]

    /// The identifier of the owner's beacons.
    public var uuid = BluetoothUUID(high: 0, low: 0)
    /// Two numbers that tell the beacons of an owner apart.
    public var major: UInt16 = 0, minor: UInt16 = 0
    /// The signal strength at one metre in dBm.
    public var power: Int8 = 0
    public init() {}

    public var powerAtOneMetre: Int8? { power }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.uuid("uuid", &uuid)
        try coder.integer("major", &major, .uint16)
        try coder.integer("minor", &minor, .uint16)
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
    }
}
