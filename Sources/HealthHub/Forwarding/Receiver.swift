#if Programs
import Foundation
import GRDB

/// A system to which the hub forwards readings.
package struct Receiver: Sendable, Hashable {
    /// How a receiver takes readings.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// A FHIR R4 server, by transactions with conditional create.
        case fhir
        /// An MQTT broker, with Home Assistant's discovery.
        case mqtt
        /// A program that takes signed posts (Standard Webhooks 1.0).
        case webhook
    }

    /// What else belongs to a receiver.
    package struct Options: Sendable, Hashable, Codable {
        /// Bearer token, or the password of a broker.
        package var token: String?
        /// File of the certificates in PEM that are trusted instead of the system's.
        package var certificates: String?

        /// No options.
        package init(token: String? = nil, certificates: String? = nil) {
            (self.token, self.certificates) = (token, certificates)
        }
    }

    /// Identifier.
    package var id: Int64
    /// Name, by default the address.
    package var name: String
    /// Kind.
    package var kind: Kind
    /// Address.
    package var url: String
    /// Secret with which webhooks are signed: `whsec_` and Base64.
    package var secret: String?
    /// Options.
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

    /// An address as it is shown.
    static func withoutPassword(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return "" }
        parts.user = nil
        parts.password = nil
        return parts.string ?? ""
    }

    /// Checks an address.
    /// - Parameter isPlain: plain text beyond this machine is allowed.
    /// - Throws: ``HubProblem`` that says how to write it.
    static func check(_ url: String, _ kind: Kind, isPlain: Bool) throws {
        let schemes = kind == .mqtt ? ["mqtt", "mqtts"] : ["http", "https"]
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            schemes.contains(scheme), let host = parts.host, !host.isEmpty, url.utf8.count <= 2000
        else {
            throw HubProblem(
                .invalid, "'\(url)' is no address of this kind; write \(schemes.joined(separator: ":// or "))://")
        }
        guard kind == .mqtt || parts.user == nil else {
            throw HubProblem(.invalid, "an address has no password; name a file with --token-file")
        }
        let isLoopback = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
        guard isLoopback || isPlain || scheme == schemes[1] else {
            throw HubProblem(
                .invalid, "'\(url)' would send readings in the clear; use \(schemes[1])://, or allow it with --plain")
        }
    }
}

/// State of the forwarding to a receiver.
package struct OutboxState: Sendable, Equatable, Encodable {
    /// Name of the receiver.
    package var name: String
    /// Kind of the receiver.
    package var kind: String
    /// Address of the receiver.
    package var url: String
    /// Number of messages that wait.
    package var pending: Int
    /// Number of messages that the receiver refused for good.
    package var parked: Int
    /// When the oldest waiting message was queued (RFC 3339).
    package var oldest: String?
    /// The latest problem.
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
        try container.encode(lastError, forKey: .lastError)
    }
}
#endif
