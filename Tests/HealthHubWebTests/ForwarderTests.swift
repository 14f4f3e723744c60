import Crypto
import Forwarding
import Foundation
import HealthHub
import JSON
import PeerSupport
import Synchronization
import TestSupport
import Testing

@testable import HealthHubWeb

@Suite("Forwarding", .timeLimit(.minutes(3)), .blocksThread)
struct ForwarderTests {
    private final class Rig: Sendable {
        let store: HubStore
        private let location: StoreLocation

        init(_ kind: StoreKind = .sqlite) throws {
            location = try StoreLocation(kind)
            store = try location.open()
            for name in ["Anna", "Ben"] { _ = try store.addPerson(PersonChange(name: name, born: "1961-04-30")) }
            _ = try store.assign("BP-1", to: 1)
            _ = try store.assign("BP-2", to: 2)
        }

        deinit { try? store.close() }

        func add(_ kind: Receiver.Kind, _ url: String) throws -> Receiver {
            try store.addReceiver(kind: kind, url: url, name: nil, options: .init(), isPlain: false)
        }

        /// Stores a reading of a device; `number` distinguishes readings.
        func measure(_ device: String, _ number: UInt8, systemID: String? = nil) throws {
            var reading = SubmittedReading()
            reading.device = .init(serial: device, systemID: systemID)
            reading.characteristic = "2A35"
            let minute = String(Int(number) + 256, radix: 16).dropFirst()
            reading.hex = "1E8E0058006900EA070B1408\(minute)004800FF0000"
            reading.clockOffset = 0
            _ = try store.store([reading], gateway: "g")
        }

        /// Runs a forwarder until `isOver` holds; each outbox and each wait is looked at.
        func forward(until isOver: @escaping @Sendable ([OutboxState]) -> Bool) async throws {
            let forwarder = Forwarder(store: store) { [store] in $0.client(store: store) }
            let running = Task { await forwarder.run() }
            let end = ContinuousClock.now + .seconds(90)
            var states = try store.outboxes()
            while !isOver(states), .now < end {
                try await Task.sleep(for: .milliseconds(20))
                states = try store.outboxes()
            }
            running.cancel()
            await running.value
            #expect(isOver(states), "\(states)")
        }
    }

    /// A receiver that counts how often it is cleaned.
    private final class CountingReceiver: ReceiverClient {
        let connections = Wakes()
        let cleanings = Wakes()

        func deliver(_ message: OutboxMessage) async -> Delivery { .delivered }
        func clean(except busy: Set<Int64>) async { cleanings.wake() }
        func close() async {}
    }

    @Test("A receiver is cleaned when it is connected")
    func cleaning() async throws {
        let rig = try Rig()
        _ = try rig.add(.webhook, "http://127.0.0.1:9/")
        let receiver = CountingReceiver()
        let forwarder = Forwarder(store: rig.store) { _ in receiver }
        let running = Task { await forwarder.run() }
        await receiver.cleanings.wait(after: 0, atMost: .seconds(60))
        for _ in 0..<3 {
            let count = receiver.cleanings.count
            receiver.connections.wake()
            // Without a connection, it is cleaned again after half a minute.
            await receiver.cleanings.wait(after: count, atMost: .seconds(20))
            #expect(receiver.cleanings.count > count)
        }
        running.cancel()
        await running.value
    }

    private static func json(_ request: HubStub.Received) -> JSONValue? { try? JSONValue(parsing: Array(request.body)) }

