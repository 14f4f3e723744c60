/// Whether what comes over a link comes from whom it says.
///
/// A device that was bonded and answers unencrypted may be an impostor: its values are not to be believed, and not to
/// be mixed with those of the real one, before the link is encrypted with the bond's key.
public enum LinkTrust: Hashable, Sendable {
    /// No bond with the device: nothing is known, and nothing promised.
    case stranger
    /// The device is bonded, and the link not encrypted, or not yet.
    case unproven
    /// The link is encrypted with the key of a bond, or of a pairing on this link.
    case proven
}
