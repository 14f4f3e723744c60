import Forwarding
import Foundation
import JSON

/// A kind of receiver: its addresses, its secret, the messages that it accepts, and how they are delivered.
package protocol ReceiverKind: Sendable {
    /// The kind in a sentence, for the help of `harald hub forward add`.
    var help: String { get }
    var schemes: (plain: String, encrypted: String) { get }
    /// True if the token of a receiver is the password of the user in its address.
    var hasPassword: Bool { get }
    var secret: ReceiverSecret { get }
    /// The way in which messages are delivered.
    var transport: ReceiverTransport { get }
    /// Returns false for a message that receivers of the kind cannot use.
    func accepts(_ message: OutboxMessage) -> Bool
    /// Returns the identifier under which receivers of the kind have a reading; nil for that of the hub.
    func observation(of reading: StoredReading) -> String?
    /// Returns the topics of the messages that a receiver may retain after it was removed.
    func retainedTopics(of receiver: Receiver, people: [Int64]) -> [String]
}

extension ReceiverKind {
    package var hasPassword: Bool { false }
    package func accepts(_ message: OutboxMessage) -> Bool { true }
    package func observation(of reading: StoredReading) -> String? { nil }
    package func retainedTopics(of receiver: Receiver, people: [Int64]) -> [String] { [] }

    /// Checks an address.
    /// - Parameters:
    ///   - hasToken: true if there is a token or a password besides the address.
    ///   - isPlain: true to allow unencrypted connections beyond this machine.
    /// - Throws: ``HubProblem`` with the correct form.
    func check(_ url: String, hasToken: Bool, isPlain: Bool) throws(HubProblem) {
        let (plain, encrypted) = schemes
        switch ReceiverAddress.problem(
            of: url, plain: plain, encrypted: encrypted, hasPassword: hasPassword, hasToken: hasToken,
            isPlainAllowed: isPlain)
        {
        case nil: return
        case .form:
            throw HubProblem(
                .invalid,
                "'\(ReceiverAddress.shown(url))' is not an address of this kind; use \(plain):// or \(encrypted)://")
        case .password:
            throw HubProblem(.invalid, "the address must not contain a password; use --token-file")
        case .user(let scheme): throw HubProblem(.invalid, "the address needs a user: \(scheme)://USER@HOST")
        case .unencrypted:
            throw HubProblem(
                .invalid,
                "'\(ReceiverAddress.shown(url))' would send readings unencrypted; use \(encrypted)://, or allow it with "
                    + "--plain")
        }
    }
}

package enum ReceiverSecret: Sendable {
    case none
    /// A secret that only the hub uses.
    case hidden
    /// A secret that is shown once, to configure the receiver.
    case shown
}

/// The way in which messages are delivered.
package enum ReceiverTransport: Sendable {
    /// A POST request for each message.
    case http(any HTTPReceiverKind)
    /// Messages that a broker distributes.
    case mqtt
}

/// A kind of receiver that gets a POST request for each message.
package protocol HTTPReceiverKind: ReceiverKind {
    /// Returns the headers and the body of the request for a message; nil for a message that is not sent.
    func request(for message: OutboxMessage, to receiver: Receiver) -> HTTPReceiverRequest?
    /// Returns the result of a request that was answered with a status of success.
    func result(of request: HTTPReceiverRequest, answer: Data) -> Delivery
}

extension HTTPReceiverKind {
    package var schemes: (plain: String, encrypted: String) { ("http", "https") }
    package var transport: ReceiverTransport { .http(self) }
    package func result(of request: HTTPReceiverRequest, answer: Data) -> Delivery { .delivered }
}

/// The headers and the body of a request to a receiver.
package struct HTTPReceiverRequest: Sendable {
    package var headers: [(name: String, value: String)]
    package var body: JSONValue
}
