import BluetoothModel
import CryptoExtras

/// The Database Hash, by which a client detects changes of the server's attributes (Core 6.0, Vol 3, Part G, 7.3).
package enum DatabaseHash {
    /// Returns the AES-CMAC of the input with an all-zero key, most significant octet first, as in the specification.
    package static func digest(_ input: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: [UInt8](repeating: 0, count: 16))
        guard var code = try? AES.CMAC(key: key) else {
            // Proof: `AES.CMAC` throws only for key sizes other than 16, 24 and 32 octets, and this key has 16.
            preconditionFailure("an AES-CMAC key must have 16 octets")
        }
        input.withUnsafeBytes { code.update(bufferPointer: $0) }
        return code.finalize().withUnsafeBytes { [UInt8]($0) }
    }
}
