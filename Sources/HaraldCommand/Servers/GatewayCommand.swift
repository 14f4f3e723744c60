import ArgumentParser
import BluetoothBackend
import Explorer
import Foundation
import Gateway
import Harald
import VirtualDevices

struct GatewayCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway", abstract: "Publish sensors to MQTT, Home Assistant, webhooks and Prometheus.",
        discussion: """
            Publishes the readings of sensors that advertise, the values of devices that the configuration allows it \
            to connect to, and the presence of devices named with 'harald identities'. It runs without limit: Ctrl-C \
            or SIGTERM end it, after what waits was delivered for two seconds.

            --config names a YAML file (Documentation/Gateway.md):

              name: cellar                         # part of topics
              sensors: {interval: 30 s, silence: 10 min, minRssi: -90}
              connect: [SensorTag]
              mqtt: {url: 'mqtts://harald@broker', passwordFile: mqtt.password}
              prometheus: {listen: '127.0.0.1:9469'}

            Further keys: adapters, passive, formats; sensors: formats, only, except, limit; presence: {away: 5 min} or false; \
            mqtt: certificates, discovery, queue, plain; webhook: url, secretFile, tokenFile, certificates, queue, plain. \
            Scales and beacons are published only if sensors.formats names them; 'harald monitor' sends weights to a \
            hub. Messages for a receiver that is away wait in memory, 10,000 by default; then the oldest is dropped \
            and counted.

            --adapter can be given several times: a sensor that several adapters hear is one. --check only checks the \
            file. With --json, one object per line: event (sensor, presence, happened, receiver, device, scanning, \
            listening, end) with its properties.

            'passive: true' requests no scan responses. BlueZ can do so only for patterns, which follow from the \
            formats; the gateway tells which formats have none, and why an adapter scans actively all the same.

            EXAMPLES
              harald gateway --config gateway.yaml
              harald gateway --config gateway.yaml --adapter bluez:hci0 --adapter bluez:hci1
              harald gateway --config gateway.yaml --adapter virtual:home
              harald gateway --config gateway.yaml --check
            """)

    @Option(help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"), completion: .file())
    var config: String

    @Flag(help: "Check the configuration, and end.")
    var check = false

    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        let settings = try GatewayFile.read(config) { _ = try AdapterChoice($0) }
        if let formats = settings.formats { try UserFormats.load(formats) }
        try GatewayFile.checkFormats(config)
        guard !check else { return Console.message("\(config) is valid") }
        let adapters = shared.adapters.isEmpty ? settings.adapters : shared.adapters
        let choice = try AdapterChoice(adapters.first)
        let output = GatewayOutput(json: shared.json)
        try await OpenedAdapter.run(shared, choice: choice, limit: .opening) { opened in
            let others = try await opened.openOthers(adapters.dropFirst(), beside: choice, shared)
            let gateway = Gateway(
                settings, identities: try IdentityFile.read(shared.adapterOptions.storage), report: output.report)
            if !shared.json { Console.message("publishing sensors without limit; Ctrl-C stops") }
            try await closing {
                try await gateway.run {
                    try await scan([opened.central] + others, adapters, gateway)
                }
            } with: {
                for other in others { await other.close() }
            }
        }
        try Task.checkCancellation()
    }

    /// Scans with all adapters until the task is cancelled, or the last adapter has failed.
    private func scan(
        _ adapters: [Central], _ names: [String], _ gateway: Gateway
    ) async throws {
        let count = adapters.count
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for (index, central) in adapters.enumerated() {
                let uri = names.indices.contains(index) ? names[index] : central.adapter.uri
                // Several adapters of one air.
                let name = names.prefix(index).contains(uri) ? "\(uri)#\(index + 1)" : uri
                var request = gateway.request.scan
                request.modeChanged = { gateway.note($0, adapter: name) }
                group.addTask { [request] in
                    do {
                        try await central.scanPersistently(
                            ScanFilter(), request: request, report: { Console.message($0) }
                        ) { found in
                            await gateway.note(found, adapter: name)
                        }
                        return nil
                    } catch {
                        if count > 1, !Task.isCancelled { Console.message("\(name): \(ProgramError(error).message)") }
                        return error
                    }
                }
            }
            var last: (any Error)?
            for try await error in group { last = error ?? last }
            if let last, !Task.isCancelled { throw last }
        }
    }
}

/// Prints what a gateway reports.
private struct GatewayOutput: Sendable {
    let json: Bool

    func report(_ report: Gateway.Report) {
        let (text, object): (String, JSONValue)
        switch report {
        case .sensor(let sensor):
            text = "\(sensor.title) (\(sensor.id)) is \(sensor.isOnline ? "online" : "offline")"
            object = [
                "event": "sensor", "id": .string(sensor.id), "name": .string(sensor.title),
                "online": .bool(sensor.isOnline),
            ]
        case .happened(let sensor, let reading, let type):
            text = "\(sensor.title): \(reading) \(type)"
            object = [
                "event": "happened", "id": .string(sensor.id), "reading": .string(reading), "type": .string(type),
            ]
        case .person(let person):
            let isHome = person.isHome ?? false
            text = "\(person.name) is \(isHome ? "home" : "away")"
            object = ["event": "presence", "name": .string(person.name), "home": .bool(isHome)]
        case .receiver(let name, let problem):
            text = problem.map { "\(name): \($0); messages wait" } ?? "\(name): messages are delivered"
            object = ["event": "receiver", "name": .string(name), "problem": .optional(problem)]
        case .device(let name, let problem):
            text = "\(name): \(problem)"
            object = ["event": "device", "name": .string(name), "problem": .string(problem)]
        case .scanning(let adapter, let mode, let unheard):
            let (way, reason): (String, String?) =
                switch mode {
                case .active(let reason): ("active", reason)
                case .passive: ("passive", nil)
                case .patterns:
                    ("patterns", unheard.isEmpty ? nil : "it does not hear \(unheard.joined(separator: ", "))")
                }
            let words = mode.isPassive ? "passively" : "actively"
            text =
                "\(adapter) scans \(words)\(mode == .patterns ? " for patterns" : "")"
                + (reason.map { "; \($0)" } ?? "")
            object = [
                "event": "scanning", "adapter": .string(adapter), "mode": .string(way), "reason": .optional(reason),
                "unheard": .array(unheard.map { .string($0) }),
            ]
        case .listening(let url):
            text = "metrics at \(url)/metrics"
            object = ["event": "listening", "url": .string(url)]
        case .end(let name, let counts):
            text =
                "\(name): \(counts.delivered.counted("message")) delivered, \(counts.waiting) not delivered, "
                + "\(counts.dropped) dropped, \(counts.refused) refused"
            object = [
                "event": "end", "name": .string(name), "delivered": .int(counts.delivered),
                "waiting": .int(counts.waiting), "dropped": .int(counts.dropped), "refused": .int(counts.refused),
            ]
        }
        json ? Console.json(object) : Console.line(TerminalText.safe(text))
    }
}
