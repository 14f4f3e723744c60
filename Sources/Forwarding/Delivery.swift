import Foundation
import JSON

/// The result of an attempt to deliver a message.
package enum Delivery: Sendable, Equatable {
    case delivered
    /// The receiver refused the message permanently.
    case refused(String)
    /// The receiver may accept the message later; `after` is the time it requested.
    case failed(String, after: Duration?)

    /// The result of a request that was not answered with a status of success.
    package static func failure(status: Int, answer: Data, after: Duration?) -> Delivery {
        let text = "responded with status \(status)" + reason(answer)
        return isPermanent(status) ? .refused(text) : .failed(text, after: after)
    }

    /// Returns true for the status of a message that the receiver will never accept.
    package static func isPermanent(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }

    /// Returns the reason that an answer states, after a colon; empty if it states none.
    package static func reason(_ answer: Data) -> String {
        guard let text = try? JSONValue(parsing: Array(answer.prefix(1 << 16))) else { return "" }
        let reason =
            text["issue"]?.elements.first?["diagnostics"]?.string ?? text["detail"]?.string ?? text["error"]?.string
        return reason.map { ": \($0.prefix(200))" } ?? ""
    }

    private static let longestPause = 3600.0

    /// Returns the seconds until the next attempt: 1 s, doubled with each failure up to an hour, with random jitter; or
    /// the pause that the receiver requested, if it is longer.
    package static func pause(after attempts: Int, requested: Duration?) -> Int64 {
        let own = min(pow(2, Double(min(attempts, 20))), longestPause) * Double.random(in: 0.5...1)
        // The store counts whole seconds: the present one may end at once.
        let longer = requested.map { ($0 / .seconds(1)).rounded(.up) + 1 } ?? 0
        return Int64(max(own.rounded(.up), longer))
    }
}
