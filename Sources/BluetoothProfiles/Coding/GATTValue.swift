import BluetoothModel

/// A value that has a layout in bytes, declared once: the same declaration decodes, encodes and describes it.
///
///     struct BatteryLevel: CharacteristicType {
///         static let uuid: BluetoothUUID = "2A19"
///         var level: UInt8 = 0
///         mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
///             try coder.integer("batteryLevel", &level, .uint8, unit: .percent)
///         }
///     }
public protocol GATTValue: Hashable, Sendable {
    /// Any value, to decode into.
    init()
    /// Names each field in the order of the bytes.
    mutating func code(_ coder: inout FieldCoder) throws(ValueError)
}

/// The value of a characteristic or descriptor with an assigned UUID.
public protocol CharacteristicType: GATTValue {
    /// The characteristic that holds it.
    static var uuid: BluetoothUUID { get }
}

extension GATTValue {
    /// A value with what `set` sets: `HeartRateMeasurement { $0.rate = 72 }`.
    public init(_ set: (inout Self) -> Void) {
        self.init()
        set(&self)
    }

    /// The value that `bytes` stand for.
    /// - Throws: ``ValueError`` that names the field which is missing, out of range, or followed by too much.
    public init(bytes: some Sequence<UInt8>) throws(ValueError) {
        var coder = FieldCoder(decoding: Array(bytes), describes: false)
        self.init()
        try code(&coder)
        try coder.finish()
    }

    /// The bytes of the value.
    /// - Throws: ``ValueError`` that names the field which does not fit its place.
    public func encoded() throws(ValueError) -> [UInt8] {
        var (coder, copy) = (FieldCoder(encodingWith: false), self)
        try copy.code(&coder)
        try coder.finish()
        return coder.output
    }

    /// The fields of the value.
    public func fields() throws(ValueError) -> [Field] {
        var (coder, copy) = (FieldCoder(encodingWith: true), self)
        try copy.code(&coder)
        try coder.finish()
        return coder.fields
    }

    /// The fields of the value that `bytes` stand for.
    public static func fields(of bytes: some Sequence<UInt8>) throws(ValueError) -> [Field] {
        var coder = FieldCoder(decoding: Array(bytes), describes: true)
        var value = Self()
        try value.code(&coder)
        try coder.finish()
        return coder.fields
    }
}

/// Fields that stand side by side in several values, or are there together or not at all.
public typealias FieldGroup = GATTValue

/// A record that begins with its length, which is not among its fields.
public protocol SizedRecord: GATTValue {}

/// What a specification keeps for later: flags without a meaning yet, and the bytes that they announce.
public struct ReservedPart: Hashable, Sendable {
    /// Flags that are set and have no meaning yet.
    public var flags: UInt32 = 0
    /// What follows the known fields where such a flag is set.
    public var bytes: [UInt8] = []

    /// Nothing.
    public init() {}
}
