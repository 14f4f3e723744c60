import BluetoothRuntime

/// The identifier of an operation on one link, used to abandon it.
public struct LinkOperationID: RawRepresentable, Hashable, Sendable {
    /// The number, unique on its link.
    public var rawValue: UInt64

    /// Creates an identifier from its number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension LinkOperationID {
    /// Creates the bits of a caller: bits 48 to 62. Bit 63 is reserved for users that create identifiers of their own.
    init(caller: UInt16) { self.init(rawValue: UInt64(caller & 0x7FFF) << 48) }

    /// The caller of the operation: ``GATTClient/caller`` at the time it began.
    public var caller: UInt16 { UInt16(rawValue >> 48 & 0x7FFF) }
}

/// The identifier, deadline and priority shared by all requests of a procedure.
struct ATTOperation {
    /// The priority of a request among queued ones.
    enum Lane {
        /// A request made by a caller.
        case normal
        /// A request made by the stack itself, sent only when no other request is queued.
        case background
    }

    var id: LinkOperationID
    /// The deadline set by the caller; nil for the timeout of the protocol alone.
    var deadline: RadioInstant?
    var lane = Lane.normal
    /// True after the operation was repeated because the link lacked security; it is not repeated again.
    var isRepeated = false
}
