#if os(Linux)
import BluetoothBackend
import BrokerSupport
import Explorer
import Forwarding
import Foundation
import Harald
import Hummingbird
import JSON
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import WebServer

@testable import Gateway

/// A gateway on the scene of a house, with real receivers.
@Suite("A gateway", .serialized, .timeLimit(.minutes(5)))
struct GatewayTests {
    /// Runs a gateway on the scene of a house.
    private static func run(
        _ settings: GatewaySettings, adapters count: Int = 1,
        report: @escaping @Sendable (Gateway.Report) -> Void = { _ in },
        _ body: @escaping @Sendable (Gateway) async throws -> Void
    ) async throws {
        let home = try #require(try BuiltIn.scene(named: "home"))
        let scene = try await VirtualScene(home)
        var centrals: [Central] = []
        for number in 0..<count {
            centrals.append(
                try await Central(
                    adapter: scene.radio.adapter(named: "central \(number)"), options: AdapterOptions(storage: .none)))
        }
        let gateway = Gateway(settings, report: report)
        let running = Task { [centrals] in
            try await gateway.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, central) in centrals.enumerated() {
                        group.addTask {
                            for try await found in central.scan(filter: ScanFilter(), duplicates: true) {
                                await gateway.note(found, adapter: "adapter \(number)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(gateway)) } catch { result = .failure(error) }
        running.cancel()
        _ = await running.result
        for central in centrals { await central.close() }
        await scene.close()
        try result.get()
    }

    /// The patterns of a passive scan follow from the formats, and what has none is told.
    @Test func passiveScans() async throws {
        var settings = GatewaySettings()
        #expect(Gateway(settings) { _ in }.request.scan.isActive)
        settings.isPassive = true
        settings.sensors.formats = ["ruuvi-5", "inkbird-th"]
        let reports = Mutex<[String]>([])
        let gateway = Gateway(settings) { report in
            guard case .scanning(let adapter, let mode, let unheard) = report else { return }
            reports.withLock { $0.append("\(adapter) \(mode) \(unheard)") }
        }
        let (request, unheard) = gateway.request
        #expect(!request.isActive && unheard == ["inkbird-th"])
        #expect(request.patterns == [AdvertisementPattern(.manufacturerSpecificData, [0x99, 0x04, 0x05])])
        gateway.note(.patterns, adapter: "a")
        gateway.note(.patterns, adapter: "a")
        gateway.note(.active(because: "no"), adapter: "a")
        #expect(reports.withLock { $0 } == [#"a patterns ["inkbird-th"]"#, #"a active(because: Optional("no")) []"#])
        #expect(await gateway.metrics.contains(#"harald_gateway_passive{adapter="a"} 0"#))
        // A device that is to be connected, or a person, is heard by its flags.
        settings.connections = [.init(device: "SensorTag")]
        #expect(Gateway(settings) { _ in }.request.scan.patterns.contains(AdvertisementPattern(.flags, [0x06])))
        settings.connections = []
        let phone = DeviceIdentity(name: "Phone", irk: [UInt8](repeating: 1, count: 16))
        #expect(
            Gateway(settings, identities: [phone]) { _ in }.request.scan.patterns
                .contains(AdvertisementPattern(.flags, [0x1A])))
    }

    private static func directory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    private static func sensors(_ heard: some Sequence<MQTTListener.Heard>, _ end: String) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for message in heard where message.topic.hasSuffix(end) {
            found[message.topic] = (try? JSONValue(parsing: Array(message.text.utf8))) ?? .string(message.text)
        }
        return found
    }

    @Test(
        "Eleven sensors of a house at a broker: discovery, readings, a broker that is away, and the end",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
    func broker() async throws {
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let broker = try await MosquittoBroker.start(in: directory)
        let listener = MQTTListener(port: broker.port)
        var settings = GatewaySettings()
        settings.name = "house"
        settings.sensors.interval = .milliseconds(200)
        settings.mqtt = .init(broker: .init(url: "mqtt://127.0.0.1:\(broker.port)"))
        settings.mqtt?.queue.limit = 40
        let ends = Mutex<SensorOutbox.Counts?>(nil)
        let restarted = Mutex<MosquittoBroker?>(nil)
        try await withListener(listener) { listener in
            try await Self.run(settings, adapters: 2) { report in
                if case .end(_, let counts) = report { ends.withLock { $0 = counts } }
            } _: { gateway in
                let first = await listener.messages {
                    Self.sensors($0, "/state").count >= 11 && Self.sensors($0, "/config").count >= 11
                }
                let configurations = Self.sensors(first, "/config")
                #expect(configurations.count == 11 && Self.sensors(first, "/state").count == 11)
                for (topic, configuration) in configurations {
                    #expect(HomeAssistantRules.violations(in: configuration) == [], "\(topic)")
                    // Each component of the configuration has a published value.
                    let state = try #require(configuration["stat_t"]?.string)
                    let values = Self.sensors(first, state)[state]?["values"]
                    guard case .object(let components)? = configuration["cmps"] else { continue }
                    for key in components.keys where key != "rssi" { #expect(values?[key] != nil, "\(topic) \(key)") }
                    let id = state.split(separator: "/")[2]
                    #expect(first.contains { $0.topic == "harald/house/\(id)/availability" && $0.text == "online" })
                }
                let room = Self.sensors(first, "/state").values.first { $0["name"]?.string == "Living room" }
                #expect(room?["values"]?["temperature"]?.digits == "21.50")
                #expect(room?["values"]?["humidity"]?.digits == "45.20")
                // The broker dies, and what exceeds the bound is dropped and counted.
                await broker.kill()
                while true {
                    let text = await gateway.metrics
                    if !text.contains(#"result="dropped"} 0"#) { break }
                    try await Task.pause()
                }
                #expect(await gateway.metrics.contains(#"harald_gateway_waiting{receiver="mqtt"} 40"#))
                // The new one has nothing retained: everything is published again.
                let next = try await broker.startAgain()
                restarted.withLock { $0 = next }
                let other = MQTTListener(port: next.port)
                let later = await other.messages {
                    Self.sensors($0, "/state").count >= 11 && Self.sensors($0, "/config").count >= 11
                        && $0.contains { $0.topic == "harald/house/status" && $0.text == "online" }
                }
                other.close()
                #expect(Self.sensors(later, "/config").count == 11)
                let lost = try #require(later.first { $0.topic.hasSuffix("/state") })
                #expect(try JSONValue(parsing: Array(lost.text.utf8))["time"]?.string?.isEmpty == false)
            }
        }
        let again = try #require(restarted.withLock { $0 })
        let last = MQTTListener(port: again.port)
        let status = await last.messages { $0.contains { $0.topic == "harald/house/status" } }
        #expect(status.first { $0.topic == "harald/house/status" }?.text == "offline")
        last.close()
        await again.kill()
        let counts = try #require(ends.withLock { $0 })
        #expect(counts.dropped > 0 && counts.delivered > 22 && counts.refused == 0)
    }

    private func withListener(
        _ listener: MQTTListener, _ body: (MQTTListener) async throws -> Void
    ) async throws {
        defer { listener.close() }
        try await body(listener)
    }

    @Test("A webhook gets signed readings; Prometheus gets the numbers")
    func webhook() async throws {
        struct Post: Sendable { var body: String, signature: String?, id: String?, time: String? }
        let posts = Mutex<[Post]>([])
        let directory = try Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var routes = WebRoutes()
        routes.on(.post, "/hook", withoutLogin: true) { request, _ in
            var request = request
            let buffer = try await request.collectBody(upTo: 1 << 20)
            func header(_ name: String) -> String? { request.headers.first { $0.name.canonicalName == name }?.value }
            posts.withLock {
                $0.append(
                    Post(
                        body: String(buffer: buffer), signature: header("webhook-signature"), id: header("webhook-id"),
                        time: header("webhook-timestamp")))
            }
            return .json("{}")
        }
        let server = WebServer(
            configuration: WebServerConfiguration(
                listen: try #require(WebAddress("127.0.0.1:0")), name: "hook", title: "hook",
                store: directory.path), routes: routes)
        let (bases, base) = AsyncStream<String>.makeStream()
        let serving = Task { try await server.run { base.yield($0.base) } }
        let url = try #require(await bases.first { _ in true })
        var settings = GatewaySettings()
        settings.sensors.interval = .milliseconds(200)
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        settings.webhook = .init(url: url + "/hook", secret: secret)
        try await Self.run(settings) { gateway in
            while posts.withLock({ $0.filter { $0.body.contains("sensor.readings") }.count }) < 20 {
                try await Task.pause()
            }
            let metrics = await gateway.metrics
            #expect(
                metrics.contains(#"harald_sensor_temperature{sensor="024841000001",name="Living room",unit="°C"} 21.5"#)
            )
            #expect(metrics.contains(#"harald_gateway_sensors{state="online"} 11"#))
            #expect(!metrics.contains(#"harald_gateway_messages_total{receiver="webhook",result="delivered"} 0"#))
        }
        server.stop()
        _ = await serving.result
        for post in posts.withLock({ $0 }) {
            let body = try JSONValue(parsing: Array(post.body.utf8))
            #expect(body["id"]?.string == post.id && body["data"]?["id"]?.string?.count == 12)
            let time = try #require(post.time.flatMap { Int64($0) })
            let id = try #require(post.id)
            #expect(
                post.signature == WebhookSignature.sign(id: id, timestamp: time, body: post.body, secret: secret))
        }
        #expect(posts.withLock { $0.contains { $0.body.contains(#""type":"sensor.online""#) } })
    }
}
#endif
