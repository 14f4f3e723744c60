import BluetoothModel

/// One packet of the security manager protocol (Core 6.0, Vol 3, Part H, 3.5 and 3.6).
///
/// Values of 128 bits and coordinates are most significant octet first here, and least significant first in the packet.
enum SecurityPacket: Hashable {
    case pairingRequest(PairingFeatures)
    case pairingResponse(PairingFeatures)
    case confirm([UInt8])
    case random([UInt8])
    case failed(PairingFailureReason)
    case encryptionInformation(SecurityKey)
    case centralIdentification(diversifier: UInt16, randomNumber: UInt64)
    case identityInformation(SecurityKey)
    case identityAddress(BluetoothAddress)
    case signingInformation(SecurityKey)
    case securityRequest(AuthenticationRequirements)
    case publicKey(P256Point)
    case dhKeyCheck([UInt8])
    case keypress(Keypress)

    /// The first octet of a packet.
    enum Code: UInt8, CaseIterable {
        case pairingRequest = 0x01, pairingResponse, confirm, random, failed
        case encryptionInformation, centralIdentification, identityInformation, identityAddress, signingInformation
        case securityRequest, publicKey, dhKeyCheck, keypress
    }

    /// Why octets are no packet.
    enum Fault: Error, Hashable {
        /// No code, or one that has no meaning: to be ignored (3.3).
        case unknownCode
        /// Too short, too long, or a field without a meaning.
        case malformed(Code)
    }

    var code: Code {
        switch self {
        case .pairingRequest: .pairingRequest
        case .pairingResponse: .pairingResponse
        case .confirm: .confirm
        case .random: .random
        case .failed: .failed
        case .encryptionInformation: .encryptionInformation
        case .centralIdentification: .centralIdentification
        case .identityInformation: .identityInformation
        case .identityAddress: .identityAddress
        case .signingInformation: .signingInformation
        case .securityRequest: .securityRequest
        case .publicKey: .publicKey
        case .dhKeyCheck: .dhKeyCheck
        case .keypress: .keypress
        }
    }
}

extension SecurityPacket: CustomStringConvertible {
    /// The kind of the packet, and none of its values.
    var description: String { "\(code)" }
}
