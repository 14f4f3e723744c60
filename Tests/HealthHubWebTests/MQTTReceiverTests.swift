#if os(Linux)
import BrokerSupport
import CMosquitto
import Forwarding
import Foundation
import HealthHub
import JSON
import PeerSupport
import Synchronization
import TestSupport
import Testing

@testable import HealthHubWeb

/// A real broker, and a client of its own that listens.
@Suite("Forwarding to an MQTT broker", .serialized, .timeLimit(.minutes(10)), .blocksThread)
struct MQTTReceiverTests {
    /// 142/88 mmHg, on 2026-11-20 at 8:00 UTC.
    private static let reading: SubmittedReading = {
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        (reading.characteristic, reading.hex, reading.clockOffset) = (
            "2A35", "1E8E0058006900EA070B140800004800FF0000", 0
        )
        return reading
    }()

    /// A store with a person and a device, a broker, and a forwarder between them.
    private struct Clinic {
        let store: HubStore
        let receiver: Receiver
        let form: MQTTForm
        let listener: MQTTListener
        let forwarder: Forwarder
        let running: Task<Void, Never>

        static func run(_ kind: StoreKind, person: String, _ body: (Clinic) async throws -> Void) async throws {
            let location = try StoreLocation(kind)
            let broker = try await MosquittoBroker.start(in: location.directory)
            let port = broker.port
            let store = try location.open()
            defer { try? store.close() }
            _ = try store.addPerson(PersonChange(name: person, born: "1961-04-30"))
            _ = try store.assign("BP-1", to: 1)
            let receiver = try store.addReceiver(
                kind: .mqtt, url: "mqtt://127.0.0.1:\(port)", name: "broker", options: .init(), isPlain: false)
            let listener = MQTTListener(port: port)
            let forwarder = Forwarder(store: store) { MQTTReceiver($0, store: store) }
            let clinic = Clinic(
                store: store, receiver: receiver, form: MQTTForm(receiver), listener: listener, forwarder: forwarder,
                running: Task { await forwarder.run() })
            let result: Result<Void, any Error>
            do { result = .success(try await body(clinic)) } catch { result = .failure(error) }
            await clinic.end()
            listener.close()
            await broker.kill()
            try result.get()
        }

        func submit() throws {
            _ = try store.store([MQTTReceiverTests.reading], gateway: "g")
            forwarder.wake()
        }

        /// Ends the forwarder.
        func end() async {
            running.cancel()
            await running.value
        }
    }

    @Test(
        "A broker that cannot be reached is reported with the reason",
        .enabled(if: harald_mqtt_problem() == nil, "libmosquitto is not installed"),
        arguments: [("127.0.0.1", "connection refused"), ("broker.invalid", "its name has no address")])
    func unreachable(host: String, reason: String) async throws {
        let dead = try HeldPort(.refusing)
        let location = try StoreLocation(.sqlite)
        let store = try location.open()
        defer { try? store.close() }
        let receiver = try store.addReceiver(
            kind: .mqtt, url: "mqtt://\(host):\(dead.port)", name: "broker", options: .init(), isPlain: true)
        let session = MQTTSession(MQTTBroker(receiver), will: "status")
        // The connection may be refused after the first attempt to publish.
        let (pending, end) = (Delivery.failed("not connected yet", after: nil), ContinuousClock.now + .seconds(120))
        var delivery = pending
        while delivery == pending, ContinuousClock.now < end {
            delivery = await session.publish("", to: "topic", retained: false)
            try await Task.pause()
        }
        #expect(delivery == .failed("the broker cannot be reached: \(reason)", after: nil))
        await session.close()
        withExtendedLifetime(dead) {}
    }

