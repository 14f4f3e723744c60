import BluetoothModel

/// A packet of the security manager protocol (Core 6.0, Vol 3, Part H, 3.5 and 3.6).
///
/// 128-bit values and coordinates are stored most significant octet first; packets contain them in reverse order.
package enum SecurityPacket: Hashable {
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

    /// The code, which is the first octet of a packet.
    package enum Code: UInt8, CaseIterable {
        case pairingRequest = 0x01, pairingResponse, confirm, random, failed
        case encryptionInformation, centralIdentification, identityInformation, identityAddress, signingInformation
        case securityRequest, publicKey, dhKeyCheck, keypress
    }

    /// The reason why octets are not a valid packet.
    package enum Fault: Error, Hashable {
        /// The packet is empty or has an unknown code. It must be ignored (3.3).
        case unknownCode
        /// The packet is too short or too long, or a field has an invalid value.
        case malformed(Code)
    }

    package var code: Code {
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
    /// The kind of the packet, without its values.
    package var description: String { "\(code)" }
}
