import BluetoothModel
import Forwarding
import Foundation
import JSON

/// An administration command. `harald hub` runs it on the store, or sends it to the hub that has the store open.
package enum HubCommand: Codable, Sendable {
    case addToken(name: String, role: Role, people: [Int64] = [], devices: [String] = [])
    case listTokens
    case addUser(name: String, role: Role, hash: String, people: [Int64] = [])
    case changeUser(name: String, hash: String)
    case listUsers
    case removeUser(name: String)
    case listAudit
    case listReads(person: Int64?)
    case revokeToken(name: String)
    case listWaiting(person: Int64?)
    case decide(ReadingDecision, readings: [Int64])
    case addPerson(PersonChange)
    case changePerson(id: Int64, PersonChange)
    case listRules
    case listGateways
    case listPeople
    case deletePerson(id: Int64)
    case assign(device: String, person: Int64, user: Int?)
    case unassign(device: String, user: Int?)
    case listDevices
    case backup(path: String)
    case addReceiver(kind: Receiver.Kind, url: String, name: String?, options: Receiver.Options, isPlain: Bool)
    case changeReceiver(name: String, url: String?, options: Receiver.Options, isPlain: Bool)
    case listReceivers
    case removeReceiver(name: String)
    case retryReceivers(name: String?)
    case export(path: String, format: ExportFormat, person: Int64?)
    case addNotifier(kind: Notifier.Kind, url: String, name: String?, options: Notifier.Options, isPlain: Bool)
    case importReadings(
        text: String, person: Int64, columns: [String: String], order: String?, isDryRun: Bool)
    case listNotifiers
    case removeNotifier(name: String)
    case testNotifier(name: String)
}

package struct HubAnswer: Codable, Sendable {
    package struct Item: Codable, Sendable {
        package var json, text: String

        package init(json: String, text: String) { (self.json, self.text) = (json, text) }
    }

    /// The kind of problem; nil if the command succeeded.
    package var code: HubProblem.Code?
    package var problem: String?
    package var items: [Item] = []

    package init(code: HubProblem.Code? = nil, problem: String? = nil, items: [Item] = []) {
        (self.code, self.problem, self.items) = (code, problem, items)
    }
}

extension HubAnswer {
    /// Creates the answer to ``HubCommand/listRules``, which needs no store.
    /// - Throws: an error of encoding a rule.
    package init(rulesOf assessor: Assessor) throws {
        items = try assessor.rules.map { try item(RuleItem($0), "\($0.id)  \($0.range)  \($0.source)") }
    }
}

extension HubCommand {
    /// The file that the command writes; nil for none.
    package var target: String? {
        switch self {
        case .backup(let path), .export(let path, _, _): path
        default: nil
        }
    }

    /// Returns the command with another file to write.
    package func writing(to path: String) -> HubCommand {
        switch self {
        case .backup: .backup(path: path)
        case .export(_, let format, let person): .export(path: path, format: format, person: person)
        default: self
        }
    }

    /// True for a command that is useful with a new store. Any other one on a missing file has a wrong path.
    package var mayCreateStore: Bool {
        switch self {
        case .addToken, .addUser, .addPerson, .addReceiver: true
        default: false
        }
    }

    /// The time within which a hub performs the command: as long as it takes to copy or rewrite a large store, or a
    /// minute.
    package var timeLimit: Duration {
        switch self {
        case .backup, .export, .importReadings, .deletePerson, .assign, .unassign: .seconds(24 * 3600)
        default: .seconds(60)
        }
    }
}

extension HubStore {
    /// Runs a command. Problems are returned in the answer.
    package func perform(_ command: HubCommand) -> HubAnswer {
        do {
            return HubAnswer(items: try items(of: command))
        } catch {
            let problem = HubProblem(error)
            return HubAnswer(code: problem.code, problem: problem.description)
        }
    }

