import Crypto
import Forwarding
import Foundation
import GRDB

/// The notifiers, and what they were told. `notified` has an alert from the first attempt on; the hub that changes its
/// row sends it, so that of several hubs one does.
extension HubStore {
    /// Adds a notifier.
    /// - Throws: ``HubProblem`` for an invalid address or setting, an unknown person, or a name that is taken.
    package func addNotifier(
        kind: Notifier.Kind, url: String, name: String?, options: Notifier.Options, isPlain: Bool,
        by who: String = HubStore.commandLine
    ) throws -> Notifier {
        guard (kind == .mail) == (options.mail != nil) else {
            throw HubProblem(.invalid, "a mail needs --from and --to, and other kinds have none")
        }
        if let mail = options.mail {
            _ = try MailServer(url, isPlain: mail.isPlain)
            for address in [mail.from, mail.to] where !MailMessage.isAddress(address) {
                throw HubProblem(.invalid, "'\(address)' is no mail address; expected a form such as anna@example.org")
            }
            guard (mail.user == nil) == (options.token == nil) else {
                throw HubProblem(.invalid, "an account has a name and a password: --user NAME --password-file FILE")
            }
        } else {
            try WebhookReceiver().check(url, hasToken: options.token != nil, isPlain: isPlain)
        }
        if let quiet = options.quiet, Notifier.hours(quiet) == nil {
            throw HubProblem(.invalid, "'\(quiet)' are no quiet hours; expected a form such as 22:00-07:00")
        }
        guard options.language == nil || Language.all.contains(where: { $0.code == options.language }) else {
            let codes = Language.all.map(\.code).joined(separator: ", ")
            throw HubProblem(.invalid, "there is no language '\(options.language ?? "")'; the languages are \(codes)")
        }
        guard (0...1440).contains(options.minutes), kind != .heartbeat || options.minutes > 0 else {
            throw HubProblem(.invalid, "the interval must be 0 to 1440 minutes, and not 0 for a heartbeat")
        }
        let name = name ?? ReceiverAddress.shown(url)
        try Self.checkName(name, longest: 2000)
        let secret =
            kind == .webhook
            ? "whsec_" + SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString() : nil
        let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        return try database.write(.administration) { db in
            guard try !db.isTrue("SELECT EXISTS(SELECT 1 FROM notifier WHERE name = ?)", [name]) else {
                throw HubProblem(.conflict, "'\(name)' already exists; remove it, or choose another --name")
            }
            for id in options.people ?? [] { try Self.knownPerson(id, db) }
            try db.run(
                "INSERT INTO notifier(name, kind, url, secret, options, created) VALUES (?, ?, ?, ?, ?, ?)",
                [name, kind.rawValue, url, secret, text, Self.now])
            try Self.audit(who, "notify add \(kind.rawValue)", db)
            guard let row = try db.row("SELECT * FROM notifier WHERE name = ?", [name]) else {
                throw HubProblem(.unavailable, "the store did not add the notifier")
            }
            return try Notifier(row)
        }
    }

    /// Returns all notifiers, in the order in which they were added.
    package func notifiers() throws -> [Notifier] {
        try database.read { try $0.rows("SELECT * FROM notifier ORDER BY id").map(Notifier.init) }
    }

    /// Removes a notifier.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func removeNotifier(_ name: String, by who: String = HubStore.commandLine) throws {
        try database.write(.administration) { db in
            try db.run("DELETE FROM notified WHERE notifier_id IN (SELECT id FROM notifier WHERE name = ?)", [name])
            guard try db.run("DELETE FROM notifier WHERE name = ?", [name]) > 0 else {
                throw HubProblem(.notFound, "there is no notifier '\(name)'; 'harald hub notify' lists them")
            }
            try Self.audit(who, "notify remove", db)
        }
    }

    /// Lets the running hub send a test.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func testNotifier(_ name: String) throws {
        guard try database.write(.rows, { try $0.run("UPDATE notifier SET test = 1 WHERE name = ?", [name]) }) > 0
        else {
            throw HubProblem(.notFound, "there is no notifier '\(name)'; 'harald hub notify' lists them")
        }
    }

    /// Returns the urgent notices that nobody has seen, and the overdue measurements, of all people.
    package func alerts(now: Date = Date(), zone: TimeZone = .current) throws -> [Alert] {
        try database.read { db in
            try db.rows("SELECT * FROM person ORDER BY id").map(Person.init).flatMap { person in
                let urgent = try notices(of: person, now, zone, db).filter { $0.urgent && $0.acknowledged == nil }
                let counted = person.settings.every.isEmpty ? [] : try counted(of: person, latest(of: person, db), db)
                let late = try overdue(person, counted, now, db)
                return urgent.map { notice in
                    Alert(
                        person: person.id, name: person.name, code: notice.code, time: notice.time,
                        sentence: notice.sentence, isUrgent: true)
                }
                    + late.map { late in
                        let title = HubText(MeasurementKind.named(late.kind)?.title ?? late.kind)
                        return Alert(
                            person: person.id, name: person.name, code: "overdue-\(late.kind)",
                            time: late.due ?? "never",
                            sentence: late.last.flatMap(ReadingTime.date).map {
                                "\(title) is overdue; the last one: \(day: $0, in: zone)"
                            } ?? "\(title) is overdue; there is none yet", isUrgent: false)
                    }
            }
        }
    }

    /// Claims an alert for a notifier.
    /// - Returns: false if it was told before and is not due again, or another hub has claimed it.
    package func claim(_ alert: Alert, for notifier: Notifier, now: Date = Date()) throws -> Bool {
        let seconds = Int64(now.timeIntervalSince1970)
        // An overdue measurement is sent once a day.
        let interval = alert.isUrgent ? Int64(notifier.options.minutes) * 60 : 86400
        return try database.write(.rows) { db in
            let added = try db.run(
                """
                INSERT INTO notified(notifier_id, person_id, alert, first, last, count) VALUES (?, ?, ?, ?, ?, 1)
                ON CONFLICT DO NOTHING
                """, [notifier.id, alert.person, alert.key, seconds, seconds])
            if added > 0 {
                try db.run("DELETE FROM notified WHERE last < ?", [seconds - 40 * 86400])
                return true
            }
            guard interval > 0 else { return false }
            return try db.run(
                """
                UPDATE notified SET last = ?, count = count + 1
                WHERE notifier_id = ? AND person_id = ? AND alert = ? AND last <= ?
                """, [seconds, notifier.id, alert.person, alert.key, seconds - interval]) > 0
        }
    }

    /// Records the outcome of a request.
    /// - Parameters:
    ///   - alert: the alert, which is told again if it failed; nil for a test or a heartbeat.
    ///   - problem: nil for a success.
    package func noteNotified(_ notifier: Notifier, _ alert: Alert?, problem: String?) throws {
        try database.write(.rows) { db in
            if let problem {
                let text = ReceiverAddress.masked(String(problem.prefix(300)), for: notifier.url)
                try db.run("UPDATE notifier SET last_error = ?, test = 0 WHERE id = ?", [text, notifier.id])
                if let alert {
                    try db.run(
                        "DELETE FROM notified WHERE notifier_id = ? AND person_id = ? AND alert = ?",
                        [notifier.id, alert.person, alert.key])
                }
            } else {
                try db.run(
                    "UPDATE notifier SET last_error = NULL, last_sent = ?, test = 0 WHERE id = ?",
                    [Self.now, notifier.id])
            }
        }
    }
}

extension Notifier {
    /// The form for lists.
    package var item: NotifierItem { NotifierItem(self) }
}
