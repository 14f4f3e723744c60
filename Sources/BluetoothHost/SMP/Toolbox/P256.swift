import CryptoExtras

/// The public key of a peer, not validated yet: two coordinates of 32 octets, most significant octet first.
package struct P256Point: Hashable {
    let x: [UInt8]
    let y: [UInt8]

    /// The public debug key, whose private key is published (Core 6.0, Vol 3, Part H, 2.3.5.6.1).
    static let debug = P256KeyPair.debug.point
}

/// A key pair for the key agreement of LE Secure Connections (Core 6.0, Vol 3, Part H, 2.3.5.6.1).
struct P256KeyPair {
    private let key: P256.KeyAgreement.PrivateKey
    /// The public key.
    let point: P256Point

    /// Creates a pair from its private key, 32 octets, most significant first; nil if it is out of the range of the
    /// curve.
    init?(privateKey: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey) else { return nil }
        self.key = key
        let octets = [UInt8](key.publicKey.rawRepresentation)
        point = P256Point(x: Array(octets.prefix(32)), y: Array(octets.suffix(32)))
    }

    /// Generates a random key pair.
    init(from random: SecurityRandom.Source) {
        while true {
            // A random number is out of range with a probability of about 2 to the power of -32.
            guard let pair = P256KeyPair(privateKey: random(32)) else { continue }
            self = pair
            return
        }
    }

    /// The debug key pair. It gives no protection, because sniffers know it.
    static let debug: P256KeyPair = {
        let octets: [UInt8] = [
            0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50,
            0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
        ]
        guard let pair = P256KeyPair(privateKey: octets) else {
            // Proof: the octets are a constant of the specification, from which the tests create a key pair.
            preconditionFailure("the debug key must be below the order of the curve")
        }
        return pair
    }()

    /// Returns the shared secret with a peer; nil if the point is not on the curve.
    func secret(with point: P256Point) -> [UInt8]? {
        guard let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: point.x + point.y),
            let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
        else { return nil }
        return secret.withUnsafeBytes { [UInt8]($0) }
    }
}
