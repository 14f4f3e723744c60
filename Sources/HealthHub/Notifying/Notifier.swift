import Forwarding
import Foundation
import GRDB
import JSON

/// An address to which the hub sends urgent values and overdue measurements.
package struct Notifier: Sendable, Hashable {
    /// The forms of the requests.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case ntfy
        /// A program that receives signed posts (Standard Webhooks 1.0).
        case webhook
        /// A notify service of Home Assistant: `https://HOST/api/services/notify/SERVICE`.
        case homeassistant
        /// A mailbox, through a server for submitting mails.
        case mail
        /// A service that tells when requests stay away: it gets an empty post at each interval, and no notices.
        case heartbeat
    }

    package struct Mail: Sendable, Hashable, Codable {
        /// The addresses of the sender and the recipient.
        package var from, to: String
        /// The name of the account at the server; nil for none.
        package var user: String?
        /// True for a server on this machine without encryption.
        package var isPlain = false

        package init(from: String, to: String, user: String?) { (self.from, self.to, self.user) = (from, to, user) }
    }

    package struct Options: Sendable, Hashable, Codable {
        /// The bearer token, or the password of the account at a mail server.
        package var token: String?
        /// The sender, the recipient and the account of mails; nil for other kinds.
        package var mail: Mail?
        /// The hours in which overdue measurements are not told, "22:00-07:00"; nil for none.
        package var quiet: String?
        /// The minutes after which an urgent value is told again until somebody has seen it; 0 for never. Of a
        /// heartbeat, its interval.
        package var minutes = 15
        /// The people; nil for all.
        package var people: [Int64]?
        /// True to send neither names nor values.
        package var isDiscreet = false
        /// The tag of the language of the texts; nil for English.
        package var language: String?

        /// Creates the default settings.
        package init() {}
    }

    package var id: Int64
    package var name: String
    package var kind: Kind
    package var url: String
    /// The key of a webhook.
    package var secret: String?
    package var options: Options
    /// The time of the last delivery, in seconds since 1970.
    package var lastSent: Int64?
    /// The problem of the last attempt; nil if it succeeded.
    package var lastError: String?
    package var isTestDue: Bool

    init(_ row: Row) throws {
        guard let kind = Kind(rawValue: row["kind"]) else {
            throw HubProblem(.unavailable, "the store has a notifier of an unknown kind; update harald")
        }
        (id, name, self.kind, url, secret) = (row["id"], row["name"], kind, row["url"], row["secret"])
        options = try JSONDecoder().decode(Options.self, from: Data((row["options"] as String).utf8))
        (lastSent, lastError, isTestDue) = (row["last_sent"], row["last_error"], row["test"])
    }

    package func isQuiet(at time: Date, in zone: TimeZone) -> Bool {
        guard let hours = options.quiet.flatMap(Self.hours) else { return false }
        let minute = Int(time.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: time))) / 60 % 1440
        return hours.start <= hours.end
            ? (hours.start..<hours.end).contains(minute) : minute >= hours.start || minute < hours.end
    }

    /// Parses quiet hours, as minutes of a day; nil for another text.
    static func hours(_ text: String) -> (start: Int, end: Int)? {
        let form = /([01]?[0-9]|2[0-3]):([0-5][0-9])-([01]?[0-9]|2[0-3]):([0-5][0-9])/
        guard let match = text.wholeMatch(of: form) else { return nil }
        func minutes(_ hour: Substring, _ minute: Substring) -> Int { (Int(hour) ?? 0) * 60 + (Int(minute) ?? 0) }
        return (minutes(match.1, match.2), minutes(match.3, match.4))
    }

    /// Returns the title and the text for an alert, in the language of the notifier.
    func texts(of alert: Alert) -> (title: String, text: String) {
        let language = Language.all.first { $0.code == options.language } ?? .english
        let title: HubText = alert.isUrgent ? "Urgent value" : "Overdue measurement"
        let text: HubText =
            options.isDiscreet
            ? "\(title) of person \(alert.person): see the hub." : "\(alert.name): \(alert.sentence)"
        return (title.text(in: language), text.text(in: language))
    }

    /// Returns the mail for an alert, with its server and the account; nil for another kind.
    /// - Throws: ``HubProblem`` for settings that ``HubStore/addNotifier(kind:url:name:options:isPlain:by:)`` refuses.
    package func mail(
        for alert: Alert, at time: Date
    ) throws -> (message: MailMessage, server: MailServer, account: (name: String, password: String)?)? {
        guard kind == .mail, let mail = options.mail else { return nil }
        let (title, text) = texts(of: alert)
        let language = Language.all.first { $0.code == options.language } ?? .english
        let purpose: HubText = "This hub is no alarm system."
        return (
            MailMessage(
                from: mail.from, to: mail.to, subject: options.isDiscreet ? title : "\(title): \(alert.name)",
                text: "\(text)\r\n\r\n\(purpose.text(in: language))\r\n", date: time),
            try MailServer(url, isPlain: mail.isPlain), mail.user.map { ($0, options.token ?? "") }
        )
    }

    package func request(for alert: Alert, at time: Date) -> (headers: [(name: String, value: String)], body: String) {
        let (title, text) = texts(of: alert)
        switch kind {
        case .ntfy:
            let tag = alert.isUrgent ? "rotating_light" : "hourglass"
            return (
                [
                    ("title", MailMessage.encoded(title, separator: " ")), ("priority", alert.isUrgent ? "5" : "3"),
                    ("tags", tag),
                ], text
            )
        case .homeassistant:
            let body: JSONValue = ["title": .string(title), "message": .string(text)]
            return ([("content-type", "application/json")], body.text)
        case .webhook:
            let id = "msg_\(UUID().uuidString.lowercased())"
            let person: JSONValue = .known([
                "id": .string(String(alert.person)), "name": options.isDiscreet ? nil : .string(alert.name),
            ])
            let body = JSONValue.object([
                "type": .string(alert.isUrgent ? "notice.urgent" : "notice.overdue"), "id": .string(id),
                "timestamp": .string(time.formatted(.iso8601)),
                "data": .object(["person": person, "code": .string(alert.code), "text": .string(text)]),
            ]).text
            return (WebhookSignature.headers(id: id, body: body, secret: secret, now: time), body)
        case .heartbeat, .mail: return ([], "")
        }
    }
}

/// A notice or an overdue measurement that nobody has seen.
package struct Alert: Sendable, Equatable {
    package var person: Int64
    package var name: String
    /// The code of the notice, or `overdue-KIND`.
    package var code: String
    /// The time of the measurement, or that at which it was due.
    package var time: String
    package var sentence: HubText
    package var isUrgent: Bool

    package static let test = Alert(
        person: 0, name: "Test", code: "test", time: "", sentence: "This hub can reach you. It is no alarm system.",
        isUrgent: false)

    package var key: String { "\(code) \(time)" }
}

package struct NotifierItem: Sendable, Encodable {
    package let name, kind, url: String
    package let lastSent: String?
    package let lastError: HubText?

    init(_ notifier: Notifier) {
        (name, kind, url) = (notifier.name, notifier.kind.rawValue, ReceiverAddress.shown(notifier.url))
        lastSent = notifier.lastSent.map { Date(seconds: $0).formatted(.iso8601) }
        lastError = notifier.lastError.map(HubText.init(failure:))
    }
}
