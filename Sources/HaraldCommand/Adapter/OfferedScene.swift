import BluetoothTransport
import Explorer
import Foundation
import Harald
import VirtualBluetooth
import VirtualDevices

/// Runs a scene on an air that is offered to other programs, until the time has elapsed or the command is interrupted.
enum OfferedScene {
    static func run(
        _ file: SceneFile, at addresses: [ListenAddress], pace: AirPace = .unpaced, for length: Duration?,
        pairing: TerminalPairing? = nil, options: AdapterOptions = .init(storage: .none),
        showsOutOfBandData: Bool = false, renewsPasskeys: Bool = false, takesCommands: Bool = false,
        report: @escaping @Sendable (AirEvent) -> Void
    ) async throws {
        let (air, offered) = try await OfferedAir.open(addresses, pace: pace) { report(.message($0)) }
        try await closing {
            let scene = try await VirtualScene(
                file, on: air.radio, pairing: pairing, options: options, observesReads: true)
            let watch = DeviceWatch(scene.devices)
            report(.offered(offered.map(\.description), devices: scene.devices.map(\.file.name)))
            try await closing {
                try await watch.run(
                    for: length, showsOutOfBandData: showsOutOfBandData, renewsPasskeys: renewsPasskeys,
                    control: takesCommands ? SimulationControl(devices: scene.devices, scene: scene) : nil,
                    report: report)
            } with: {
                await scene.close()
            }
        } with: {
            await air.close()
        }
    }
}

/// An event on an offered air or of a simulated device.
enum AirEvent: Sendable {
    /// The air is offered at these addresses, with these devices on it.
    case offered([String], devices: [String])
    case advertising(String, address: String?)
    case device(DeviceEvent)
    /// A command to a device was carried out, or not.
    case command(SimulationControl.Outcome)
    /// Any other message.
    case message(String)

    func print(asJSON: Bool) {
        if asJSON {
            Console.json(json)
        } else {
            Console.line(TerminalText.safe(line), indent: 4)
        }
    }

    private var line: String {
        switch self {
        case .offered(let addresses, let devices):
            "serving the air at \(addresses.joined(separator: ", ")) with "
                + (devices.isEmpty ? "no devices" : devices.joined(separator: ", "))
        case .advertising(let name, let address): "'\(name)' is on the air\(address.map { " as \($0)" } ?? "")"
        case .device(let event): "'\(event.device)': \(event.what)"
        case .command(let outcome): outcome.done ?? outcome.error.map { "command failed: \($0)" } ?? ""
        case .message(let text): text
        }
    }

    private var json: JSONValue {
        var object: [String: JSONValue]
        switch self {
        case .offered(let addresses, let devices):
            object = [
                "event": "offered", "addresses": .array(addresses.map { .string($0) }),
                "devices": .array(devices.map { .string($0) }),
            ]
        case .advertising(let name, let address):
            object = ["event": "advertising", "name": .string(name), "address": .optional(address)]
        case .device(let event): object = event.json
        case .command(let outcome):
            object = ["event": "command", "ok": .bool(outcome.error == nil), "command": .string(outcome.command)]
            if let done = outcome.done { object["what"] = .string(done) }
            if let error = outcome.error { object["error"] = .string(error) }
        case .message(let text): object = ["event": "message", "text": .string(text)]
        }
        object["time"] = .string(Date.now.timestamp)
        return .object(object)
    }
}
