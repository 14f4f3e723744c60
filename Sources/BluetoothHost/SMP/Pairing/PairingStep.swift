/// The steps of a pairing (Core 6.0, Vol 3, Part H, 2.1), for logs.
package enum PairingStep: Hashable, Sendable {
    /// Both sides exchange their capabilities.
    case featureExchange
    /// Both sides prove that they have the same key.
    /// - model: the association model, as text.
    case authentication(model: String, isSecureConnections: Bool)
    /// The link is encrypted with the new key.
    case encryption
    /// The keys of the bond are exchanged.
    case keyDistribution
    /// The peer distributed an identity that does not belong to its link, so that the identity, or only its key, is
    /// dropped.
    case foreignIdentity
}

extension PairingStep: CustomStringConvertible {
    /// The step in words.
    package var description: String {
        switch self {
        case .featureExchange: "exchange of features"
        case .authentication(let model, let isSecureConnections):
            "authentication by \(model), \(isSecureConnections ? "LE Secure Connections" : "LE legacy pairing")"
        case .encryption: "encryption with the new key"
        case .keyDistribution: "distribution of keys"
        case .foreignIdentity: "an identity that does not belong to the link is dropped"
        }
    }
}

extension AssociationModel {
    /// The name in the specification.
    var name: String {
        switch self {
        case .justWorks: "Just Works"
        case .numericComparison: "Numeric Comparison"
        case .passkey: "Passkey Entry"
        case .outOfBand: "out-of-band data"
        }
    }
}