    /// Runs a command, and returns the objects of the answer.
    private func items(of command: HubCommand) throws -> [HubAnswer.Item] {
        switch command {
        case .addToken(let name, let role, let people, let devices):
            let token = try addToken(name: name, role: role, people: people, devices: devices)
            let isBound = !people.isEmpty || !devices.isEmpty
            let all = role == .gateway ? "sends readings for everybody, and reads their states" : "is for everybody"
            let text = """
                \(token)
                This is the only time that the token of '\(name)' is shown. Its role is \(role.rawValue)\
                \(isBound ? "." : "; it \(all). --person\(role == .gateway ? " and --device bind" : " binds") a token.")
                """
            return one(["name": .string(name), "role": .string(role.rawValue), "token": .string(token)], text)
        case .listTokens: return try tokens().map { try item($0, $0.line) }
        case .revokeToken(let name):
            try revokeToken(name: name)
            return named(name, "revoked '\(name)'")
        case .addUser(let name, let role, let hash, let people):
            try addUser(name: name, role: role, hash: hash, people: people)
            let scope = people.isEmpty ? nil : AccessScope(people: Set(people))
            let bound = scope.map { ", for \($0.line)" } ?? ""
            let user = UserRecord(name: name, role: role, scope: scope)
            return [try item(user, "added '\(name)', \(role.rawValue)\(bound)")]
        case .changeUser(let name, let hash):
            try changeUser(name: name, hash: hash)
            return named(name, "changed the password of '\(name)'")
        case .listUsers:
            return try users().map {
                try item($0, "\($0.name)  \($0.role.rawValue)  \($0.scope.map(\.line) ?? "all")")
            }
        case .removeUser(let name):
            try removeUser(name: name)
            return named(name, "removed '\(name)'")
        case .listAudit: return try auditLog().map { try item($0, "\($0.time)  \($0.who)  \($0.action)") }
        case .listReads(let person):
            return try accessLog(of: person).map { try item($0, "\($0.hour)  \($0.who)  person \($0.person)") }
        case .listWaiting(let person):
            return try waitingReadings(of: person).map {
                try item($0, "\($0.id)  person \($0.person)  \($0.time)  \($0.text)  \($0.reason)")
            }
        case .decide(let decision, let readings):
            try decide(decision, on: readings)
            return readings.flatMap { id in
                let text =
                    switch decision {
                    case .accept: "reading \(id) counts"
                    case .exclude: "reading \(id) does not count; 'harald hub reading accept \(id)' puts it back"
                    case .move(let person): "reading \(id) belongs to \(person.map { "person \($0)" } ?? "nobody")"
                    }
                return one(["reading": .string(String(id))], text)
            }
        case .addPerson(let new):
            let person = try addPerson(new)
            return [try item(PersonItem(person), "\(person.id)  \(person.name)")]
        case .changePerson(let id, let change):
            let person = try changePerson(id) { try change.apply(to: &$0) }
            let lines = person.settings.targets.map { "target: \($0.text)" } + person.settings.intervals
            return [try item(PersonItem(person), ([person.line] + lines).joined(separator: "\n  "))]
        case .listRules: return try HubAnswer(rulesOf: assessor).items
        case .listPeople: return try people().map { try item(PersonItem($0), $0.line) }
        case .deletePerson(let id):
            let deletion = try deletePerson(id)
            let problem = deletion.problem.map { "\n\($0)" } ?? ""
            return [try item(deletion, "deleted person \(id) and \(deletion.readings.counted("reading"))\(problem)")]
        case .importReadings(let text, let person, let columns, let order, let isDryRun):
            let file = try CSVImport(
                text, person: person, columns: columns, order: order.flatMap(CSVImport.DateOrder.init))
            let report = try importReadings(file, of: person, isDryRun: isDryRun)
            return [try item(report, report.text)]
        case .export(let path, let format, let person):
            let count = try export(to: path, format: format, person: person)
            try audit(Self.commandLine, "export \(format.rawValue)" + (person.map { " person \($0)" } ?? ""))
            let lack = format == .csv ? "values" : "a FHIR code"
            let omitted =
                "; \(count.omitted.counted("reading")) without \(lack) \(count.omitted == 1 ? "is" : "are") not in it"
            return one(
                ["export": .string(path), "readings": .int(count.written), "omitted": .int(count.omitted)],
                "wrote \(count.written.counted("reading")) to \(path)" + (count.omitted == 0 ? "" : omitted))
        case .backup(let path):
            try backup(to: path)
            try audit(Self.commandLine, "backup")
            return one(["backup": .string(path)], "wrote \(path)")
        case .assign, .unassign, .listDevices, .listGateways: return try itemsOfDevices(command)
        case .addReceiver, .changeReceiver, .listReceivers, .removeReceiver, .retryReceivers, .addNotifier,
            .listNotifiers, .removeNotifier, .testNotifier:
            return try itemsOfAddresses(command)
        }
    }

