import BluetoothModel
import CoreFoundation
import Foundation

/// A UUID of an attribute, of 16, 32 or 128 bits. The three forms of one UUID are equal.
open class CBUUID: NSObject, NSCopying {
    /// The length of the form that it was created from.
    fileprivate enum Form {
        case short, medium, full
    }

    let model: BluetoothUUID
    private let form: Form

    /// Creates the UUID of 128 bits that are all zero.
    public override init() {
        model = BluetoothUUID(high: 0, low: 0)
        form = .full
        super.init()
    }

    /// Creates a UUID from 4 or 8 hexadecimal digits, with or without the prefix "0x", or from 32 digits, with or
    /// without hyphens.
    ///
    /// Text of any other form ends the program with a message, as on Apple's systems: the initializer cannot return an
    /// error.
    public init(string theString: String) {
        guard let model = Self.model(of: theString), let form = Form(textLength: theString.utf8.count) else {
            // Proof that the program must end: the initializer, declared by Apple, can neither fail nor throw, and
            // any other UUID would name other attributes. The text is a constant of the program. A precondition failure
            // would print no message in an optimised build.
            fatalError(
                """
                CBUUID(string:): "\(theString)" is not a UUID: 4 or 8 hexadecimal digits, also after "0x", or 32 \
                digits with or without hyphens
                """)
        }
        self.model = model
        self.form = form
        super.init()
    }

    /// Parses the forms of ``BluetoothUUID``, and 32 digits without hyphens.
    private static func model(of text: String) -> BluetoothUUID? {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return BluetoothUUID(text) }
        let groups = [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
        return BluetoothUUID(groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-"))
    }

    /// Creates a UUID from its 2, 4 or 16 octets, most significant first.
    ///
    /// Data of any other length ends the program with a message, as on Apple's systems.
    public init(data theData: Data) {
        switch theData.count {
        case 2: form = .short
        case 4: form = .medium
        case 16: form = .full
        default:
            // Proof that the program must end: see `init(string:)`.
            fatalError("CBUUID(data:): a UUID must have 2, 4 or 16 octets, not \(theData.count)")
        }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for octet in theData {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(octet)
        }
        model = form == .full ? BluetoothUUID(high: high, low: low) : BluetoothUUID(UInt32(truncatingIfNeeded: low))
        super.init()
    }

    /// Creates a UUID from one of Core Foundation.
    public convenience init(cfuuid theUUID: CFUUID) {
        let octets = CFUUIDGetUUIDBytes(theUUID)
        self.init(data: withUnsafeBytes(of: octets) { Data($0) })
    }

    /// Creates a UUID from one of Foundation.
    public convenience init(nsuuid theUUID: UUID) {
        self.init(data: withUnsafeBytes(of: theUUID.uuid) { Data($0) })
    }

    /// Creates a UUID in its shortest form.
    init(_ model: BluetoothUUID) {
        self.model = model
        form = model.shortValue != nil ? .short : model.mediumValue != nil ? .medium : .full
        super.init()
    }

    /// The octets that it was created from, most significant first.
    open var data: Data {
        let octets = [model.high, model.low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - $0 * 8)) }
        }
        switch form {
        case .short: return Data(octets[2..<4])
        case .medium: return Data(octets[..<4])
        case .full: return Data(octets)
        }
    }

    /// The text of the form that it was created from, in upper case.
    open var uuidString: String {
        switch form {
        case .short: String(model.fullText.dropFirst(4).prefix(4))
        case .medium: String(model.fullText.prefix(8))
        case .full: model.fullText
        }
    }

    /// Returns this object: a UUID is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns true if the other object is the same UUID, in any form.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.model == model }

    /// The hash value, equal for all forms of one UUID.
    open override var hash: Int { model.hashValue }

    /// The name that the Bluetooth SIG assigned, else the UUID; names of vendors are not used.
    open override var description: String {
        guard let entry = AssignedNumbers.entry(of: model), entry.isStandard else { return uuidString }
        return entry.name
    }
}

extension CBUUID.Form {
    /// The form of a text that is a UUID; a prefix "0x" counts two characters.
    fileprivate init?(textLength: Int) {
        switch textLength {
        case 4, 6: self = .short
        case 8, 10: self = .medium
        case 32, 36: self = .full
        default: return nil
        }
    }
}

extension Array where Element == CBUUID {
    /// The UUIDs as values of the model.
    var models: [BluetoothUUID] { map(\.model) }
}
