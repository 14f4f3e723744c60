/// Something that must hold and did not.
struct Failure: Error, Hashable, Sendable {
    /// What a world has to hold, by the name that a failure is reported with.
    enum Invariant: String, Sendable {
        /// Each operation ends in its time.
        case time
        /// An operation fails only for a reason that there is.
        case reason
        /// Values arrive in order, none twice.
        case order
        /// No value arrives that nobody sent.
        case invented
        /// No value is missing without a reason that there is.
        case missing
        /// A value read is one that the device had meanwhile.
        case read
        /// What needs encryption is not sent without.
        case secrecy
        /// A value written reaches the device, once.
        case write
        /// Whom a device takes for a subscriber has subscribed, and the other way round.
        case subscribers
        /// After the faults have stopped, what reconnects is connected and subscribed again.
        case recovery
        /// Nothing is left once all is closed.
        case leftover
        /// A turn of the loop ends.
        case livelock
        /// The same world twice does the same.
        case replay
        /// The program does not crash, and does not hang.
        case crash
    }

    var invariant: Invariant
    /// The number of the last step that had begun, counted from 1; 0 before the first.
    var step: Int
    /// Simulated nanoseconds.
    var time: Int64
    var detail: String
}
