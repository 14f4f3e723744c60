/// A violation of an invariant.
struct Failure: Error, Hashable, Sendable {
    /// An invariant of worlds; the raw value is its name in reports.
    enum Invariant: String, Sendable {
        /// Each operation ends within its time limit.
        case time
        /// An operation fails only for a reason that exists in the world.
        case reason
        /// Values arrive in order, none twice.
        case order
        /// No value arrives that was not sent.
        case invented
        /// No value is missing without a reason that exists in the world.
        case missing
        /// A value read is one that the device had during the read.
        case read
        /// States follow each other as documented, and operations succeed only on links that can be used.
        case state
        /// Data that requires encryption is not sent without it.
        case secrecy
        /// A written value reaches the device exactly once.
        case write
        /// The subscribers that a device knows are those that have subscribed.
        case subscribers
        /// After the end of all faults, links that reconnect are connected and subscribed again.
        case recovery
        /// No resources remain after everything was closed.
        case leftover
        /// Neither end of a link, nor a controller, receives packets that violate the protocol.
        case `protocol`
        /// A scan finds the advertising devices.
        case scan
        /// Each turn of the loop ends.
        case livelock
        /// Two runs of the same world are identical.
        case replay
        /// The program neither crashes nor hangs.
        case crash
    }

    var invariant: Invariant
    /// The number of the last step that had begun, counted from 1; 0 before the first.
    var step: Int
    /// The simulated time, in nanoseconds.
    var time: Int64
    var detail: String
}
