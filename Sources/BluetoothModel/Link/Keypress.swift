/// A keypress notification during passkey entry (Core 6.0, Vol 3, Part H, 3.5.8).
public enum Keypress: UInt8, Hashable, Sendable, CaseIterable {
    /// The entry began.
    case started = 0
    /// A digit was entered.
    case digitEntered = 1
    /// A digit was erased.
    case digitErased = 2
    /// All digits were erased.
    case cleared = 3
    /// The entry is complete.
    case completed = 4
}
