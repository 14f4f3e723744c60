/// The address of a Bluetooth device: 48 bits, and whether they are public or random (Core 6.0, Vol 6, Part B, 1.3).
///
/// The same 48 bits of the other kind are another device.
public struct BluetoothAddress: Hashable, Sendable {
    /// Where the bits come from; the raw value is the address type of HCI.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Assigned by the IEEE to the maker.
        case `public` = 0
        /// Made up by the device.
        case random = 1
    }

    /// What a random address is for; its two most significant bits say so (Core 6.0, Vol 6, Part B, 1.3.2).
    public enum RandomKind: Hashable, Sendable {
        /// The same until the device restarts, and often for good.
        case staticAddress
        /// Changes, and who has the identity resolving key recognises the device.
        case resolvablePrivate
        /// Changes, and nobody recognises the device.
        case nonResolvablePrivate
        /// Bits that the specification gives no meaning.
        case reserved
    }

    /// The address as a number of 48 bits: the first pair of digits in the text form is the most significant.
    public let value: UInt64
    /// Public or random.
    public let kind: Kind

    /// An address from its number; bits above the 48th are dropped.
    @inlinable
    public init(value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// An address as it stands in a packet, least significant byte first; nil unless there are 6 bytes.
    @inlinable
    public init?(littleEndian view: ByteView, kind: Kind) {
        guard view.count == 6 else { return nil }
        let low = UInt64(view.uint16(at: 0)) | UInt64(view.uint16(at: 2)) << 16
        self.init(value: low | UInt64(view.uint16(at: 4)) << 32, kind: kind)
    }

    /// An address from its text, most significant pair first: `E6:01:02:03:04:05`, in either case; `-` separates too.
    public init?(_ text: String, kind: Kind = .public) {
        let bytes = text.utf8
        guard bytes.count == 17 else { return nil }
        var value: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index % 3 == 2 {
                guard byte == 0x3A || byte == 0x2D else { return nil }
                continue
            }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt64(digit)
        }
        self.init(value: value, kind: kind)
    }

    /// Appends the six bytes, least significant first.
    public func write(to writer: inout ByteWriter) {
        writer.uint32(UInt32(truncatingIfNeeded: value))
        writer.uint16(UInt16(truncatingIfNeeded: value >> 32))
    }

    /// What a random address is for; nil for a public one.
    public var randomKind: RandomKind? {
        guard kind == .random else { return nil }
        switch value >> 46 {
        case 0b11: return .staticAddress
        case 0b01: return .resolvablePrivate
        case 0b00: return .nonResolvablePrivate
        default: return .reserved
        }
    }

    /// Whether the device keeps the address: public or static random.
    public var isIdentity: Bool { kind == .public || randomKind == .staticAddress }

    /// The six bytes in hexadecimal, most significant first: `E6:01:02:03:04:05`.
    public var text: String {
        (0..<6).map { UInt8(truncatingIfNeeded: value >> (40 - 8 * UInt64($0))) }.hexText(separator: ":")
    }
}

extension BluetoothAddress: CustomStringConvertible {
    /// The text without the kind: `E6:01:02:03:04:05`.
    public var description: String { text }
}

extension BluetoothAddress: ExpressibleByStringLiteral {
    /// A public address that stands in the program: `let tag: BluetoothAddress = "54:6C:0E:01:02:03"`.
    ///
    /// A malformed literal is a mistake of the program's author and traps, the first time that the line runs. Swift takes
    /// `BluetoothAddress("54:6C:0E:01:02:03")` with a literal for such a literal too; text from elsewhere goes through
    /// ``init(_:kind:)`` and answers nil, and a random address has its kind: `BluetoothAddress("C0:…", kind: .random)`.
    /// - Precondition: the text is six pairs of hexadecimal digits with `:` or `-` between them.
    public init(stringLiteral text: String) {
        guard let address = BluetoothAddress(text, kind: .public) else {
            preconditionFailure("\"\(text)\" is no Bluetooth address: write six pairs of digits, 54:6C:0E:01:02:03")
        }
        self = address
    }
}

extension BluetoothAddress: Comparable {
    /// The order of the text forms; the same bits, public before random.
    public static func < (left: BluetoothAddress, right: BluetoothAddress) -> Bool {
        left.value == right.value ? left.kind.rawValue < right.kind.rawValue : left.value < right.value
    }
}

/// Tells whose resolvable private address this is: the identity address of a known device, or nil for a stranger.
///
/// Who holds identity resolving keys provides it; called only with addresses whose ``BluetoothAddress/randomKind`` is
/// `resolvablePrivate`.
public typealias AddressResolver = (_ address: BluetoothAddress) -> BluetoothAddress?

extension BluetoothAddress {
    /// The identity address behind a resolvable private one as `resolver` knows it, else the address itself.
    public func resolved(by resolver: AddressResolver?) -> BluetoothAddress {
        guard let resolver, randomKind == .resolvablePrivate else { return self }
        return resolver(self) ?? self
    }
}
