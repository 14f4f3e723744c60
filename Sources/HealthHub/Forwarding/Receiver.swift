import Forwarding
import Foundation
import GRDB

/// A system to which the hub forwards readings.
package struct Receiver: Sendable, Hashable {
    /// The kinds of receivers, by their names in commands and in the store.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case fhir, mqtt, webhook

        /// The properties of the kind. No other code has cases for kinds.
        package var form: any ReceiverKind {
            switch self {
            case .fhir: FHIRReceiver()
            case .mqtt: MQTTReceiverKind()
            case .webhook: WebhookReceiver()
            }
        }
    }

    /// Optional settings of a receiver.
    package struct Options: Sendable, Hashable, Codable {
        /// The bearer token, or the password of a broker.
        package var token: String?
        /// The file of trusted certificates in PEM, instead of the system's.
        package var certificates: String?

        package init(token: String? = nil, certificates: String? = nil) {
            (self.token, self.certificates) = (token, certificates)
        }
    }

    package var id: Int64
    /// The name; by default the address as it is shown.
    package var name: String
    package var kind: Kind
    package var url: String
    /// The secret for signing webhooks: `whsec_` and Base64.
    package var secret: String?
    /// The optional settings.
    package var options: Options

    init(_ row: Row) throws {
        id = row["id"]
        name = row["name"]
        guard let kind = Kind(rawValue: row["kind"]) else {
            throw HubProblem(.unavailable, "the store has a receiver of an unknown kind; update harald")
        }
        self.kind = kind
        url = row["url"]
        secret = row["secret"]
        options = try JSONDecoder().decode(Options.self, from: Data((row["options"] as String).utf8))
    }

    /// Returns a name for display. A name may be an address with a token.
    package static func shown(name: String) -> String { name.contains("://") ? ReceiverAddress.shown(name) : name }
}

/// The state of the forwarding to a receiver.
package struct OutboxState: Sendable, Equatable, Encodable {
    /// The number of the receiver, which no other one gets. It is not encoded.
    package var id: Int64
    package var name: String
    /// The protocol of the receiver.
    package var kind: String
    /// The address of the receiver.
    package var url: String
    /// The number of pending messages.
    package var pending: Int
    /// The number of messages that the receiver refused permanently.
    package var parked: Int
    /// The time at which the oldest pending message was queued (RFC 3339).
    package var oldest: String?
    /// The latest error, in English; it is encoded in the language of the encoder.
    package var lastError: String?

    private enum Key: String, CodingKey { case name, kind, url, pending, parked, oldest, lastError }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(kind, forKey: .kind)
        try container.encode(url, forKey: .url)
        try container.encode(pending, forKey: .pending)
        try container.encode(parked, forKey: .parked)
        try container.encode(oldest, forKey: .oldest)
        try container.encode(lastError.map(HubText.init(failure:)), forKey: .lastError)
    }
}
