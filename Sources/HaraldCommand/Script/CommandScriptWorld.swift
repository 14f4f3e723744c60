import Adapters
import BluetoothTransport
import Explorer
import Harald
import Synchronization
import VirtualDevices
import Workbench

/// The adapters and simulated devices of a script.
final class CommandScriptWorld: ScriptWorld {
    /// An adapter, and the URI by which further ones on the same air are opened.
    private struct Place {
        var adapter: OpenedAdapter
        var uri: String?
    }

    private let pairing: ScriptPairing
    /// The number of steps that are pairing.
    private let pairingCount = Mutex(0)
    private let main: Place
    private let named: [String: Place]
    private let control: SimulationControl
    /// The devices that are on no scene of this process.
    private let devices: [VirtualDevice]

    private init(
        _ main: Place, _ named: [String: Place], _ pairing: ScriptPairing, _ devices: [VirtualDevice],
        _ control: SimulationControl
    ) {
        (self.main, self.named, self.pairing, self.devices, self.control) = (main, named, pairing, devices, control)
    }

    /// Opens the adapters of a script and starts its devices, runs `body`, and closes everything.
    /// - Throws: an error of opening an adapter or of a device, or the error of `body`.
    static func run<Result>(
        _ script: Script, _ options: SharedOptions, _ body: (CommandScriptWorld) async throws -> Result
    ) async throws -> Result {
        let pairing = ScriptPairing(entersPasskeys: script.entersPasskeys)
        var opened: [OpenedAdapter] = []
        do {
            let choice = try choice(script, options)
            let main = Place(
                adapter: try await OpenedAdapter.open(choice, options, nil), uri: Self.uri(of: choice))
            opened.append(main.adapter)
            var named: [String: Place] = [:]
            for adapter in script.adapters {
                let place = try await open(adapter, beside: main, options)
                named[adapter.name] = place
                opened.append(place.adapter)
            }
            let (devices, control) = try await start(script, main, named)
            let world = CommandScriptWorld(main, named, pairing, devices, control)
            let result = try await closing {
                try await body(world)
            } with: {
                for device in devices { await device.close() }
            }
            for adapter in opened.reversed() { await adapter.close() }
            return result
        } catch {
            for adapter in opened.reversed() { await adapter.close() }
            throw error
        }
    }

    /// Returns the adapter of the script: that of the command line, else that of the file, else of the environment. A
    /// script with devices of its own is by default alone with them on a virtual radio.
    private static func choice(_ script: Script, _ options: SharedOptions) throws -> AdapterChoice {
        if try options.adapter == nil, let adapter = script.adapter { return try AdapterChoice(adapter) }
        let choice = try AdapterChoice(options.adapter)
        return choice == .auto && script.devices.contains { $0.adapter == nil } ? .scene("empty") : choice
    }

    private static func uri(of choice: AdapterChoice) -> String? {
        if case .uri(let uri) = choice { uri } else { nil }
    }

    /// Opens a further adapter. `virtual:` is another adapter on the virtual radio of the script, if that is one of
    /// this process.
    private static func open(
        _ adapter: Script.Adapter, beside main: Place, _ options: SharedOptions
    ) async throws -> Place {
        let other = try AdapterChoice(adapter.uri)
        if other == .userAir, let scene = main.adapter.scene {
            let central = try await Central(
                adapter: scene.radio.adapter(named: "central \(adapter.name)"), options: AdapterOptions(storage: .none))
            try await central.waitUntilPoweredOn()
            return Place(adapter: OpenedAdapter(central: central, scene: nil, keepsBonds: false))
        }
        return Place(adapter: try await OpenedAdapter.open(other, options, nil), uri: uri(of: other))
    }

    private static func start(
        _ script: Script, _ main: Place, _ named: [String: Place]
    ) async throws -> ([VirtualDevice], SimulationControl) {
        var (own, all) = ([VirtualDevice](), [VirtualDevice]())
        do {
            for device in script.devices {
                let place = device.adapter.flatMap { named[$0] } ?? main
                // Devices on an adapter of the same radio are in the scene.
                if let scene = place.adapter.scene ?? (place.uri == nil ? main.adapter.scene : nil) {
                    all.append(try await scene.add(device.scenery))
                } else {
                    let uri = place.uri ?? Self.userAirForDevices
                    let started = try await VirtualDevice(
                        device.scenery.device, on: Adapter(uri), options: AdapterOptions(storage: .none))
                    own.append(started)
                    all.append(started)
                }
            }
        } catch {
            let started = own
            await withoutCancellation { for device in started { await device.close() } }
            throw error
        }
        return (
            own,
            SimulationControl(
                devices: all.isEmpty ? main.adapter.scene?.devices ?? [] : all, scene: main.adapter.scene)
        )
    }

    /// The URI of the user's air for the devices of a script. An adapter does not hear itself: another spelling of the
    /// path is another connection, and so another controller.
    private static var userAirForDevices: String {
        let path = UserAir.socketPath()
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return "unix:\(UserAir.directory(of: path))/./\(name)"
    }

    // MARK: ScriptWorld

    func central(_ adapter: String?) throws -> Central {
        guard let adapter else { return main.adapter.central }
        guard let place = named[adapter] else { throw ScriptNotFound("no adapter is named '\(adapter)'") }
        return place.adapter.central
    }

    func device(_ text: String, on adapter: String?, within timeout: Duration) async throws -> Peripheral {
        let options = try DeviceOptions.parse([])
        return try await Self.finding {
            try await options.peripheral(DeviceSelector(text), on: try central(adapter), within: timeout)
        }
    }

    func attribute(_ path: String, of peripheral: Peripheral, within timeout: Duration) async throws -> ScriptAttribute
    {
        try await Self.finding {
            switch try await AttributeFinder(peripheral: peripheral, timeout: timeout).find(try AttributePath(path)) {
            case .characteristic(let characteristic): .characteristic(characteristic)
            case .descriptor(let descriptor): .descriptor(descriptor)
            }
        }
    }

    func beginPairing(with peripheral: Peripheral, passkey: UInt32?) async {
        pairing.allow(peripheral.id, passkey: passkey)
        let isFirst = pairingCount.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { for central in centrals { await central.setPairingDelegate(pairing) } }
    }

    func endPairing() async {
        let isLast = pairingCount.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { for central in centrals { await central.setPairingDelegate(nil) } }
    }

    private var adapters: [OpenedAdapter] { [main.adapter] + named.values.map(\.adapter) }
    private var centrals: [Central] { adapters.map(\.central) }

    func checkAdapters() async throws { for adapter in adapters { try await adapter.failIfLost() } }

    func simulate(_ command: String) async throws -> String {
        guard !control.devices.isEmpty else { throw InputError("the script has no devices, and its adapter no scene") }
        guard let outcome = await control.perform(command) else { return "" }
        if let error = outcome.error { throw InputError(error) }
        return outcome.done ?? ""
    }

    /// Converts the error that something is not there.
    private static func finding<Found>(_ find: () async throws -> Found) async throws -> Found {
        do {
            return try await find()
        } catch let error as ProgramError where error.status == .notFound {
            throw ScriptNotFound(error.message)
        }
    }
}
