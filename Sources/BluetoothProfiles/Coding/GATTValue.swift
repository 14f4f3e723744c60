import BluetoothModel

/// A value with a declarative binary layout. One declaration decodes, encodes and describes it.
///
///     struct BatteryLevel: CharacteristicType {
///         static let uuid: BluetoothUUID = "2A19"
///         var level: UInt8 = 0
///         mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
///             try coder.integer("batteryLevel", &level, .uint8, unit: .percent)
///         }
///     }
public protocol GATTValue: Hashable, Sendable {
    /// Creates a value with default fields, to decode into.
    init()
    /// Encodes or decodes each field, in the order of the bytes.
    /// - Throws: ``ValueError`` that names the field.
    mutating func code(_ coder: inout FieldCoder) throws(ValueError)
    /// The forms in which people see fields, by name, where they do not follow from name and unit.
    static var forms: [String: FieldForm] { get }
}

/// The value of a characteristic or descriptor with an assigned UUID.
public protocol CharacteristicType: GATTValue {
    /// The UUID of the characteristic or descriptor.
    static var uuid: BluetoothUUID { get }
}

extension GATTValue {
    /// No special forms.
    public static var forms: [String: FieldForm] { [:] }

    /// Creates a value and modifies it: `HeartRateMeasurement { $0.rate = 72 }`.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }

    /// Decodes a value.
    /// - Throws: ``ValueError`` that names the field that is missing, out of range, or followed by extra bytes.
    public init(bytes: some Sequence<UInt8>) throws(ValueError) {
        var coder = FieldCoder(decoding: Array(bytes), describes: false)
        self.init()
        try code(&coder)
        try coder.finish()
    }

    /// Encodes the value.
    /// - Throws: ``ValueError`` that names the field that is out of range.
    public func encoded() throws(ValueError) -> [UInt8] {
        var (coder, copy) = (FieldCoder(encodingWith: false), self)
        try copy.code(&coder)
        try coder.finish()
        return coder.output
    }

    /// Returns the fields of the value.
    /// - Throws: ``ValueError`` that names the field that is out of range.
    public func fields() throws(ValueError) -> [Field] {
        var (coder, copy) = (FieldCoder(encodingWith: true, forms: Self.forms), self)
        try copy.code(&coder)
        try coder.finish()
        return coder.fields
    }

    /// Decodes a value and returns its fields.
    /// - Throws: ``ValueError`` that names the field that is missing, out of range, or followed by extra bytes.
    public static func fields(of bytes: some Sequence<UInt8>) throws(ValueError) -> [Field] {
        var coder = FieldCoder(decoding: Array(bytes), describes: true, forms: Self.forms)
        var value = Self()
        try value.code(&coder)
        try coder.finish()
        return coder.fields
    }
}

/// A group of fields that several values share, or that is present or absent as a whole.
public typealias FieldGroup = GATTValue

/// A record that is preceded by its length, which is not one of its fields.
public protocol SizedRecord: GATTValue {}

/// The reserved part of a value: flags without an assigned meaning, and the bytes that they announce.
public struct ReservedPart: Hashable, Sendable {
    /// The reserved flags that are set.
    public var flags: UInt32 = 0
    /// The bytes after the known fields, if a reserved flag is set.
    public var bytes: [UInt8] = []

    /// Creates an empty part.
    public init() {}
}