    @Test("A webhook is signed, and each attempt has the same identifier", arguments: StoreKind.all)
    func webhook(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = HubStub { _, number in HubStub.Answer(status: number == 0 ? 503 : 200) }
        let secret = Mutex("")
        try await stub.run { url in
            let receiver = try rig.add(.webhook, url + "/hook")
            secret.withLock { $0 = receiver.secret ?? "" }
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].pending == 0 }
        }
        #expect(stub.received.count == 2)
        #expect(Set(stub.received.compactMap { $0.headers["webhook-id"] }).count == 1)
        let text = secret.withLock { $0 }
        #expect(text.hasPrefix("whsec_"))
        let key = try #require(Data(base64Encoded: String(text.dropFirst(6))))
        for request in stub.received {
            let id = try #require(request.headers["webhook-id"])
            let time = try #require(request.headers["webhook-timestamp"])
            var signed = Data("\(id).\(time).".utf8)
            signed.append(request.body)
            let code = Data(HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key)))
            #expect(request.headers["webhook-signature"] == "v1," + code.base64EncodedString())
            let body = try #require(Self.json(request))
            #expect(body["type"]?.string == "reading.stored")
            #expect(body["data"]?["judgement"]?["code"]?.string == "hypertension")
            #expect(body["data"]?["person"]?["name"]?.string == "Anna")
            #expect(body["data"]?["values"]?["systolic"]?["value"]?.digits == "142")
        }
        #expect(try rig.store.outboxes()[0].lastError == nil)
    }

    @Test("The messages of a person arrive in order, even after failed attempts", arguments: StoreKind.all)
    func order(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = HubStub { _, number in HubStub.Answer(status: number % 5 == 1 ? 500 : 200) }
        try await stub.run { url in
            _ = try rig.add(.webhook, url)
            for number in 0..<6 { for device in ["BP-1", "BP-2"] { try rig.measure(device, UInt8(number)) } }
            try await rig.forward { $0[0].pending == 0 }
        }
        for person in ["1", "2"] {
            var seen: [String] = []
            for request in stub.received {
                guard let data = Self.json(request)?["data"], data["person"]?["id"]?.string == person,
                    let time = data["reading"]?["taken"]?.string, !seen.contains(time)
                else { continue }
                seen.append(time)
            }
            #expect(seen.count == 6 && seen == seen.sorted(), "\(seen)")
        }
    }

    @Test("A refused message is parked and listed, and delivered by a manual retry", arguments: StoreKind.all)
    func parked(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = HubStub { _, number in
            number == 0 ? HubStub.Answer(status: 422, body: #"{"error":"too high"}"#) : HubStub.Answer(status: 204)
        }
        try await stub.run { url in
            _ = try rig.add(.webhook, url)
            try rig.measure("BP-1", 1)
            try rig.measure("BP-1", 2)
            try await rig.forward { $0[0].pending == 0 }
            #expect(try rig.store.outboxes()[0].parked == 1)
            #expect(stub.received.count == 2)
            #expect(try rig.store.retryForwarding(nil) == 1)
            #expect(try rig.store.outboxes()[0].pending == 1)
            try await rig.forward { $0[0].pending == 0 && $0[0].parked == 0 }
        }
        #expect(stub.received.count == 3)
    }

    @Test("A receiver with another token and address keeps its messages", arguments: StoreKind.all)
    func changed(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = HubStub { request, _ in
            HubStub.Answer(status: request.headers["authorization"] == "Bearer new" ? 204 : 401)
        }
        try await stub.run { url in
            let receiver = try rig.store.addReceiver(
                kind: .webhook, url: url, name: "w", options: .init(token: "old"), isPlain: false)
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].parked == 1 }
            #expect(throws: HubProblem.self) {
                try rig.store.changeReceiver("w", url: nil, options: .init(token: "a b"), isPlain: false)
            }
            #expect(throws: HubProblem.self) {
                try rig.store.changeReceiver("w", url: "http://hub.example/", options: .init(), isPlain: false)
            }
            let changed = try rig.store.changeReceiver(
                "w", url: url + "/new", options: .init(token: "new"), isPlain: false)
            #expect(changed.id == receiver.id && changed.secret == receiver.secret)
            #expect(try rig.store.retryForwarding("w") == 1)
            try await rig.forward { $0[0].pending == 0 && $0[0].parked == 0 }
        }
        #expect(stub.received.map(\.path) == ["/", "/new"])
        #expect(Set(stub.received.map { $0.headers["webhook-id"] }).count == 1)
    }

    @Test("A parked message keeps its reason", arguments: StoreKind.all)
    func reason(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        try await HubStub { _, _ in HubStub.Answer(status: 422, body: #"{"error":"too high"}"#) }.run { url in
            _ = try rig.add(.webhook, url)
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].parked == 1 }
            #expect(try rig.store.outboxes()[0].lastError == "responded with status 422: too high")
        }
    }

    @Test("A dead and a slow receiver do not delay other receivers", arguments: StoreKind.all)
    func deadReceiver(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let dead = try HeldPort(.refusing)
        let slow = HubStub { _, _ in
            try? await Task.sleep(for: .seconds(3600))
            return HubStub.Answer(status: 200)
        }
        let alive = Self.fhirServer()
        try await slow.run { slowURL in
            try await alive.run { url in
                _ = try rig.add(.webhook, "http://127.0.0.1:\(dead.port)")
                _ = try rig.add(.webhook, slowURL)
                _ = try rig.add(.fhir, url)
                for number in 0..<5 { try rig.measure("BP-1", UInt8(number)) }
                try await rig.forward { $0[2].pending == 0 && $0[0].lastError != nil }
                let states = try rig.store.outboxes()
                #expect(states[0].pending == 5 && states[1].pending == 5)
                #expect(states[0].oldest != nil && states[0].lastError?.contains("cannot be reached") == true)
            }
        }
        #expect(alive.received.count == 5)
        withExtendedLifetime(dead) {}
    }

    /// A FHIR server that creates everything it receives.
    private static func fhirServer() -> HubStub {
        HubStub { request, _ in
            let count = Self.json(request)?["entry"]?.elements.count ?? 0
            return HubStub.Answer(status: 200, body: Self.response(Array(repeating: "201 Created", count: count)))
        }
    }

    private static func response(_ statuses: [String], type: String = "transaction-response") -> String {
        let entries = statuses.map { #"{"response":{"status":"\#($0)"}}"# }
        return #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    /// Delivers the first message of a receiver.
    private static func deliver(_ rig: Rig, to receiver: Receiver, within limit: Duration) async throws -> Delivery {
        let lane = try #require(try await rig.store.claimLanes(of: receiver.id, limit: 1).first)
        let message = try #require(try await rig.store.firstMessage(of: lane))
        let client = receiver.client(store: rig.store, limit: limit)
        let delivery = await client.deliver(message)
        await client.close()
        return delivery
    }

    @Test("A response that is not a FHIR server's is no delivery")
    func noFHIRServer() async throws {
        let error = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","diagnostics":"full"}]}"#
        let complete = ["201", "201", "201", "201", "200 OK"]
        let other = Delivery.failed("did not respond like a FHIR server", after: nil)
        func response(last status: String) -> String { Self.response(["201", "201", "201", "201", status]) }
        func failed(_ text: String) -> Delivery { .failed("an entry has " + text, after: nil) }
        for (body, expected) in [
            ("<html>", other), ("[]", other), ("", .delivered), ("{}", other),
            (#"{"error":"invalid_token"}"#, .failed("did not respond like a FHIR server: invalid_token", after: nil)),
            (#"{"status":500}"#, other), (#"{"resourceType":"CapabilityStatement"}"#, other),
            (#"{"resourceType":"OperationOutcome","issue":[{"severity":"warning"}]}"#, .delivered),
            (Self.response([], type: "searchset"), other), (Self.response(complete, type: "searchset"), other),
            (Self.response([]), .delivered), (Self.response(complete, type: "batch-response"), .delivered),
            (response(last: "302 Found"), failed("the status 302 Found")), (response(last: ""), failed("no status")),
            (response(last: "100"), failed("the status 100")), (response(last: "429"), failed("the status 429")),
            (response(last: "x").replacing(#""x""#, with: "500"), failed("the status 500")),
            (response(last: "x").replacing(#"{"status":"x"}"#, with: "{}"), failed("no status")),
            (error, .failed("did not respond like a FHIR server: full", after: nil)),
            (Self.response(["201"]), other),
            (response(last: "503"), failed("the status 503")),
            (response(last: "422"), .refused("an entry has the status 422")),
            (Self.response(complete), .delivered),
        ] as [(String, Delivery)] {
            let rig = try Rig()
            let stub = HubStub { _, _ in HubStub.Answer(status: 200, body: body) }
            try await stub.run { url in
                let receiver = try rig.add(.fhir, url)
                try rig.measure("BP-1", 1)
                let delivery = try await Self.deliver(rig, to: receiver, within: .seconds(60))
                #expect(delivery == expected, "\(body)")
            }
            #expect(stub.received.first.flatMap(Self.json)?["entry"]?.elements.count == 5)
        }
    }

    @Test("A response without end is a failure")
    func endless() async throws {
        let rig = try Rig()
        try await HubStub { _, _ in HubStub.Answer(status: 200, isEndless: true) }.run { url in
            let receiver = try rig.add(.webhook, url)
            try rig.measure("BP-1", 1)
            let delivery = try await Self.deliver(rig, to: receiver, within: .milliseconds(200))
            #expect(delivery == .failed("the receiver cannot be reached: no response in time", after: nil))
        }
    }

    @Test("A receiver can lengthen the pauses, and not shorten them")
    func pauses() {
        for attempts in 0..<30 {
            let shortest = Int64(min(pow(2, Double(attempts)), 3600) / 2)
            #expect(Delivery.pause(after: attempts, requested: nil) >= max(shortest, 1))
            #expect(Delivery.pause(after: attempts, requested: .zero) >= max(shortest, 1))
        }
        #expect(Delivery.pause(after: 0, requested: .milliseconds(2500)) == 4)
    }

    @Test("A request that hangs does not delay other people at the same receiver", arguments: StoreKind.all)
    func hangingRequest(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let (requests, request) = AsyncStream<Int>.makeStream()
        let stub = HubStub { _, number in
            request.yield(number)
            if number == 0 { try? await Task.sleep(for: .seconds(3600)) }
            return HubStub.Answer(status: 200)
        }
        try await stub.run { url in
            _ = try rig.add(.webhook, url)
            let forwarder = Forwarder(store: rig.store) { [store = rig.store] in $0.client(store: store) }
            let running = Task { await forwarder.run() }
            try rig.measure("BP-1", 1)
            forwarder.wake()
            _ = await requests.first { $0 == 0 }
            try rig.measure("BP-2", 1)
            forwarder.wake()
            _ = await requests.first { $0 == 1 }
            // The first request has not ended.
            #expect(try rig.store.outboxes()[0].lastError == nil)
            running.cancel()
            await running.value
        }
    }

    @Test("FHIR receives conditional creates, and entered-in-error after a reassignment", arguments: StoreKind.all)
    func fhir(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = Self.fhirServer()
        try await stub.run { url in
            _ = try rig.add(.fhir, url + "/r4")
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].pending == 0 }
            _ = try rig.store.assign("BP-1", to: 2)
            #expect(try rig.store.outboxes()[0].pending == 2)
            try await rig.forward { $0[0].pending == 0 }
            // The same again changes nothing.
            _ = try rig.store.assign("BP-1", to: 2)
            #expect(try rig.store.outboxes()[0].pending == 0)
        }
        let bundles = stub.received.compactMap(Self.json)
        #expect(bundles.count == 3 && stub.received.allSatisfy { $0.path == "/r4" })
        func observations(_ status: String) -> [JSONValue] {
            bundles.flatMap { $0["entry"]?.elements ?? [] }.filter {
                $0["resource"]?["component"] != nil && $0["resource"]?["status"]?.string == status
            }
        }
        let finals = observations("final")
        let former = try #require(finals.first)
        let id = try #require(former["resource"]?["identifier"]?.elements.first?["value"]?.string)
        #expect(former["request"]?["ifNoneExist"]?.string == "identifier=urn:harald:hub|" + id)
        let wrong = try #require(observations("entered-in-error").first)
        #expect(wrong["request"]?["method"]?.string == "PUT")
        #expect(wrong["request"]?["url"]?.string == "Observation?identifier=urn:harald:hub|" + id)
        let identities = try rig.store.people().map { $0.identity ?? "" }
        #expect(finals.count == 2 && id.contains("person-" + identities[0]))
        let current = finals[1]["resource"]?["identifier"]?.elements.first?["value"]?.string
        #expect(current?.contains("person-" + identities[1]) == true)
    }

    @Test("A retraction names the forwarded reading, though its device has more attributes", arguments: StoreKind.all)
    func retractionAfterMoreAttributes(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = Self.fhirServer()
        try await stub.run { url in
            _ = try rig.add(.fhir, url + "/r4")
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].pending == 0 }
            try rig.measure("BP-1", 2, systemID: "0123456789ABCDEF")
            try await rig.forward { $0[0].pending == 0 }
            _ = try rig.store.assign("BP-1", to: 2)
            try await rig.forward { $0[0].pending == 0 }
        }
        let entries = stub.received.compactMap(Self.json).flatMap { $0["entry"]?.elements ?? [] }
        let created = entries.compactMap { $0["request"]?["ifNoneExist"]?.string }.filter { $0.contains("-150020-") }
        let retracted = entries.compactMap { $0["request"]?["url"]?.string }.filter { $0.contains("identifier=") }
        // Two readings of the first person, and the same of the second.
        #expect(created.count == 4 && retracted == created.prefix(2).map { "Observation?" + $0 })
    }

    @Test("A reading that returns to its first person is restored at the receiver", arguments: StoreKind.all)
    func restoration(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = Self.fhirServer()
        try await stub.run { url in
            _ = try rig.add(.fhir, url + "/r4")
            try rig.measure("BP-1", 1)
            for person: Int64 in [2, 1, 2] {
                try await rig.forward { $0[0].pending == 0 }
                _ = try rig.store.assign("BP-1", to: person)
            }
            try await rig.forward { $0[0].pending == 0 }
        }
        // The last state of each observation at a server that follows the conditions.
        var states: [String: String] = [:]
        for entry in stub.received.compactMap(Self.json).flatMap({ $0["entry"]?.elements ?? [] })
        where entry["resource"]?["component"] != nil {
            let id = try #require(entry["resource"]?["identifier"]?.elements.first?["value"]?.string)
            let isCreation = entry["request"]?["method"]?.string == "POST"
            if isCreation, states[id] != nil { continue }
            states[id] = entry["resource"]?["status"]?.string
        }
        let identities = try rig.store.people().map { $0.identity ?? "" }
        #expect(states.first { $0.key.contains(identities[0]) }?.value == "entered-in-error")
        #expect(states.first { $0.key.contains(identities[1]) }?.value == "final")
    }

    @Test("The error of a parked message stays until it is retried", arguments: StoreKind.all)
    func errorOfParked(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let stub = HubStub { _, number in HubStub.Answer(status: number == 0 ? 422 : 200, body: "") }
        try await stub.run { url in
            _ = try rig.add(.webhook, url)
            try rig.measure("BP-1", 1)
            try await rig.forward { $0[0].parked == 1 }
            try rig.measure("BP-1", 2)
            try await rig.forward { $0[0].pending == 0 }
            #expect(try rig.store.outboxes()[0].lastError?.contains("422") == true)
            _ = try rig.store.deletePerson(1)
            #expect(try rig.store.outboxes()[0].lastError == nil)
        }
    }

    @Test(
        "Unassigned readings are forwarded after their assignment; a deletion removes messages",
        arguments: StoreKind.all)
    func assignmentAndDeletion(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        _ = try rig.add(.webhook, "http://127.0.0.1:9/")
        try rig.measure("BP-9", 1)
        #expect(try rig.store.outboxes()[0].pending == 0)
        _ = try rig.store.assign("BP-9", to: 1)
        #expect(try rig.store.outboxes()[0].pending == 1)
        _ = try rig.store.deletePerson(1)
        #expect(try rig.store.outboxes()[0].pending == 0)
    }

    @Test("A claimed lane is exclusive until its lease expires", arguments: StoreKind.all)
    func lease(_ kind: StoreKind) async throws {
        let rig = try Rig(kind)
        let receiver = try rig.add(.webhook, "http://127.0.0.1:9/")
        try rig.measure("BP-1", 1)
        let now = HubStore.now
        #expect(try await rig.store.claimLanes(of: receiver.id, limit: 4, now: now).count == 1)
        #expect(try await rig.store.claimLanes(of: receiver.id, limit: 4, now: now + HubStore.leaseTime - 1).isEmpty)
        #expect(try await rig.store.claimLanes(of: receiver.id, limit: 4, now: now + HubStore.leaseTime).count == 1)
        // A reading stored meanwhile has no effect on that.
        try rig.measure("BP-1", 2)
        #expect(try await rig.store.claimLanes(of: receiver.id, limit: 4, now: now + HubStore.leaseTime).isEmpty)
    }

    @Test(
        "Invalid addresses and names are refused",
        arguments: [
            "ftp://a", "http://", "nothing", "http://hub.example/", "http://user:password@127.0.0.1/",
        ])
    func wrong(url: String) throws {
        let rig = try Rig()
        #expect(throws: HubProblem.self) { try rig.add(.webhook, url) }
        _ = try rig.add(.webhook, "https://hub.example/")
        #expect(throws: HubProblem.self) { try rig.add(.webhook, "https://hub.example/") }
        #expect(throws: HubProblem.self) { try rig.store.removeReceiver("other") }
        #expect(try rig.store.removeReceiver("https://hub.example/") == 0)
    }
}
