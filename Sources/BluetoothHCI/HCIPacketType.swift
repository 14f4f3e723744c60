/// The first byte of a packet on an H4 transport (Core 6.0, Vol 4, Part A, 2).
public enum HCIPacketType: UInt8, Hashable, Sendable, CaseIterable {
    /// From the host: a command.
    case command = 1
    /// Either way: asynchronous data of a link.
    case acl = 2
    /// Either way: synchronous data of BR/EDR; carried, never used here.
    case synchronous = 3
    /// From the controller: an event.
    case event = 4
    /// Either way: isochronous data; carried, never used here.
    case iso = 5

    /// How many bytes come before the payload, the type byte included.
    @inlinable
    public var headerLength: Int {
        switch self {
        case .event: 3
        case .command, .synchronous: 4
        case .acl, .iso: 5
        }
    }
}
