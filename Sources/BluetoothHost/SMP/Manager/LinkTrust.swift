/// The trust in the identity of a link's peer.
///
/// A device that is bonded but communicates without encryption may be an impostor. Its values must not be trusted, or
/// mixed with those of the real device, before the link is encrypted with the key of the bond.
package enum LinkTrust: Hashable, Sendable {
    /// There is no bond with the device, so its identity is unknown.
    case stranger
    /// The device is bonded, but the link is not encrypted yet.
    case unproven
    /// The link is encrypted with the key of a bond or of a pairing on this link.
    case proven
}
