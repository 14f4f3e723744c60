import BluetoothModel
import CryptoExtras

/// A digest of a server's attributes, by which a client sees whether it knows them (Core 6.0, Vol 3, Part G, 7.3).
enum DatabaseHash {
    /// AES-CMAC with a key of zeros, most significant octet first, as the specification prints it.
    static func digest(_ input: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: [UInt8](repeating: 0, count: 16))
        guard var code = try? AES.CMAC(key: key) else {
            // It throws for keys of other sizes than 16, 24 and 32 octets only.
            preconditionFailure("AES-CMAC takes a key of 16 octets")
        }
        input.withUnsafeBytes { code.update(bufferPointer: $0) }
        return code.finalize().withUnsafeBytes { [UInt8]($0) }
    }
}
