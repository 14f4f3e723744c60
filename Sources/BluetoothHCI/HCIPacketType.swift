/// The type of a packet on an H4 transport, its first byte (Core 6.0, Vol 4, Part A, 2).
public enum HCIPacketType: UInt8, Hashable, Sendable, CaseIterable {
    /// A command, from the host.
    case command = 1
    /// Asynchronous data of a link, in both directions.
    case acl = 2
    /// Synchronous data of BR/EDR, in both directions; transported, but not used by this library.
    case synchronous = 3
    /// An event, from the controller.
    case event = 4
    /// Isochronous data, in both directions; transported, but not used by this library.
    case iso = 5

    /// The number of bytes before the payload, including the packet type.
    @inlinable
    public var headerLength: Int {
        switch self {
        case .event: 3
        case .command, .synchronous: 4
        case .acl, .iso: 5
        }
    }
}
