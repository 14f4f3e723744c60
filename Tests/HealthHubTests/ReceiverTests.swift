#if Programs
import Foundation
import PeerSupport
import Testing

@testable import HealthHub

@Suite("Receivers", .timeLimit(.minutes(5)))
struct ReceiverTests {
    @Test(
        "The shown address contains no secret",
        arguments: [
            ("https://h.example/a?token=s3cret&room=5", "https://h.example/a?token=***&room=***"),
            ("https://h.example/a?s3cret", "https://h.example/a?***"),
            ("https://h.example/a#s3cret", "https://h.example/a"),
            ("https://h.example/a?t=%73%33cret%2F&b", "https://h.example/a?t=***&***"),
            ("mqtts://anna:s3cret@h.example:8883", "mqtts://h.example:8883"),
            ("http://127.0.0.1:9000/readings", "http://127.0.0.1:9000/readings"),
        ])
    func shown(_ address: String, _ shown: String) { #expect(Receiver.shown(address) == shown) }

    @Test("A token in an address is masked everywhere, also in errors", arguments: StoreKind.all)
    func masked(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let address = "http://127.0.0.1:9/hook?token=s3cret%2Fvalue"
        let shown = "http://127.0.0.1:9/hook?token=***"
        let add = HubCommand.addReceiver(
            kind: .webhook, url: address, name: nil, options: .init(), isPlain: false)
        var texts = store.perform(add).items.flatMap { [$0.json, $0.text] }
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("T-1", to: anna.id)
        var reading = SubmittedReading()
        (reading.id, reading.device, reading.characteristic) = ("1", .init(serial: "T-1"), "2A1C")
        (reading.hex, reading.time) = ("006E0100FF", "2026-11-20T08:00:00Z")
        _ = try store.store([reading], gateway: "g")
        let receiver = try #require(try store.receivers().first)
        #expect(receiver.url == address)
        let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1).first)
        try await store.release(lane, pause: 0, error: "cannot post to \(address), token s3cret/value")
        let outbox = try #require(try store.outboxes().first)
        #expect(outbox.name == shown && outbox.url == shown)
        #expect(outbox.lastError == "cannot post to http://127.0.0.1:9/hook?token=***, token ***")
        texts += store.perform(add).problem.map { [$0] } ?? []
        texts += store.perform(.listReceivers).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.retryReceivers(name: shown)).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.removeReceiver(name: address)).items.flatMap { [$0.json, $0.text] }
        texts += store.perform(.removeReceiver(name: address)).problem.map { [$0] } ?? []
        texts += store.perform(.listAudit).items.flatMap { [$0.json, $0.text] }
        #expect(texts.count > 10 && texts.allSatisfy { !$0.contains("s3cret") })
        #expect(try store.receivers().isEmpty)
    }

    @Test("A name that an earlier version made of an address with a token is masked, and still found")
    func formerName() throws {
        let temporary = try TemporaryStore(.sqlite)
        let store = temporary.store
        let address = "http://127.0.0.1:9/hook?token=s3cret"
        _ = try store.addReceiver(kind: .webhook, url: address, name: address, options: .init(), isPlain: false)
        let shown = try #require(try store.outboxes().first).name
        #expect(shown == "http://127.0.0.1:9/hook?token=***")
        #expect(try store.retryForwarding(shown) == 0)
        _ = try store.removeReceiver(shown)
        #expect(try store.receivers().isEmpty)
    }
}
#endif
