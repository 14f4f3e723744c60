import Harald

/// An L2CAP channel that a device accepts.
public struct DeviceChannel: Hashable, Sendable {
    /// The behaviour on a channel that a central opened.
    public enum Behaviour: Hashable, Sendable {
        /// Each message is sent back.
        case echo
        /// Messages of this length in octets are sent without pause. Each begins with its number, 32 bits
        /// little-endian.
        case source(length: Int)
        /// Messages are received and dropped.
        case sink
    }

    /// The PSM, 0x80 to 0xFF.
    public var psm: UInt16
    /// The behaviour.
    public var behaviour: Behaviour
    /// True if the link has to be encrypted.
    public var requiresEncryption = false

    /// Creates a channel.
    public init(psm: UInt16, _ behaviour: Behaviour) {
        self.psm = psm
        self.behaviour = behaviour
    }
}