    private func itemsOfDevices(_ command: HubCommand) throws -> [HubAnswer.Item] {
        switch command {
        case .assign(let device, let person, let user):
            let count = try assign(device, to: person, user: user)
            let isKnown = try isKnown(device)
            // The name may have a typing error.
            let advice = """

                No device with this name, number or address has sent a reading yet; its readings will be assigned when \
                it does.
                """
            return one(
                [
                    "device": .string(device), "person": .string("\(person)"), "user": user.map { .int($0) },
                    "readings": .int(count), "known": .bool(isKnown),
                ],
                "\(device) is assigned to person \(person), with \(count.counted("stored reading"))"
                    + (isKnown ? "" : advice))
        case .unassign(let device, let user):
            let ended = try unassign(device, user: user)
            let name = user.map { "user \($0) of \(device)" } ?? device
            return one(
                [
                    "device": .string(device), "user": user.map { .int($0) }, "person": .string("\(ended.person)"),
                    "readings": .int(ended.readings),
                ],
                "\(name) is no longer assigned to person \(ended.person); "
                    + ended.readings.counted("stored reading belongs", "stored readings belong") + " to nobody now")
        case .listDevices:
            return try devices().map { device in
                let name = device.name ?? device.serial ?? device.address ?? "device \(device.id)"
                let contact = device.lastContact.map { "last \($0.formatted(.iso8601))" } ?? "no contact yet"
                // These distinguish devices with the same serial number.
                let others = [device.model, device.address ?? device.systemID].compactMap { $0 }
                let parts = [String(device.id), name, device.serial ?? "-"] + others + [contact]
                return try item(device, parts.joined(separator: "  "))
            }
        default:
            return try gateways().map { gateway in
                let token = gateway.hasToken ? "has a token" : "no token of this name"
                return try item(gateway, "\(gateway.name)  last \(gateway.lastContact.formatted(.iso8601))  \(token)")
            }
        }
    }

