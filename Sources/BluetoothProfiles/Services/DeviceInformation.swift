import BluetoothModel

/// A characteristic whose value is UTF-8 text.
public protocol TextValue: CharacteristicType, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the field.
    static var fieldName: String { get }
    /// The text.
    var text: String { get set }
}

extension TextValue {
    /// Creates a value from its text.
    public init(stringLiteral text: String) {
        self.init()
        self.text = text
    }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.text(Self.fieldName, &text) }
    /// The text.
    public var description: String { text }
}

/// The manufacturer name.
public struct ManufacturerName: TextValue {
    public static let uuid: BluetoothUUID = "2A29"
    /// The name of the field.
    public static let fieldName = "manufacturerName"
    /// The text.
    public var text = ""
    public init() {}
}

/// The model number.
public struct ModelNumber: TextValue {
    public static let uuid: BluetoothUUID = "2A24"
    /// The name of the field.
    public static let fieldName = "modelNumber"
    /// The text.
    public var text = ""
    public init() {}
}

/// The serial number.
public struct SerialNumber: TextValue {
    public static let uuid: BluetoothUUID = "2A25"
    /// The name of the field.
    public static let fieldName = "serialNumber"
    /// The text.
    public var text = ""
    public init() {}
}

/// The hardware revision.
public struct HardwareRevision: TextValue {
    public static let uuid: BluetoothUUID = "2A27"
    /// The name of the field.
    public static let fieldName = "hardwareRevision"
    /// The text.
    public var text = ""
    public init() {}
}

/// The firmware revision.
public struct FirmwareRevision: TextValue {
    public static let uuid: BluetoothUUID = "2A26"
    /// The name of the field.
    public static let fieldName = "firmwareRevision"
    /// The text.
    public var text = ""
    public init() {}
}

/// The software revision.
public struct SoftwareRevision: TextValue {
    public static let uuid: BluetoothUUID = "2A28"
    /// The name of the field.
    public static let fieldName = "softwareRevision"
    /// The text.
    public var text = ""
    public init() {}
}

/// The device name (Core 6.0, Vol 3, Part C, 12.1).
public struct DeviceName: TextValue {
    public static let uuid: BluetoothUUID = "2A00"
    /// The name of the field.
    public static let fieldName = "deviceName"
    /// The text.
    public var text = ""
    public init() {}
}

/// A globally unique identifier of the device: the manufacturer's number and its organizationally unique identifier
/// (Device Information Service 1.2, 3.8).
public struct SystemID: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A23"
    /// The 40 bits that the manufacturer assigned.
    public var manufacturerIdentifier: UInt64 = 0
    /// The 24 bits that the IEEE assigned to the manufacturer.
    public var organizationallyUniqueIdentifier: UInt32 = 0

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("manufacturerIdentifier", &manufacturerIdentifier, .uint40) { .hex(UInt64($0), digits: 10) }
        try coder.integer("organizationallyUniqueIdentifier", &organizationallyUniqueIdentifier, .uint24) {
            .hex(UInt64($0), digits: 6)
        }
    }
}

/// The product identifier of a device (Device Information Service 1.2, 3.9).
public struct PnPID: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A50"

    /// The organization that assigned the vendor ID.
    public struct Source: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [1: "Bluetooth", 2: "USB"]
        /// A company identifier of the Bluetooth SIG.
        public static let bluetooth = Source(rawValue: 1)
        /// A vendor identifier of the USB Implementer's Forum.
        public static let usb = Source(rawValue: 2)
    }

    /// The organization that assigned the vendor ID.
    public var vendorIDSource = Source.bluetooth
    /// The vendor ID.
    public var vendorID: UInt16 = 0
    /// The product ID, assigned by the vendor.
    public var productID: UInt16 = 0
    /// The product version in binary-coded decimal: 0x0213 is 2.1.3.
    public var productVersion: UInt16 = 0

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("vendorIDSource", &vendorIDSource)
        let isCompany = vendorIDSource == .bluetooth
        try coder.integer("vendorID", &vendorID, .uint16) { number in
            let company = isCompany ? CompanyIdentifier(rawValue: UInt16(number)).name : nil
            return company.map { .code(number, $0) } ?? .hex(UInt64(number), digits: 4)
        }
        try coder.integer("productID", &productID, .uint16) { .hex(UInt64($0), digits: 4) }
        try coder.integer("productVersion", &productVersion, .uint16) { .hex(UInt64($0), digits: 4) }
    }
}

/// The regulatory certifications of a medical device, as a list of IEEE 11073-20601 (Device Information Service 1.2,
/// 3.10).
public struct RegulatoryCertificationData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A2A"
    /// The encoded list.
    public var bytes: [UInt8] = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bytes("regulatoryCertificationDataList", &bytes)
    }
}
