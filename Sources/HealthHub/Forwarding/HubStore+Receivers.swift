import Crypto
import Forwarding
import Foundation
import GRDB

extension HubStore {
    /// Adds a receiver. It receives the readings that are stored for people or assigned to them from now on.
    /// - Throws: ``HubProblem`` for an invalid address, or if the name is taken.
    package func addReceiver(
        kind: Receiver.Kind, url: String, name: String?, options: Receiver.Options, isPlain: Bool,
        by who: String = HubStore.commandLine
    ) throws -> Receiver {
        try kind.form.check(url, hasToken: options.token != nil, isPlain: isPlain)
        let name = name ?? ReceiverAddress.shown(url)
        guard !name.isEmpty, name.utf8.count <= 2000 else {
            throw HubProblem(.invalid, "a name must have 1 to 2000 octets")
        }
        let secret: String? =
            switch kind.form.secret {
            case .none: nil
            case .hidden, .shown:
                "whsec_" + SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64EncodedString()
            }
        let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        return try database.write(.administration) { db in
            guard try (db.value("SELECT 1 FROM receiver WHERE name = ?", [name]) as Bool?) != true else {
                throw HubProblem(
                    .conflict,
                    "the receiver '\(Receiver.shown(name: name))' already exists; "
                        + "change it with 'harald hub forward set', or choose another --name"
                )
            }
            try db.run(
                "INSERT INTO receiver(name, kind, url, secret, options, created) VALUES (?, ?, ?, ?, ?, ?)",
                [name, kind.rawValue, url, secret, text, Self.now])
            try Self.audit(who, "forward add \(kind.rawValue)", db)
            return try Self.receiver(named: name, db)
        }
    }

    /// Changes the address, the token or the certificates of a receiver, which keeps its messages.
    /// - Parameters:
    ///   - url: the new address; nil for the present one.
    ///   - options: the new options; those that are nil stay.
    /// - Throws: ``HubProblem`` for an unknown name, an invalid address or an invalid token.
    package func changeReceiver(
        _ name: String, url: String?, options: Receiver.Options, isPlain: Bool, by who: String = HubStore.commandLine
    ) throws -> Receiver {
        try database.write(.administration) { db in
            var receiver = try Self.receiver(named: name, db)
            if !receiver.kind.form.hasPassword, let token = options.token, !SecretText.isToken(token) {
                throw HubProblem(.invalid, "a token has no blanks and no special characters")
            }
            receiver.options.token = options.token ?? receiver.options.token
            receiver.options.certificates = options.certificates ?? receiver.options.certificates
            if let url {
                try receiver.kind.form.check(url, hasToken: receiver.options.token != nil, isPlain: isPlain)
                receiver.url = url
            }
            let text = String(decoding: try JSONEncoder().encode(receiver.options), as: UTF8.self)
            try db.run("UPDATE receiver SET url = ?, options = ? WHERE id = ?", [receiver.url, text, receiver.id])
            try Self.audit(who, "forward set \(Receiver.shown(name: receiver.name))", db)
            return receiver
        }
    }

    /// Returns all receivers, in the order in which they were added.
    package func receivers() throws -> [Receiver] { try database.lookUp { try Self.receivers($0) } }

    static func receivers(_ db: any StoreConnection) throws -> [Receiver] {
        try db.rows("SELECT * FROM receiver ORDER BY id").map(Receiver.init)
    }

    private static func receiver(named name: String, _ db: any StoreConnection) throws -> Receiver {
        let row = try db.row(
            "SELECT * FROM receiver WHERE name = ? OR url = ? ORDER BY name = ? DESC", [name, name, name])
        if let row { return try Receiver(row) }
        let shown = try receivers(db).filter { Receiver.shown(name: $0.name) == name }
        if shown.count > 1 {
            throw HubProblem(.conflict, "several receivers are shown as '\(name)'; use their whole address")
        }
        guard let receiver = shown.first else {
            throw HubProblem(
                .notFound,
                "there is no receiver '\(Receiver.shown(name: name))'; 'harald hub forward list' lists the receivers")
        }
        return receiver
    }

