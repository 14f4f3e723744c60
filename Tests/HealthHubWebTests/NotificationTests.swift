import AsyncHTTPClient
import Foundation
import HealthHub
import JSON
import Synchronization
import TestSupport
import Testing

@testable import HealthHubWeb

@Suite("Notices that are sent", .timeLimit(.minutes(2)), .blocksThread)
struct NotificationTests {
    private struct Rig {
        let store: HubStore
        let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "n\(UInt32.random(in: 0...UInt32.max))")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            store = try HubStore(path: directory.appending(path: "hub.sqlite").path, assessor: Assessor())
            _ = try store.assign("BP-1", to: store.addPerson(PersonChange(name: "Anna", born: "1961-04-30")).id)
        }
    }

    private func measure(_ systolic: Int, _ store: HubStore, daysAgo: Double = 0) throws {
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        reading.fields = [
            "systolic": ["value": .string("\(systolic)"), "unit": "mmHg"],
            "diastolic": ["value": "88", "unit": "mmHg"],
        ]
        reading.time = Date(timeIntervalSinceNow: -daysAgo * 86400 - 1).formatted(.iso8601)
        _ = try store.store([reading], gateway: "g")
    }

    /// Runs `body` with a rig, an address that answers with `status`, and a function that sends what is due at a time.
    private func with(
        status: @escaping @Sendable () -> Int = { 200 },
        _ body: @escaping @Sendable (Rig, String, HubStub, @Sendable (Date) async -> Void) async throws -> Void
    ) async throws {
        let rig = try Rig()
        defer { try? FileManager.default.removeItem(at: rig.directory) }
        let stub = HubStub { _, _ in HubStub.Answer(status: status(), body: "{}") }
        try await stub.run { url in
            try await body(rig, url, stub) { time in
                await NotificationSender(store: rig.store, zone: .gmt).sendAll(at: time)
            }
        }
        try rig.store.close()
    }

    private func bodies(_ stub: HubStub) -> [String] { stub.received.map { String(decoding: $0.body, as: UTF8.self) } }

    @Test("An urgent value is told, again after the interval, and no more when it was seen")
    func urgent() async throws {
        try await with { rig, url, stub, send in
            _ = try rig.store.addNotifier(kind: .ntfy, url: url, name: "n", options: .init(), isPlain: false)
            let now = Date()
            try measure(142, rig.store)
            await send(now)
            #expect(stub.received.isEmpty)
            try measure(192, rig.store)
            for minutes in [0.0, 5, 14, 16, 20] { await send(now.addingTimeInterval(minutes * 60)) }
            #expect(bodies(stub).count == 2 && bodies(stub)[0].hasPrefix("Anna: 192/88 mmHg"), "\(bodies(stub))")
            let notice = try #require(try rig.store.state(of: 1)?.notices.first)
            try rig.store.acknowledge(notice.code, measured: notice.time, of: 1, by: "dr")
            await send(now.addingTimeInterval(3600))
            #expect(stub.received.count == 2)
            #expect(try rig.store.state(of: 1)?.notices.first?.acknowledged?.who == "dr")
            #expect(try rig.store.notifiers()[0].lastError == nil && rig.store.notifiers()[0].lastSent != nil)
        }
    }

    @Test("An overdue measurement is told once a day, and not in the quiet hours")
    func overdue() async throws {
        try await with { rig, url, stub, send in
            var options = Notifier.Options()
            options.quiet = "22:00-07:00"
            _ = try rig.store.addNotifier(
                kind: .homeassistant, url: url, name: "h", options: options, isPlain: false)
            try measure(130, rig.store, daysAgo: 3)
            _ = try rig.store.changePerson(1) {
                try $0.settings.change(targets: [], withoutTargets: [], every: ["bloodPressure=1"])
            }
            let midnight = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86400).rounded(.up) * 86400)
            for hour in [1.0, 6.9, 7.1, 12, 21, 23, 31.2] { await send(midnight.addingTimeInterval(hour * 3600)) }
            #expect(stub.received.count == 2, "\(bodies(stub))")
            #expect(
                bodies(stub)[0].contains("blood pressure is overdue")
                    || bodies(stub)[0].contains("Blood pressure is overdue"))
        }
    }

    @Test("A failed delivery is shown and tried again; another address is not affected")
    func failures() async throws {
        let isBroken = Mutex(true)
        try await with(status: { isBroken.withLock { $0 } ? 500 : 200 }) { rig, url, stub, send in
            _ = try rig.store.addNotifier(kind: .webhook, url: url, name: "w", options: .init(), isPlain: false)
            _ = try rig.store.addNotifier(
                kind: .ntfy, url: "http://127.0.0.1:1/topic", name: "off", options: .init(), isPlain: false)
            try measure(192, rig.store)
            let now = Date()
            await send(now)
            #expect(try rig.store.notifiers().map { $0.lastError != nil } == [true, true])
            #expect(rig.store.perform(.listNotifiers).items[0].text.contains("FAILED: responded with status 500"))
            isBroken.withLock { $0 = false }
            await send(now.addingTimeInterval(60))
            await send(now.addingTimeInterval(120))
            #expect(try rig.store.notifiers().map { $0.lastError != nil } == [false, true])
            #expect(stub.received.count == 2)
            #expect(stub.received.last?.headers["webhook-signature"]?.hasPrefix("v1,") == true)
        }
    }

    @Test("A hub that cannot write its store tells urgent values, at the interval, and sends no heartbeat")
    func unwritable() async throws {
        try await with { rig, url, stub, send in
            _ = try rig.store.addNotifier(kind: .ntfy, url: url, name: "n", options: .init(), isPlain: false)
            _ = try rig.store.addNotifier(kind: .heartbeat, url: url, name: "beat", options: .init(), isPlain: false)
            try measure(192, rig.store)
            let file = rig.directory.appending(path: "hub.sqlite")
            try FileManager.default.moveItem(at: file, to: rig.directory.appending(path: "other.sqlite"))
            let sender = NotificationSender(store: rig.store, zone: .gmt)
            let now = Date()
            for minutes in [0.0, 5, 14, 16, 20] { await sender.sendAll(at: now.addingTimeInterval(minutes * 60)) }
            #expect(bodies(stub).count == 2 && !bodies(stub).contains(""), "\(bodies(stub))")
        }
    }

    @Test("A heartbeat is sent at its interval, a discreet notice has neither name nor value, a test arrives")
    func others() async throws {
        try await with { rig, url, stub, send in
            var options = Notifier.Options()
            options.minutes = 5
            _ = try rig.store.addNotifier(kind: .heartbeat, url: url, name: "beat", options: options, isPlain: false)
            let now = Date()
            for minutes in [0.0, 1, 4, 6] { await send(now.addingTimeInterval(minutes * 60)) }
            #expect(bodies(stub) == ["", ""])
            try rig.store.removeNotifier("beat")
            options = Notifier.Options()
            (options.isDiscreet, options.people) = (true, [1])
            _ = try rig.store.addNotifier(kind: .ntfy, url: url, name: "n", options: options, isPlain: false)
            try measure(192, rig.store)
            await send(now)
            #expect(bodies(stub).last == "Urgent value of person 1: see the hub.")
            try rig.store.testNotifier("n")
            await send(now)
            await send(now)
            #expect(stub.received.count == 4 && bodies(stub).last?.contains("no alarm system") == false)
            for (kind, url, quiet) in [
                (Notifier.Kind.ntfy, "http://192.0.2.1/x", nil as String?), (.ntfy, "ftp://x", nil),
                (.ntfy, url, "25:00-1"),
            ] {
                options.quiet = quiet
                #expect(throws: HubProblem.self) {
                    try rig.store.addNotifier(kind: kind, url: url, name: "x", options: options, isPlain: false)
                }
            }
        }
    }
}
