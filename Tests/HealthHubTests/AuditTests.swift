import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The audit log of the hub", .blocksThread)
struct AuditTests {
    @Test("An assignment names the device by its number, a deletion the person", arguments: StoreKind.all)
    func numbers(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        #expect(store.perform(.assign(device: "Anna's cuff", person: anna.id, user: 2)).problem == nil)
        let device = try #require(try store.devices().first).id
        _ = try store.assign("Anna's cuff", to: anna.id, by: "dr")
        _ = try store.unassign("Anna's cuff", user: 2, by: "dr")
        #expect(throws: HubProblem.self) { try store.unassign("Anna's cuff", user: 2, by: "dr") }
        #expect(store.perform(.deletePerson(id: anna.id)).problem == nil)
        // A change that was refused is not in the log.
        #expect(store.perform(.deletePerson(id: anna.id)).code == .notFound)
        let entries = try store.auditLog()
        #expect(
            entries.map(\.action) == [
                "person delete \(anna.id)", "unassign id:\(device) \(anna.id) user 2",
                "assign id:\(device) \(anna.id)", "assign id:\(device) \(anna.id) user 2", "person add \(anna.id)",
            ])
        #expect(entries.map(\.who) == ["command line", "dr", "dr", "command line", "command line"])
    }

    @Test("A change without room for its entry is not made", arguments: StoreKind.all)
    func atomicity(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.addToken(name: "g", role: .gateway)
        try store.addUser(name: "dr", role: .reader, hash: "")
        let receiver = HubCommand.addReceiver(
            kind: .webhook, url: "http://127.0.0.1:1/", name: "w", options: .init(), isPlain: false)
        #expect(store.perform(receiver).problem == nil)
        _ = try store.assign("T-1", to: anna.id)
        let devices = try store.devices()
        let entries = try store.auditLog()
        _ = try store.database.write(.rows) { try $0.run("ALTER TABLE audit RENAME TO former_audit", []) }
        for command: HubCommand in [
            .addToken(name: "h", role: .gateway), .revokeToken(name: "g"),
            .addUser(name: "nurse", role: .reader, hash: ""), .removeUser(name: "dr"),
            .changeUser(name: "dr", hash: "h"),
            .addPerson(PersonChange(name: "Bert", born: "1958-02-03")),
            .changePerson(id: anna.id, PersonChange()),
            .deletePerson(id: anna.id), .assign(device: "BP-1", person: anna.id, user: nil),
            .unassign(device: "T-1", user: nil),
            .addReceiver(kind: .webhook, url: "http://127.0.0.1:1/", name: "v", options: .init(), isPlain: false),
            .removeReceiver(name: "w"), .retryReceivers(name: nil),
        ] {
            #expect(store.perform(command).problem != nil, "\(command)")
        }
        _ = try store.database.write(.rows) { try $0.run("ALTER TABLE former_audit RENAME TO audit", []) }
        #expect(try store.auditLog() == entries)
        #expect(try store.tokens().map(\.name) == ["g"])
        #expect(try store.users().map(\.name) == ["dr"])
        #expect(try store.people() == [anna])
        #expect(try store.devices() == devices)
        #expect(try store.receivers().map(\.name) == ["w"])
    }

    @Test("An entry is one line, whatever names it has", arguments: StoreKind.all)
    func lines(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        try temporary.store.audit("x\n2026-11-26  root", "wrong password\r\u{2028}\0from 127.0.0.1")
        let entry = try #require(try temporary.store.auditLog().first)
        #expect(entry.who == #"x\u{A}2026-11-26  root"#)
        #expect(entry.action == #"wrong password\u{D}\u{2028}\u{0}from 127.0.0.1"#)
        for name in ["a\nb", "\0", " "] {
            #expect(throws: HubProblem.self) { try temporary.store.addToken(name: name, role: .reader) }
            #expect(throws: HubProblem.self) { try temporary.store.addUser(name: name, role: .reader, hash: "") }
        }
    }
}
