import HealthHub
import JSON

extension ReadingSender {
    package struct Answered: Sendable {
        /// The identifier that the gateway generated.
        package var id: String
        /// The name of the device, or else its identifier; nil if unknown.
        package var device: String?
        /// The time at which the gateway received the reading (RFC 3339); nil if unknown.
        package var time: String?
        /// `stored`, `known` or `refused`; `unusable` for a queued entry that is not a reading, which was not sent.
        package var status: String
        /// The reason of a refusal, or the fault of an unusable entry.
        package var problem: String?
        /// The identifier of the person to whom the reading belongs; nil for nobody, and without a result.
        package var person: String?
        /// The judgement as sent by the hub.
        package var judgement: JSONValue?
        package var text: String
        /// The result as text, after the time and the device of the reading.
        package var fullText: String { ([time, device].compactMap { $0 } + [text]).joined(separator: "  ") }
    }

    package enum Event: Sendable {
        case answered(Answered)
        /// Nothing was sent: the reason, the number of queued readings, and the time until the next attempt. The number
        /// is nil if the queue cannot be read.
        case waiting(reason: String, queued: Int?, again: Duration)
    }

    package enum Attempt: Sendable, Equatable {
        /// The queue was empty.
        case nothing
        /// Entries left the queue.
        case progress
        /// The hub did not accept the readings; `after` is the time it requested until the next attempt.
        case failed(String, after: Duration?)
        /// The queue on this machine cannot be read or written.
        case blocked(String)

        /// The reason why readings remain in the queue; nil if there is none.
        package var reason: String? {
            switch self {
            case .nothing, .progress: nil
            case .failed(let reason, _), .blocked(let reason): reason
            }
        }
    }
}
