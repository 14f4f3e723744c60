import Foundation

/// A message that is pending for delivery to a receiver.
package struct OutboxMessage: Sendable {
    package var place: Int64
    /// A stable identifier, the same in each attempt.
    package var id: String
    /// True if the message retracts a reading that belongs to another person.
    package var isRetraction: Bool
    /// True if the receiver has the reading, retracted, and the message restores it.
    package var isRestoration = false
    /// The identifier under which a FHIR server has the reading, the same in all messages about it; nil for other
    /// receivers.
    package var observation: String?
    package var readingID: Int64
    /// The time at which the message was queued.
    package var created: Date
    /// The reading, with the person of the lane; nil in a retraction if the reading was deleted with the person to whom
    /// it belongs now.
    package var reading: StoredReading?
    package var person: Person?
    package var judgement: Judgement?
}

/// The messages for one receiver and one person, which are delivered in order.
package struct Lane: Sendable, Hashable {
    package var receiver, person: Int64
    /// The number of consecutive failed attempts.
    package var attempts: Int
    /// A random number of the lease. A lane that was claimed again has another one.
    package var fence: Int64
}

/// The state of a reading that was queued for a receiver on behalf of a person.
enum ForwardingState: Int64 {
    case forwarded
    case retracted
    /// Forwarded again after it was retracted: the receiver may have it, entered in error.
    case restored
}

/// The key of a lane, in the order in which transactions lock lanes.
struct LaneKey: Hashable, Comparable {
    var receiver, person: Int64

    static func < (first: LaneKey, second: LaneKey) -> Bool {
        (first.receiver, first.person) < (second.receiver, second.person)
    }
}
