import BluetoothModel

/// Text about a device.
public protocol TextValue: CharacteristicType, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of its one field.
    static var fieldName: String { get }
    /// The text.
    var text: String { get set }
}

extension TextValue {
    /// Nothing is set yet.
    public init(stringLiteral text: String) {
        self.init()
        self.text = text
    }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.text(Self.fieldName, &text) }
    /// The text.
    public var description: String { text }
}

/// Who made it.
public struct ManufacturerName: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A29"
    /// The name of its field.
    public static let fieldName = "manufacturerName"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// Which model it is.
public struct ModelNumber: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A24"
    /// The name of its field.
    public static let fieldName = "modelNumber"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// Which of them it is.
public struct SerialNumber: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A25"
    /// The name of its field.
    public static let fieldName = "serialNumber"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The version of its hardware.
public struct HardwareRevision: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A27"
    /// The name of its field.
    public static let fieldName = "hardwareRevision"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The version of its firmware.
public struct FirmwareRevision: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A26"
    /// The name of its field.
    public static let fieldName = "firmwareRevision"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The version of its software.
public struct SoftwareRevision: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A28"
    /// The name of its field.
    public static let fieldName = "softwareRevision"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// What it is called (Core 6.0, Vol 3, Part C, 12.1).
public struct DeviceName: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A00"
    /// The name of its field.
    public static let fieldName = "deviceName"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// Names a device for good: a number of its maker's and the maker's own (Device Information Service 1.2, 3.8).
public struct SystemID: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A23"
    /// 40 bits that the maker chose.
    public var manufacturerIdentifier: UInt64 = 0
    /// 24 bits that IEEE gave the maker.
    public var organizationallyUniqueIdentifier: UInt32 = 0

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("manufacturerIdentifier", &manufacturerIdentifier, .uint40) { .hex(UInt64($0), digits: 10) }
        try coder.integer("organizationallyUniqueIdentifier", &organizationallyUniqueIdentifier, .uint24) {
            .hex(UInt64($0), digits: 6)
        }
    }
}

/// Which product a device is (Device Information Service 1.2, 3.9).
public struct PnPID: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A50"

    /// Who gave the vendor its number.
    public struct Source: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [1: "Bluetooth", 2: "USB"]
        /// A company identifier of the Bluetooth SIG.
        public static let bluetooth = Source(rawValue: 1)
        /// A vendor identifier of the USB Implementer's Forum.
        public static let usb = Source(rawValue: 2)
    }

    /// Who gave the vendor its number.
    public var vendorIDSource = Source.bluetooth
    /// The vendor's number.
    public var vendorID: UInt16 = 0
    /// The vendor's number for the product.
    public var productID: UInt16 = 0
    /// The version, in binary coded decimal: 0x0213 is 2.1.3.
    public var productVersion: UInt16 = 0

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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

/// The certificates of a medical device, as IEEE 11073-20601 lists them (Device Information Service 1.2, 3.10).
public struct RegulatoryCertificationData: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A2A"
    /// The list as it is.
    public var bytes: [UInt8] = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bytes("regulatoryCertificationDataList", &bytes)
    }
}