    /// Returns the topics of the messages that a broker may retain after its receiver was removed; empty for another
    /// receiver. A hub that is connected to the broker clears them.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func retainedTopics(ofReceiver name: String) throws -> [String] {
        try database.read { db in
            let receiver = try Self.receiver(named: name, db)
            let people: [Int64] = try db.values(
                """
                SELECT person_id FROM departed WHERE receiver_id = ?
                UNION SELECT person_id FROM forwarded WHERE receiver_id = ? ORDER BY 1
                """, [receiver.id, receiver.id])
            return receiver.kind.form.retainedTopics(of: receiver, people: people)
        }
    }

    /// Removes a receiver with its pending messages.
    /// - Returns: the number of messages that were not delivered.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func removeReceiver(_ name: String, by who: String = HubStore.commandLine) throws -> Int {
        try database.write(.administration) { db in
            let id = try Self.receiver(named: name, db).id
            // Lanes before their messages, the order in which deliveries lock them.
            try db.run("DELETE FROM lane WHERE receiver_id = ?", [id])
            let count = try db.run("DELETE FROM outbox WHERE receiver_id = ?", [id])
            try db.run("DELETE FROM forwarded WHERE receiver_id = ?", [id])
            // A running hub still clears what the broker retains of deleted people. Rows of receivers that were removed
            // without one are left over.
            try db.run("DELETE FROM departed WHERE receiver_id NOT IN (SELECT id FROM receiver)", [])
            try db.run("DELETE FROM receiver WHERE id = ?", [id])
            try Self.audit(who, "forward remove \(Receiver.shown(name: name))", db)
            return count
        }
    }

    /// Makes all messages due at once, including parked ones.
    /// - Parameters:
    ///   - name: the receiver; nil for all.
    /// - Returns: the number of parked messages.
    /// - Throws: ``HubProblem`` for an unknown name.
    package func retryForwarding(_ name: String?, by who: String = HubStore.commandLine) throws -> Int {
        try database.write(.administration) { db in
            let receivers = try name.map { [try Self.receiver(named: $0, db)] } ?? Self.receivers(db)
            var count = 0
            for receiver in receivers {
                // A retraction that was refused after the reading had returned to the person must not follow the
                // message that restored the reading.
                try db.run(
                    """
                    DELETE FROM outbox WHERE receiver_id = ? AND parked = 1 AND retraction = 1
                    AND EXISTS(SELECT 1 FROM forwarded WHERE forwarded.receiver_id = outbox.receiver_id
                        AND forwarded.reading_id = outbox.reading_id AND forwarded.person_id = outbox.person_id
                        AND forwarded.state <> 1)
                    AND NOT EXISTS(SELECT 1 FROM outbox AS later WHERE later.receiver_id = outbox.receiver_id
                        AND later.person_id = outbox.person_id AND later.reading_id = outbox.reading_id
                        AND later.id > outbox.id)
                    """, [receiver.id])
                try db.run(
                    """
                    INSERT INTO lane(receiver_id, person_id)
                    SELECT DISTINCT receiver_id, person_id FROM outbox WHERE receiver_id = ? AND parked = 1
                    ON CONFLICT(receiver_id, person_id) DO UPDATE SET attempts = 0
                    """, [receiver.id])
                try db.run("UPDATE lane SET next_attempt = 0, attempts = 0 WHERE receiver_id = ?", [receiver.id])
                count += try db.run(
                    "UPDATE outbox SET parked = 0 WHERE receiver_id = ? AND parked = 1", [receiver.id])
            }
            try Self.audit(who, "forward retry", db)
            return count
        }
    }

    /// Returns the state of the forwarding to each receiver.
    package func outboxes() throws -> [OutboxState] {
        try database.read { db in
            try db.rows(
                """
                SELECT id, name, kind, url, last_error,
                (SELECT count(*) FROM outbox WHERE receiver_id = receiver.id AND parked = 0) AS pending,
                (SELECT count(*) FROM outbox WHERE receiver_id = receiver.id AND parked = 1) AS parked,
                (SELECT min(created) FROM outbox WHERE receiver_id = receiver.id AND parked = 0) AS oldest
                FROM receiver ORDER BY id
                """
            ).map { row in
                OutboxState(
                    id: row["id"], name: Receiver.shown(name: row["name"]), kind: row["kind"],
                    url: ReceiverAddress.shown(row["url"]), pending: row["pending"], parked: row["parked"],
                    oldest: (row["oldest"] as Int64?).map {
                        Date(seconds: $0).formatted(.iso8601)
                    }, lastError: (row["last_error"] as String?).map { ReceiverAddress.masked($0, for: row["url"]) })
            }
        }
    }
}
