#if Programs
import BluetoothTransport
import Harald
import HostBackend
import VirtualDevices

/// The adapter that a command works on, ready for use.
struct OpenedAdapter: Sendable {
    let central: Central
    /// The scene around it, where it is on an air of the program's own.
    let scene: VirtualScene?
    /// Whether bonds are to be kept beyond the command.
    var keepsBonds = true

    /// What `--timeout` limits.
    enum Limit {
        /// The whole command, where it is given; else only the opening of the adapter.
        case command
        /// The opening of the adapter: the command has limits of its own, or none.
        case opening
    }

    /// How long opening an adapter may take without `--timeout`.
    private static let openingPatience = Duration.seconds(30)

    /// The devices around it are simulated: it is on an air of the program's own, or on the user's.
    var isSimulated: Bool {
        scene != nil || central.adapter.uri.hasPrefix("virtual:")
            || central.adapter.uri == "unix:\(UserAir.socketPath())"
    }

    /// Opens the adapter that is asked for, runs `body` and closes it, also where `body` throws or is cancelled.
    static func run<Result>(
        _ options: SharedOptions, choice: AdapterChoice? = nil, pairing: TerminalPairing? = nil,
        limit: Limit = .command, _ body: (OpenedAdapter) async throws -> Result
    ) async throws -> Result {
        try options.checkTimeout()
        try options.checkStore()
        let deadline = CommandDeadline.shared
        deadline.start(options.timeout.map { .seconds($0) } ?? openingPatience)
        defer { deadline.stop() }
        let adapter = try await open(try choice ?? AdapterChoice(options.adapter), options, pairing)
        if limit == .opening || options.timeout == nil { deadline.stop() }
        pairing?.names.ask(adapter.central)
        do {
            options.note("adapter \(adapter.central.adapter.uri): \(adapter.central.adapter.summary)")
            let result = try await body(adapter)
            await adapter.close()
            return result
        } catch {
            let cause = await adapter.cause(of: error)
            await adapter.close()
            throw cause
        }
    }

    /// Where the adapter itself is gone, that is what counts, and not what it took with it.
    private func cause(of error: any Error) async -> any Error {
        guard error is BluetoothError, !Task.isCancelled else { return error }
        // Its end is told on its loop, after the ends of its links: whoever was there has heard of it.
        _ = await central.bonds
        guard central.state == .unsupported else { return error }
        return ProgramError(.noAdapter, "the adapter is gone: \(central.stateReason)")
    }

    /// Opens an adapter.
    /// - Parameters:
    ///   - requiresPower: whether an adapter that is off, or not allowed, is an error. One that is missing always is, or
    ///     gives way to the virtual radio.
    ///   - capture: a capture that can be started while the adapter is open.
    static func open(
        _ choice: AdapterChoice, _ options: SharedOptions, _ pairing: (any PairingDelegate)?,
        requiresPower: Bool = true, capture: CaptureTap? = nil
    ) async throws -> OpenedAdapter {
        var settings = options.adapterOptions
        settings.captureTap = capture
        switch choice {
        case .auto:
            let central = try await Central(adapter: .auto, pairing: pairing, options: settings)
            do {
                try await central.waitUntilUsable(requiresPower: requiresPower)
                return OpenedAdapter(central: central, scene: nil)
            } catch  where error.code == .radio(.unsupported) {
                await withoutCancellation { await central.close() }
                Console.message("no Bluetooth adapter on this machine; using the virtual radio (--adapter virtual:)")
                return try await open(
                    .userAir, options, pairing, requiresPower: requiresPower, capture: capture)
            } catch {
                await withoutCancellation { await central.close() }
                throw error
            }
        case .userAir:
            let path = UserAir.socketPath()
            guard UserAir.isAlive(path) else {
                return try await open(
                    .scene("default"), options, pairing, requiresPower: requiresPower, capture: capture)
            }
            options.note("joining the air at \(path)")
            settings = try options.adapterOptions(onAirFor: "central")
            settings.captureTap = capture
            return try await ready(
                Central(adapter: Adapter("unix:\(path)"), pairing: pairing, options: settings), nil, settings,
                requiresPower)
        case .scene(let name):
            // What lives on the virtual radio is not worth remembering.
            if options.store == nil { settings.storage = .none }
            let scene = try await VirtualScene(SceneLoader.scene(name))
            return try await ready(
                Central(adapter: scene.radio.adapter(named: "central"), pairing: pairing, options: settings), scene,
                settings, requiresPower)
        case .uri(let uri):
            if uri.hasPrefix("tcp-server:") { Console.message("waiting for a controller to connect to \(uri)") }
            settings = try options.adapterOptions(at: uri, for: "central")
            settings.captureTap = capture
            return try await ready(
                Central(adapter: Adapter(uri), pairing: pairing, options: settings), nil, settings, requiresPower)
        }
    }

    private static func ready(
        _ central: Central, _ scene: VirtualScene?, _ settings: AdapterOptions, _ requiresPower: Bool
    ) async throws -> OpenedAdapter {
        let adapter = OpenedAdapter(central: central, scene: scene, keepsBonds: settings.storage != .none)
        do {
            try await central.waitUntilUsable(requiresPower: requiresPower)
        } catch {
            await adapter.close()
            throw error
        }
        return adapter
    }

    /// Waits for the end of the adapter, and throws it. BlueZ's comes back when `bluetoothd` does, so that has none.
    func untilGone() async throws {
        let comesBack = central.adapter.uri.hasPrefix("bluez:")
        for try await state in central.states where state == .unsupported && !comesBack {
            throw ProgramError(.noAdapter, "the adapter is gone: \(central.stateReason)")
        }
        // Whoever is cancelled hears of no states any more, which is not the end of the adapter.
        try Task.checkCancellation()
    }

    func close() async {
        let (central, scene) = (central, scene)
        await withoutCancellation {
            await central.close()
            await scene?.close()
        }
    }
}

extension Central {
    /// Waits until the adapter is powered on, or, where `requiresPower` is false, off or not allowed.
    fileprivate func waitUntilUsable(requiresPower: Bool) async throws(BluetoothError) {
        do throws(BluetoothError) {
            try await waitUntilPoweredOn()
        } catch {
            switch error.code {
            case .radio(.poweredOff), .radio(.unauthorized): if requiresPower { throw error }
            default: throw error
            }
        }
    }
}

extension Peripheral {
    /// Connects, runs `body` and disconnects, also where `body` throws or the command is cancelled.
    func whileConnected<Result>(
        _ options: SharedOptions, reconnect: ReconnectPolicy = .never, _ body: () async throws -> Result
    ) async throws -> Result {
        options.note("connecting to \(self)")
        do {
            try await connect(timeout: options.patience, reconnect: reconnect)
            options.note("connected, MTU \(mtu)")
            let result = try await body()
            await withoutCancellation { await self.disconnect() }
            options.note("disconnected")
            return result
        } catch {
            await withoutCancellation { await self.disconnect() }
            throw error
        }
    }
}
#endif
