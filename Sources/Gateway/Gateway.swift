import BluetoothBackend
import BluetoothProfiles
import Explorer
import Forwarding
import Foundation
import Harald
import Hummingbird
import JSON
import Synchronization
import WebServer

/// Publishes the sensors that adapters hear, and the values of devices that it connects to.
package actor Gateway {
    package enum Report: Sendable {
        case sensor(SensorTable.Sensor)
        case person(SensorTable.Person)
        case happened(SensorTable.Sensor, reading: String, type: String)
        /// A delivery failed; nil for the first one that succeeds afterwards.
        case receiver(String, problem: String?)
        case device(String, problem: String)
        case listening(String)
        /// An adapter that is to scan passively does so or not, and the names of the formats that it does not hear.
        case scanning(String, ScanMode, unheard: [String])
        /// At the end: the counts of a receiver.
        case end(String, SensorOutbox.Counts)
    }

    private let settings: GatewaySettings
    private let reader: AdvertisedReader
    private let report: @Sendable (Report) -> Void
    /// The time since some instant, which the clock of the system does not change.
    private let now: @Sendable () -> Duration
    private let topics: SensorTopics
    private var table: SensorTable
    private var outboxes: [SensorOutbox] = []
    private var connections: [ConnectedDevice]
    /// The tasks of the connections, by the device of the settings.
    private var visits: [String: Task<Void, Never>] = [:]
    private nonisolated let modes = Mutex<[String: ScanMode]>([:])
    /// Names whose devices are to be heard, whatever they advertise.
    private let namesDevices: Bool
    /// The time that receivers have at the end.
    private static let lastChance = Duration.seconds(2)

    /// Creates a gateway.
    /// - Parameters:
    ///   - identities: the devices that the user has named.
    ///   - outboxes: receivers beside those of the settings.
    ///   - clock: the time since some instant, which the clock of the system does not change.
    package init(
        _ settings: GatewaySettings, identities: [DeviceIdentity] = [], reader: AdvertisedReader = .shared,
        outboxes: [SensorOutbox] = [], clock: @escaping @Sendable () -> Duration = Gateway.elapsed,
        report: @escaping @Sendable (Report) -> Void
    ) {
        (self.settings, self.reader, self.outboxes, now, self.report) = (settings, reader, outboxes, clock, report)
        topics = SensorTopics(gateway: settings.name, discovery: settings.mqtt?.discovery)
        table = SensorTable(
            settings, people: identities.filter { $0.irk != nil }.map(\.name),
            sensors: identities.filter { $0.key != nil }.map(\.name))
        connections = settings.connections.map(ConnectedDevice.init)
        namesDevices = settings.absence != nil && identities.contains { $0.key == nil }
    }

    private static let start = ContinuousClock.now
    /// The time since the first use.
    package static let elapsed: @Sendable () -> Duration = { ContinuousClock.now - start }

    // MARK: Running

    /// Delivers to the receivers while `body` runs, and then what still waits, within two seconds.
    /// - Throws: the error of `body`, or `WebServerError` if the metrics cannot be served.
    package func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        outboxes += makeOutboxes()
        let outboxes = outboxes
        try await ending {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for outbox in outboxes { group.addTask { await outbox.run() } }
                group.addTask { await self.keepTime() }
                if let server = metricsServer() {
                    group.addTask { [report] in
                        try await server.run { report(.listening($0.base)) }
                    }
                }
                group.addTask { try await body() }
                defer { group.cancelAll() }
                // The others end only with an error, or with the cancellation.
                try await group.next()
            }
        } with: {
            for visit in visits.values { visit.cancel() }
            let (ended, reporting) = (Array(visits.values), report)
            // A cancelled task must do this too.
            await Task {
                for visit in ended { await visit.value }
                await withDiscardingTaskGroup { group in
                    for outbox in outboxes { group.addTask { await Self.end(outbox, reporting) } }
                }
            }.value
        }
    }

    private static func end(_ outbox: SensorOutbox, _ report: @Sendable (Report) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await outbox.flush() }
            group.addTask { try? await Task.sleep(for: lastChance) }
            await group.next()
            group.cancelAll()
        }
        await outbox.receiver.close()
        report(.end(outbox.receiver.name, outbox.counts))
    }

    private func makeOutboxes() -> [SensorOutbox] {
        var outboxes: [SensorOutbox] = []
        func add(_ receiver: any SensorReceiver, _ queue: GatewaySettings.Queue) {
            let (name, report) = (receiver.name, report)
            let last = Mutex<String?>(nil)
            outboxes.append(
                SensorOutbox(receiver, limit: queue.limit) { problem in
                    let isNew = last.withLock { last in
                        defer { last = problem }
                        return last != problem
                    }
                    if isNew { report(.receiver(name, problem: problem)) }
                })
        }
        if let mqtt = settings.mqtt {
            let receiver = MQTTSensorReceiver(mqtt, topics) { [weak self] subject, isPerson in
                await self?.configuration(of: subject, isPerson: isPerson)
            }
            add(receiver, mqtt.queue)
        }
        if let webhook = settings.webhook { add(WebhookSensorReceiver(webhook), webhook.queue) }
        return outboxes
    }

    private func keepTime() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            tick()
        }
    }

    /// Publishes what the passing of time entails.
    package func tick() { publish(table.tick(at: now())) }

    // MARK: Scanning

    /// The request of a scan, and the names of the formats that a scan for patterns does not hear.
    package nonisolated var request: (scan: ScanRequest, unheard: [String]) {
        var request = ScanRequest(allowsDuplicates: true, isActive: !settings.isPassive)
        guard settings.isPassive else { return (request, []) }
        let kinds = settings.sensors.formats ?? Set(AdvertisedFormats.kinds).subtracting(GatewaySettings.unrequested)
        let (patterns, unheard) = AdvertisedFormats.patterns(of: kinds)
        request.patterns = patterns
        if namesDevices || !settings.connections.isEmpty { request.patterns += AdvertisementPattern.devices }
        return (request, unheard)
    }

    /// Notes how an adapter scans.
    package nonisolated func note(_ mode: ScanMode, adapter: String) {
        let isNew = modes.withLock { $0.updateValue(mode, forKey: adapter) != mode }
        if settings.isPassive, isNew {
            report(.scanning(adapter, mode, unheard: mode == .patterns ? request.unheard : []))
        }
    }

    // MARK: Hearing

    /// Notes an advertisement.
    package func note(_ found: ScanResult, adapter: String) {
        let address = found.peripheral.address
        let sighting = Sighting(
            device: found.id, address: address, name: found.name, identity: reader.name(of: address),
            rssi: found.rssi, adapter: adapter, values: reader.values(of: found))
        note(sighting)
        if !connections.isEmpty { connect(found, sighting) }
    }

    /// Notes what a device has sent.
    package func note(_ sighting: Sighting) { publish(table.note(sighting, at: now())) }

    private func publish(_ events: [SensorEvent]) {
        guard !events.isEmpty else { return }
        let time = Date()
        for event in events {
            switch event {
            case .online(let id), .offline(let id):
                guard let sensor = table.sensors[id] else { continue }
                report(.sensor(sensor))
                add(.availability(sensor.isOnline), sensor, time)
            case .readings(let id): if let sensor = table.sensors[id] { add(.readings, sensor, time) }
            case .happened(let id, let reading, let type):
                guard let sensor = table.sensors[id] else { continue }
                report(.happened(sensor, reading: reading, type: type))
                add(.happened(reading: reading, type: type), sensor, time)
            case .presence(let name):
                guard let person = table.people[name] else { continue }
                report(.person(person))
                let json: JSONValue = .known([
                    "name": .string(name), "home": .bool(person.isHome ?? false), "rssi": person.rssi.map { .int($0) },
                    "time": .string(time.formatted(.iso8601)),
                ])
                let message = SensorMessage(
                    .presence(person.isHome ?? false), of: person.id, shape: 1, text: json.text, time: time)
                for outbox in outboxes { outbox.add(message) }
            }
        }
    }

    private func add(_ kind: SensorMessage.Kind, _ sensor: SensorTable.Sensor, _ time: Date) {
        guard !outboxes.isEmpty else { return }
        let message = SensorMessage(
            kind, of: sensor.id, shape: sensor.shape, text: sensor.json(at: time).text, time: time)
        for outbox in outboxes { outbox.add(message) }
    }

    private func configuration(of subject: String, isPerson: Bool) -> String? {
        if isPerson { return table.people.values.first { $0.id == subject }.map { topics.configuration(of: $0).text } }
        return table.sensors[subject].map { topics.configuration(of: $0).text }
    }

    // MARK: Connections

    private func connect(_ found: ScanResult, _ sighting: Sighting) {
        guard found.isConnectable, let device = connections.first(where: { $0.matches(sighting) }),
            visits[device.settings.device] == nil
        else { return }
        visits[device.settings.device] = Task { [weak self, report] in
            do {
                try await device.visit(found.peripheral) { [weak self] values in
                    var sighting = sighting
                    (sighting.values, sighting.rssi) = (values, nil)
                    await self?.note(sighting)
                }
            } catch {
                if !Task.isCancelled { report(.device(device.settings.device, problem: "\(error)")) }
                try? await Task.sleep(for: ConnectedDevice.rest)
            }
            await self?.ended(device)
        }
    }

    private func ended(_ device: ConnectedDevice) { visits[device.settings.device] = nil }

    // MARK: Metrics

    private func metricsServer() -> WebServer? {
        guard let address = settings.metrics else { return nil }
        var routes = WebRoutes()
        routes.on(.get, "/health", withoutLogin: true) { _, _ in .json(#"{"status":"ok"}"#) }
        routes.on(.get, "/metrics", withoutLocalLogin: true) { [weak self] _, _ in
            var response = Response.json(await self?.metrics ?? "")
            response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return response
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-gateway-\(getuid())").path
        return WebServer(
            configuration: WebServerConfiguration(
                listen: address, name: "gateway", title: "Harald gateway", store: directory), routes: routes)
    }

    package var metrics: String {
        let metrics = PrometheusMetrics()
        func gauge(_ name: String, _ value: Double, _ labels: [(String, String)] = []) {
            metrics.makeMeter(label: "harald_\(name)", dimensions: labels).set(value)
        }
        func count(_ name: String, _ value: Int, _ labels: [(String, String)] = []) {
            metrics.makeCounter(label: "harald_\(name)_total", dimensions: labels).increment(by: Int64(value))
        }
        let now = now()
        for sensor in table.sensors.values {
            let labels = [("sensor", sensor.id), ("name", sensor.title)]
            gauge("sensor_up", sensor.isOnline ? 1 : 0, labels)
            gauge("sensor_silence_seconds", ((now - sensor.heard) / .seconds(1)).rounded(), labels)
            guard sensor.isOnline else { continue }
            if let signal = sensor.signal { gauge("sensor_rssi_dbm", Double(signal.rssi), labels) }
            for reading in sensor.readings {
                guard let number = reading.number else { continue }
                let unit = reading.isBinary ? nil : reading.field.unit?.symbol
                gauge("sensor_" + Slug.snakeCase(reading.name), number, labels + (unit.map { [("unit", $0)] } ?? []))
            }
        }
        for person in table.people.values {
            gauge("presence", person.isHome == true ? 1 : 0, [("name", person.name)])
        }
        for isOnline in [true, false] {
            let number = table.sensors.values.filter { $0.isOnline == isOnline }.count
            gauge("gateway_sensors", Double(number), [("state", isOnline ? "online" : "offline")])
        }
        for (adapter, mode) in modes.withLock({ $0 }) {
            gauge("gateway_passive", mode.isPassive ? 1 : 0, [("adapter", adapter)])
        }
        count("gateway_advertisements", table.heardCount)
        for reason in IgnoredReason.allCases {
            count("gateway_ignored", table.ignored[reason] ?? 0, [("reason", reason.rawValue)])
        }
        for outbox in outboxes {
            let (counts, name) = (outbox.counts, ("receiver", outbox.receiver.name))
            gauge("gateway_waiting", Double(counts.waiting), [name])
            for (result, number) in [
                ("delivered", counts.delivered), ("dropped", counts.dropped), ("refused", counts.refused),
            ] { count("gateway_messages", number, [name, ("result", result)]) }
        }
        return metrics.text
    }
}