    /// libmosquitto's own loop cannot watch a descriptor of 1024 or above, which a hub with many connections has.
    @Test(
        "Readings, Home Assistant discovery, its birth message, and the last will",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"), arguments: StoreKind.all, [0, 1024])
    func broker(_ kind: StoreKind, besideDescriptors count: Int32) async throws {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        while count > 0, descriptors.last ?? 0 < count {
            let descriptor = dup(STDERR_FILENO)
            try #require(descriptor >= 0)
            descriptors.append(descriptor)
        }
        try await Clinic.run(kind, person: "Anna \"A\"") { clinic in
            let (form, listener) = (clinic.form, clinic.listener)
            _ = await listener.messages { $0.contains { $0.topic == form.availability && $0.text == "online" } }
            try clinic.submit()
            let topic = form.topic(1, .bloodPressure)
            // Delivery is at least once, and configurations have two sources, so only the required messages are
            // awaited.
            func has(_ topics: String..., in heard: some Sequence<MQTTListener.Heard>) -> Bool {
                topics.allSatisfy { topic in heard.contains { $0.topic == topic } }
            }
            var heard = await listener.messages { has(topic, form.discovery(1), in: $0) }
            let value = try JSONValue(parsing: Array(try #require(heard.first { $0.topic == topic }).text.utf8))
            #expect(value["systolic"]?.digits == "142" && value["judgement"]?.string == "hypertension")
            #expect(value["id"]?.string?.hasPrefix("msg_") == true && value["time"]?.string == "2026-11-20T08:00:00Z")
            let config = try JSONValue(
                parsing: Array(try #require(heard.first { $0.topic == form.discovery(1) }).text.utf8))
            #expect(config["dev"]?["name"]?.string == "Anna \"A\"" && config["avty_t"]?.string == form.availability)
            let systolic = config["cmps"]?["bloodPressure_systolic"]
            #expect(systolic?["stat_t"]?.string == topic && systolic?["unit_of_meas"]?.string == "mmHg")
            #expect(systolic?["dev_cla"] == nil && systolic?["frc_upd"] == .bool(true))
            #expect(try clinic.store.outboxes()[0].pending == 0 || heard.count < 100)
            let before = heard.count
            listener.publish("online", to: "homeassistant/status")
            heard = await listener.messages { has(topic, form.discovery(1), in: $0.dropFirst(before)) }
            #expect(has(topic, form.discovery(1), in: heard.dropFirst(before)))
            // Nothing of a deleted person stays at the broker.
            let present = heard.count
            _ = try clinic.store.deletePerson(1)
            clinic.forwarder.wake()
            let cleared = MQTTListener.Heard(topic: form.discovery(1), text: "")
            heard = await listener.messages { $0.dropFirst(present).contains(cleared) }
            #expect(heard.dropFirst(present).contains(cleared))
            await clinic.end()
            #expect(try await clinic.store.departed(from: clinic.receiver.id).isEmpty)
            heard = await listener.messages { $0.last?.text == "offline" }
            #expect(heard.last == .init(topic: form.availability, text: "offline"))
        }
    }

    @Test(
        "After Home Assistant's start, all people have their last values, also those that the latest reading lacks",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"), arguments: StoreKind.all)
    func birth(_ kind: StoreKind) async throws {
        try await Clinic.run(kind, person: "Anna") { clinic in
            let (store, form, listener) = (clinic.store, clinic.form, clinic.listener)
            _ = await listener.messages { $0.contains { $0.topic == form.availability && $0.text == "online" } }
            let bert = try store.addPerson(PersonChange(name: "Bert", born: "1958-02-03"))
            _ = try store.assign("T-1", to: bert.id)
            // 130/80 mmHg a day later, without a pulse.
            var second = Self.reading
            second.hex = "1A820050006000EA070B15080000FF0000"
            // 36.6 °C (Health Thermometer Service 1.0, 3.1.1).
            var third = SubmittedReading()
            third.device = .init(serial: "T-1")
            (third.characteristic, third.hex, third.time) = ("2A1C", "006E0100FF", "2026-11-20T08:00:00Z")
            third.id = "t"
            let results = try store.store([Self.reading, second, third], gateway: "g").results
            #expect(results.map(\.status) == [.stored, .stored, .stored])
            clinic.forwarder.wake()
            let (pressure, temperature) = (form.topic(1, .bloodPressure), form.topic(bert.id, .temperature))
            func values(_ heard: some Sequence<MQTTListener.Heard>, _ topic: String) -> [JSONValue] {
                heard.filter { $0.topic == topic }.compactMap { try? JSONValue(parsing: Array($0.text.utf8)) }
            }
            var heard = await listener.messages {
                values($0, pressure).count >= 2 && !values($0, temperature).isEmpty
            }
            for _ in 0..<2 {
                let before = heard.count
                listener.publish("online", to: "homeassistant/status")
                heard = await listener.messages { !values($0.dropFirst(before), temperature).isEmpty }
                let again = heard.dropFirst(before)
                #expect(values(again, pressure).map { $0["systolic"]?.digits } == ["142", "130"])
                #expect(values(again, pressure).map { $0["pulseRate"]?.digits } == ["72", nil])
                #expect(values(again, pressure).map { $0["id"]?.string } == ["reading_1", "reading_2"])
                #expect(values(again, temperature).map { $0["temperature"]?.digits } == ["36.6"])
                for (person, component) in [(1, "bloodPressure_pulseRate"), (bert.id, "temperature_temperature")] {
                    let configuration = values(again, form.discovery(person)).last?["cmps"]?[component]
                    #expect(configuration?["uniq_id"]?.string?.hasSuffix("person_\(person)_\(component)") == true)
                }
            }
        }
    }

    @Test(
        "Home Assistant removes the components of a retracted reading, also after a restart of the hub",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"), arguments: StoreKind.all,
        [false, true])
    func removedComponents(_ kind: StoreKind, restarts: Bool) async throws {
        try await Clinic.run(kind, person: "Anna") { clinic in
            let (store, form, listener) = (clinic.store, clinic.form, clinic.listener)
            let bert = try store.addPerson(PersonChange(name: "Bert", born: "1958-02-03"))
            _ = try store.assign("T-1", to: 1)
            var temperature = SubmittedReading()
            temperature.device = .init(serial: "T-1")
            (temperature.characteristic, temperature.hex) = ("2A1C", "006E0100FF")
            (temperature.time, temperature.id) = ("2026-11-20T08:00:00Z", "t")
            _ = try store.store([temperature], gateway: "g")
            try clinic.submit()
            let key = "temperature_temperature"
            func components(_ heard: some Sequence<MQTTListener.Heard>) -> [JSONValue] {
                heard.filter { $0.topic == form.discovery(1) }
                    .compactMap { try? JSONValue(parsing: Array($0.text.utf8)) }.compactMap { $0["cmps"] }
            }
            var heard = await listener.messages {
                components($0).contains { $0[key]?["uniq_id"] != nil && $0["bloodPressure_systolic"] != nil }
            }
            if restarts { await clinic.end() }
            let before = heard.count
            _ = try store.assign("T-1", to: bert.id)
            let second = Forwarder(store: store) { MQTTReceiver($0, store: store) }
            let running = restarts ? Task { await second.run() } : nil
            clinic.forwarder.wake()
            let removal: JSONValue = ["p": "sensor"]
            func isRemoved(_ heard: some Sequence<MQTTListener.Heard>) -> Bool {
                let all = components(heard)
                guard let place = all.firstIndex(where: { $0[key] == removal }) else { return false }
                return all[place...].contains { $0[key] == nil && $0["bloodPressure_systolic"] != nil }
            }
            heard = await listener.messages { isRemoved($0.dropFirst(before)) }
            #expect(isRemoved(heard.dropFirst(before)))
            running?.cancel()
            await running?.value
        }
    }

    @Test(
        "A late reading of an earlier time does not stay the current value",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"), arguments: StoreKind.all)
    func lateReading(_ kind: StoreKind) async throws {
        try await Clinic.run(kind, person: "Anna") { clinic in
            let (form, listener) = (clinic.form, clinic.listener)
            try clinic.submit()
            func systolic(_ heard: some Sequence<MQTTListener.Heard>) -> [String] {
                heard.filter { $0.topic == form.topic(1, .bloodPressure) }
                    .compactMap { try? JSONValue(parsing: Array($0.text.utf8))["systolic"]?.digits }
            }
            _ = await listener.messages { systolic($0).contains("142") }
            // 130/80 mmHg a day earlier.
            var late = Self.reading
            late.hex = "1A820050006000EA070B13080000FF0000"
            _ = try clinic.store.store([late], gateway: "g")
            clinic.forwarder.wake()
            func isRepeated(_ heard: [MQTTListener.Heard]) -> Bool {
                let all = systolic(heard)
                return all.firstIndex(of: "130").map { all[$0...].last == "142" } ?? false
            }
            #expect(isRepeated(await listener.messages(until: isRepeated)))
        }
    }

    @Test(
        "A reading that does not count is not the current value",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"), arguments: StoreKind.all)
    func reservedReading(_ kind: StoreKind) async throws {
        try await Clinic.run(kind, person: "Anna") { clinic in
            let (form, listener) = (clinic.form, clinic.listener)
            try clinic.submit()
            // 190/120 mmHg a day later, with a loose cuff.
            var reserved = Self.reading
            reserved.hex = "1EBE0078009600EA070B150800004800FF0200"
            _ = try clinic.store.store([reserved], gateway: "g")
            clinic.forwarder.wake()
            let topic = form.topic(1, .bloodPressure)
            func isReserved(_ heard: MQTTListener.Heard) -> Bool {
                heard.topic == topic + "/reserved" && heard.text.contains(#""systolic":190"#)
                    && heard.text.contains("loose cuff")
            }
            var heard = await listener.messages { $0.contains(where: isReserved) }
            #expect(heard.contains(where: isReserved))
            let before = heard.count
            listener.publish("online", to: "homeassistant/status")
            heard = await listener.messages { $0.dropFirst(before).contains { $0.topic == topic } }
            let values = heard.filter { $0.topic == topic }.compactMap { try? JSONValue(parsing: Array($0.text.utf8)) }
            #expect(values.count >= 2 && values.allSatisfy { $0["systolic"]?.digits == "142" })
        }
    }

    @Test(
        "Removing a receiver clears its retained messages",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"),
        arguments: StoreKind.all)
    func removal(_ kind: StoreKind) async throws {
        try await Clinic.run(kind, person: "Anna") { clinic in
            let (form, listener) = (clinic.form, clinic.listener)
            try clinic.submit()
            _ = await listener.messages { $0.contains { $0.topic == form.discovery(1) && !$0.text.isEmpty } }
            // The configuration of a person who was deleted while the broker was not there.
            try await clinic.store.rememberDeparted(2, from: clinic.receiver.id)
            _ = try clinic.store.removeReceiver("broker")
            clinic.forwarder.wake()
            let topics = [form.discovery(1), form.discovery(2), form.availability]
            let cleared = topics.map { MQTTListener.Heard(topic: $0, text: "") }
            let heard = await listener.messages { heard in cleared.allSatisfy(heard.contains) }
            #expect(cleared.allSatisfy(heard.contains))
        }
    }

    private final class Count: Sendable {
        private let value = Mutex(0)

        /// Returns the next number. An odd one takes longer to make.
        func next() -> String {
            let number = value.withLock { value in
                value += 1
                return value
            }
            return String(String(repeating: "x", count: number % 2 * 20_000).count + number - number % 2 * 20_000)
        }
    }

    /// Configurations of a person are published when the broker is connected, and by deliveries.
    @Test(
        "Of texts that are published at the same time, the broker receives the latest last",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func order() async throws {
        try await Clinic.run(.sqlite, person: "Anna") { clinic in
            let (session, count) = (MQTTSession(MQTTBroker(clinic.receiver), will: "will"), Count())
            for await event in session.events where event == .connected { break }
            // The listener has subscribed.
            _ = await clinic.listener.messages { $0.contains { $0.topic == clinic.form.availability } }
            let total = 2000
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<total {
                    group.addTask {
                        _ = await session.publish({ count.next() }, to: "order", retained: true)
                    }
                }
            }
            let heard = await clinic.listener.messages { $0.count { $0.topic == "order" } >= total }
            #expect(heard.filter { $0.topic == "order" }.map(\.text) == (1...total).map(String.init))
            await session.close()
        }
    }

    @Test("Values that were read before a retraction do not return to the configuration")
    func retractionAfterReading() async throws {
        let location = try StoreLocation(.sqlite)
        let store = try location.open()
        defer { withExtendedLifetime(location) { try? store.close() } }
        let person = try store.addPerson(PersonChange(name: "Anna", born: "1961-04-30"))
        _ = try store.assign("BP-1", to: person.id)
        _ = try store.store([Self.reading], gateway: "g")
        let form = MQTTForm(
            try store.addReceiver(
                kind: .mqtt, url: "mqtt://127.0.0.1:1883", name: "broker", options: .init(), isPlain: false))
        let published = PublishedConfigurations()
        let retractions = published.retractions(of: person.id)
        let last = try await store.lastMessages(of: person)
        var retraction = try #require(last.first)
        retraction.isRetraction = true
        #expect(!published.restart(person.id, after: retraction, with: [], form).isEmpty)
        let component = "bloodPressure_systolic"
        #expect(!published.text(of: person, adding: last, after: retractions, form).contains(component))
        let later = published.retractions(of: person.id)
        #expect(published.text(of: person, adding: last, after: later, form).contains(component))
    }

    @Test("An earlier reading has the units of the configuration")
    func unitsOfEarlierReadings() async throws {
        let location = try StoreLocation(.sqlite)
        let store = try location.open()
        defer { withExtendedLifetime(location) { try? store.close() } }
        let person = try store.addPerson(PersonChange(name: "Anna", born: "1961-04-30"))
        _ = try store.assign("GM-1", to: person.id)
        let receiver = try store.addReceiver(
            kind: .mqtt, url: "mqtt://127.0.0.1:1883", name: "broker", options: .init(), isPlain: false)
        let form = MQTTForm(receiver)
        let published = PublishedConfigurations()
        for (time, digits, unit, payload) in [
            ("2026-11-20T08:00:00Z", "120", "mg/dL", #""glucose":120,"glucose_unit":"mg/dL""#),
            ("2026-11-19T08:00:00Z", "6.1", "mmol/L", #""glucose":110,"glucose_unit":"mg/dL""#),
            ("2026-11-21T08:00:00Z", "6.1", "mmol/L", #""glucose":6.1,"glucose_unit":"mmol/L""#),
            ("2026-11-18T08:00:00Z", "120", "mg/dL", #""glucose":6.7,"glucose_unit":"mmol/L""#),
        ] {
            var reading = SubmittedReading()
            (reading.device, reading.time) = (.init(serial: "GM-1"), time)
            reading.fields = ["glucose": .object(["value": .string(digits), "unit": .string(unit)])]
            _ = try store.store([reading], gateway: "g")
            let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1).first)
            let message = try #require(try await store.firstMessage(of: lane))
            _ = published.text(of: person, adding: [message], form)
            let text = published.payload(message, of: person, form)
            #expect(text.contains(payload), "\(text)")
            try await store.delivered(message, lane)
            try await store.release(lane, pause: 0, error: nil)
        }
    }

    @Test("Without a broker, messages stay queued and the reason is reported", arguments: StoreKind.all)
    func noBroker(_ kind: StoreKind) async throws {
        let location = try StoreLocation(kind)
        let store = try location.open()
        defer { try? store.close() }
        _ = try store.addPerson(PersonChange(name: "Anna", born: "1961-04-30"))
        _ = try store.assign("BP-1", to: 1)
        let receiver = try store.addReceiver(
            kind: .mqtt, url: "mqtt://127.0.0.1:1", name: nil, options: .init(), isPlain: false)
        _ = try store.store([Self.reading], gateway: "g")
        let client = MQTTReceiver(receiver, store: store)
        let lane = try #require(try await store.claimLanes(of: receiver.id, limit: 1).first)
        let message = try #require(try await store.firstMessage(of: lane))
        guard case .failed = await client.deliver(message) else {
            Issue.record("delivered without a broker")
            return
        }
        #expect(try store.outboxes()[0].pending == 1)
        await client.close()
    }
}
#endif
