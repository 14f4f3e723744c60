import BluetoothRuntime

/// Names an operation on one link, so that it can be given up.
public struct ATTOperationID: RawRepresentable, Hashable, Sendable {
    /// The number, unique on its link.
    public var rawValue: UInt64

    /// An operation by its number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension ATTOperationID {
    /// The number of the caller is in bits 48 to 62; the last bit is free for those who name operations of their own.
    init(caller: UInt16) { self.init(rawValue: UInt64(caller & 0x7FFF) << 48) }

    /// Who asked for the operation: ``GATTClient/caller`` when it began.
    public var caller: UInt16 { UInt16(rawValue >> 48 & 0x7FFF) }
}

/// What a procedure carries through all of its requests: its name, and when its caller gives up.
struct ATTOperation {
    /// Who goes first when several wait.
    enum Lane {
        /// What somebody asked for.
        case normal
        /// The stack's own errands, which go out while nobody else waits.
        case background
    }

    var id: ATTOperationID
    /// When the caller has waited enough; nil to wait as long as the protocol does.
    var deadline: RadioInstant?
    var lane = Lane.normal
    /// Whether it was refused before because the link was not protected enough: it is not done a third time.
    var isRepeated = false
}
