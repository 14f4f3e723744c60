import BluetoothModel

/// The encrypted part of a frame: AES-CCM with a check of 4 bytes.
public struct SealedPart: Hashable, Sendable {
    /// The bytes of the frame before the encrypted ones.
    public var header: [UInt8]
    /// The nonce, 12 or 13 bytes.
    public var nonce: [UInt8]
    /// The additional authenticated data.
    public var associatedData: [UInt8]
    /// The bytes that are encrypted, or are to be.
    public var text: [UInt8]
    /// The message integrity check.
    public var check: [UInt8]
    /// The address of the device, which is part of the nonce.
    public var address: BluetoothAddress
    /// A number that grows with each different frame.
    public var counter: UInt32
}

/// The result of the decryption of a part.
public enum OpenedPart: Hashable, Sendable {
    /// There is no key for the device.
    case noKey
    /// The key does not fit, or the bytes were changed.
    case invalid
    /// The decrypted bytes.
    case text([UInt8])
}

/// A format whose frames may be encrypted.
public protocol SealedFormat: AdvertisedFormat {
    /// Returns the encrypted part of a frame; nil if nothing is encrypted.
    /// - Throws: ``ValueError`` if the frame is too short, or the address of the device is not known.
    static func sealedPart(of frame: AdvertisedFrame) throws(ValueError) -> SealedPart?
    /// Returns the address of the device whose values a frame has; nil if it has none, or the address is not known.
    static func sender(ofValuesIn frame: AdvertisedFrame) -> BluetoothAddress?
    /// Returns the part to encrypt of the encoded value.
    /// - Throws: ``ValueError`` if the value is not an encrypted one.
    func part(toSeal bytes: [UInt8], counter: UInt32, address: BluetoothAddress) throws(ValueError) -> SealedPart
    /// Returns the bytes of a frame with an encrypted part.
    static func bytes(of part: SealedPart) -> [UInt8]
}

extension SealedFormat {
    /// Returns the address from which the frame was sent.
    public static func sender(ofValuesIn frame: AdvertisedFrame) -> BluetoothAddress? { frame.address }

    /// Returns the structure that advertises the encrypted value.
    /// - Parameters:
    ///   - counter: a number that grows with each different frame.
    ///   - seal: encrypts the text of a part, and sets its check.
    /// - Throws: ``ValueError`` that names the field that is out of range.
    public func structure(
        counter: UInt32, address: BluetoothAddress, seal: (inout SealedPart) -> Void
    ) throws(ValueError) -> AdvertisingData.Structure {
        var part = try part(toSeal: try encoded(), counter: counter, address: address)
        seal(&part)
        return Self.structure(Self.start + Self.bytes(of: part))
    }
}

extension BluetoothAddress {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (40 - 8 * UInt64($0))) } }

    /// Creates an address from its bytes, most significant first.
    init(bigEndian bytes: some Sequence<UInt8>) {
        self.init(value: bytes.reduce(0) { $0 << 8 | UInt64($1) }, kind: .public)
    }
}
