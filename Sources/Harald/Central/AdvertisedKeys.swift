import BluetoothCipher
import BluetoothModel
import BluetoothProfiles

/// The keys of devices that encrypt what they advertise, such as the bind keys of BTHome and of Xiaomi's sensors.
public struct AdvertisedKeys: Sendable {
    private var ciphers: [UInt64: AESCCM] = [:]

    /// Creates keys of no device.
    public init() {}

    /// The number of devices that have a key.
    public var count: Int { ciphers.count }

    /// Sets the key of a device; of 16 bytes, most significant first. Returns false for another number of bytes.
    @discardableResult
    public mutating func set(_ key: [UInt8], of address: BluetoothAddress) -> Bool {
        guard key.count == 16 else { return false }
        ciphers[address.value] = AESCCM(AESKey(littleEndian: key.reversed()))
        return true
    }

    /// A decoder with these keys.
    public var decoder: AdvertisedValueDecoder {
        let ciphers = ciphers
        return AdvertisedValueDecoder { part in
            guard let cipher = ciphers[part.address.value] else { return .noKey }
            guard let nonce = AESCCM.Nonce(part.nonce) else { return .invalid }
            let text = cipher.open(part.text, check: part.check, nonce: nonce, associatedData: part.associatedData)
            return text.map { .text($0) } ?? .invalid
        }
    }

    /// Encrypts the text of a part with the key of the device; returns false if there is none.
    @discardableResult
    public func seal(_ part: inout SealedPart) -> Bool {
        guard let cipher = ciphers[part.address.value], let nonce = AESCCM.Nonce(part.nonce) else { return false }
        (part.text, part.check) = cipher.seal(part.text, nonce: nonce, associatedData: part.associatedData)
        return true
    }
}