    /// Runs a command about receivers or notifiers.
    private func itemsOfAddresses(_ command: HubCommand) throws -> [HubAnswer.Item] {
        func text(_ secret: String?, signs messages: String) -> String {
            secret.map { "\n\($0)\nThis is the only time that the secret is shown. It signs the \(messages)." } ?? ""
        }
        func members(_ receiver: Receiver, secret: String? = nil) -> [String: JSONValue?] {
            [
                "name": .string(Receiver.shown(name: receiver.name)), "kind": .string(receiver.kind.rawValue),
                "url": .string(ReceiverAddress.shown(receiver.url)), "secret": secret.map { .string($0) },
            ]
        }
        switch command {
        case .addReceiver(let kind, let url, let name, let options, let isPlain):
            let receiver = try addReceiver(kind: kind, url: url, name: name, options: options, isPlain: isPlain)
            let shown = if case .shown = kind.form.secret { receiver.secret } else { nil as String? }
            return one(
                members(receiver, secret: shown),
                "new readings are forwarded to \(Receiver.shown(name: receiver.name))\(text(shown, signs: "messages"))")
        case .changeReceiver(let name, let url, let options, let isPlain):
            let receiver = try changeReceiver(name, url: url, options: options, isPlain: isPlain)
            let shown = Receiver.shown(name: receiver.name)
            return one(
                members(receiver), "changed \(shown); 'harald hub forward retry' sends parked messages again")
        case .removeReceiver(let name):
            let topics = try retainedTopics(ofReceiver: name)
            let count = try removeReceiver(name)
            let name = Receiver.shown(name: name)
            let commands = topics.map { "\n  mosquitto_pub -h HOST -r -n -t \($0)" }.joined()
            let advice =
                topics.isEmpty
                ? ""
                : ". A running hub clears the retained messages if it is connected to the broker; otherwise:" + commands
            return one(
                [
                    "name": .string(name), "dropped": .int(count),
                    "retained": .array(topics.map { .string($0) }),
                ], "removed \(name); \(count.counted("message was", "messages were")) not delivered\(advice)")
        case .retryReceivers(let name):
            let count = try retryForwarding(name)
            return one(
                ["name": name.map { .string(Receiver.shown(name: $0)) }, "parked": .int(count)],
                "retrying now; \(count.counted("message was", "messages were")) parked")
        case .listReceivers:
            return try outboxes().map { outbox in
                let error = outbox.lastError.map { "  \($0)" } ?? ""
                let line = "\(outbox.name)  \(outbox.kind)  \(outbox.pending) pending  \(outbox.parked) parked\(error)"
                return try item(outbox, line)
            }
        case .addNotifier(let kind, let url, let name, let options, let isPlain):
            let notifier = try addNotifier(kind: kind, url: url, name: name, options: options, isPlain: isPlain)
            return one(
                ["name": .string(notifier.name), "secret": notifier.secret.map { .string($0) }],
                "'harald hub notify test \(notifier.name)' tests it; the hub is no alarm system"
                    + text(notifier.secret, signs: "posts"))
        case .removeNotifier(let name):
            try removeNotifier(name)
            return named(name, "removed '\(name)'")
        case .testNotifier(let name):
            try testNotifier(name)
            return named(name, "the running hub sends a test now; 'harald hub notify' shows the outcome")
        default:
            return try notifiers().map(\.item).map { one in
                let state =
                    one.lastError.map { "FAILED: \($0)" } ?? one.lastSent.map { "last \($0)" } ?? "nothing sent yet"
                return try item(one, "\(one.name)  \(one.kind)  \(one.url)  \(state)")
            }
        }
    }

    /// Returns true if an assigned device has sent a reading.
    private func isKnown(_ device: String) throws -> Bool {
        try database.read { db in
            guard let id = try Self.knownDevice(named: device, db).id else { return false }
            return try (db.value("SELECT last_contact FROM device WHERE id = ?", [id]) as Int64?) != nil
        }
    }
}

private func item(_ value: some Encodable, _ text: String) throws -> HubAnswer.Item {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return HubAnswer.Item(json: String(decoding: try encoder.encode(value), as: UTF8.self), text: text)
}

private func named(_ name: String, _ text: String) -> [HubAnswer.Item] { one(["name": .string(name)], text) }

/// Returns one item with the members that are not nil.
private func one(_ members: [String: JSONValue?], _ text: String) -> [HubAnswer.Item] {
    [HubAnswer.Item(json: JSONValue.known(members).text, text: text)]
}

extension Person {
    fileprivate var line: String {
        var parts = [String(id), name, "born \(born)", guideline.rawValue, setting.rawValue]
        if pregnant { parts.append("pregnant") }
        if settings.diabetes == true { parts.append("diabetes") }
        if let height = settings.height { parts.append("\(height) m") }
        return parts.joined(separator: "  ")
    }
}
