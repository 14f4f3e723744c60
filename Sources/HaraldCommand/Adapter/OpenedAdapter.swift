import Adapters
import BluetoothTransport
import Explorer
import Harald
import VirtualDevices

/// The adapter of a command, open and ready for use.
struct OpenedAdapter: Sendable {
    let central: Central
    /// The scene on the air of this process; nil for an adapter outside of it.
    let scene: VirtualScene?
    /// True if bonds are stored beyond the command.
    var keepsBonds = true

    /// The part of the command that `--timeout` limits.
    enum Limit {
        /// The whole command if `--timeout` is given; else only the opening of the adapter.
        case command
        /// Only the opening of the adapter: the command has limits of its own, or none.
        case opening
    }

    /// The timeout for opening an adapter if `--timeout` is not given.
    private static let openingPatience = Duration.seconds(30)

    /// True if the devices in range are simulated: the adapter is on an air of this process or on the user's air.
    var isSimulated: Bool {
        scene != nil || central.adapter.uri.hasPrefix("virtual:")
            || central.adapter.uri == "unix:\(UserAir.socketPath())"
    }

    /// Opens the selected adapter, runs `body` and closes the adapter, also if `body` throws or is cancelled.
    /// - Throws: an error of the options or of opening the adapter, or the error of `body`; a ``ProgramError`` in place
    ///   of the latter if the adapter was lost.
    static func run<Result>(
        _ options: SharedOptions, choice: AdapterChoice? = nil, pairing: TerminalPairing? = nil,
        limit: Limit = .command, requiresPower: Bool = true, replacesMissing: Bool = true,
        _ body: (OpenedAdapter) async throws -> Result
    ) async throws -> Result {
        try options.checkTimeout()
        try options.checkStore()
        let deadline = CommandDeadline.shared
        // A command of the shell uses the shell's adapter. A timeout would end the shell, not the command.
        if let shell = ShellContext.current { return try await shell.withAdapter(pairing, body) }
        deadline.start(options.timeout.map { .seconds($0) } ?? openingPatience)
        defer { deadline.stop() }
        let choice = try choice ?? AdapterChoice(options.adapter)
        deadline.name(choice.subject)
        let adapter = try await open(
            choice, options, pairing, requiresPower: requiresPower, replacesMissing: replacesMissing)
        deadline.name(nil)
        if limit == .opening || options.timeout == nil { deadline.stop() }
        pairing?.names.ask(adapter.central)
        do {
            options.note("adapter \(adapter.central.adapter.uri): \(adapter.central.adapter.summary)")
            let result = try await body(adapter)
            await adapter.tellCounters(options)
            await adapter.close()
            return result
        } catch {
            let cause = await adapter.cause(of: error)
            await adapter.tellCounters(options)
            await adapter.close()
            throw cause
        }
    }

    /// Returns the loss of the adapter as the cause of errors that it entailed; any other error unchanged.
    private func cause(of error: any Error) async -> any Error {
        guard error is BluetoothError, !Task.isCancelled else { return error }
        return await loss ?? error
    }

    /// The loss of the adapter; nil if it is available.
    var loss: ProgramError? {
        get async {
            // The loss is reported on the adapter's loop after the losses of its links. A round trip to the loop makes
            // sure that it has been reported.
            _ = await central.bonds
            guard central.state == .unsupported else { return nil }
            return ProgramError(.noAdapter, "the adapter is no longer available: \(central.stateReason)")
        }
    }

    /// Checks that the failure of a device is not the loss of the adapter.
    /// - Throws: ``ProgramError`` if the adapter is lost.
    func failIfLost() async throws { if let loss = await loss { throw loss } }

    /// Opens an adapter.
    /// - Parameters:
    ///   - requiresPower: true if an adapter that is switched off, or not authorized, is an error.
    ///   - replacesMissing: true if the virtual radio replaces a missing adapter of the machine; else it is an error.
    ///   - capture: a capture that can be started while the adapter is open.
    /// - Throws: `BluetoothError` or ``ProgramError`` if the adapter cannot be opened.
    static func open(
        _ choice: AdapterChoice, _ options: SharedOptions, _ pairing: (any PairingDelegate)?,
        requiresPower: Bool = true, replacesMissing: Bool = true, capture: CaptureTap? = nil
    ) async throws -> OpenedAdapter {
        var settings = options.adapterOptions
        AdvertisedReader.shared.use(try IdentityFile.read(settings.storage))
        if let capture {
            settings.captureTap = capture
            if options.trace { LiveTrace.shared.follow(capture) }
        }
        switch choice {
        case .auto:
            let central = try await Central(adapter: .auto, pairing: pairing, options: settings)
            do {
                try await central.waitUntilUsable(requiresPower: requiresPower)
                let adapter = OpenedAdapter(central: central, scene: nil)
                adapter.tellTrace(settings.captureTap)
                return adapter
            } catch  where replacesMissing && error.code == .radio(.unsupported) {
                await withoutCancellation { await central.close() }
                Console.message("this machine has no Bluetooth adapter; using the virtual radio (--adapter virtual:)")
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
            settings.captureTap = capture ?? settings.captureTap
            return try await ready(
                Central(adapter: Adapter("unix:\(path)"), pairing: pairing, options: settings), nil, settings,
                requiresPower)
        case .scene(let name):
            // Bonds and caches of a virtual radio are not worth storing.
            if options.store == nil { settings.storage = .none }
            let scene = try await VirtualScene(SceneLoader.scene(name))
            return try await ready(
                Central(adapter: scene.radio.adapter(named: "central"), pairing: pairing, options: settings), scene,
                settings, requiresPower)
        case .uri(let uri):
            if uri.hasPrefix("tcp-server:") { Console.message("waiting for a controller to connect to \(uri)") }
            settings = try options.adapterOptions(at: uri, for: "central")
            settings.captureTap = capture ?? settings.captureTap
            return try await ready(
                Central(adapter: Adapter(uri), pairing: pairing, options: settings), nil, settings, requiresPower)
        }
    }

    /// Opens further adapters for the same command: controllers, or more adapters on the air of the scene.
    /// - Parameters:
    ///   - choice: the choice of this adapter.
    ///   - sharesLoop: true to run all on the loop of this adapter.
    /// - Throws: ``ProgramError`` for adapters that are on different airs, or an error of opening one.
    func openOthers(
        _ texts: some Sequence<String>, beside choice: AdapterChoice, _ shared: SharedOptions, sharesLoop: Bool = false
    ) async throws -> [Central] {
        var others: [Central] = []
        for (index, text) in texts.enumerated() {
            var options = shared.adapterOptions
            let source: Adapter
            switch (try AdapterChoice(text), scene) {
            case (choice, let scene?):
                options.storage = .none
                source = scene.radio.adapter(named: "hci\(index + 1)")
            case (.uri(let uri), nil):
                options = try shared.adapterOptions(at: uri, for: "central \(index + 1)")
                if sharesLoop { options.loop = central.backend.loop }
                source = Adapter(uri)
            default:
                throw ProgramError(
                    .usage, "the adapters of one service are on one air, or controllers: give one scene several times")
            }
            others.append(try await Central(adapter: source, options: options))
        }
        return others
    }

    /// Reports the counters of the adapter if `--verbose` is given.
    private func tellCounters(_ options: SharedOptions) async {
        guard options.verbose else { return }
        let counters = await central.diagnostics.counters.filter { $0.value > 0 }
        if !counters.isEmpty { options.note("counters: " + counters.map { "\($0)" }.joined(separator: ", ")) }
    }

    /// Reports that the adapter provides no packets, if they are to be traced.
    private func tellTrace(_ tap: CaptureTap?) {
        guard let tap, LiveTrace.shared.follows(tap), !tap.status.isAttached else { return }
        Console.message("--trace: this adapter shows no packets; with BlueZ 'btmon' shows them")
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
        adapter.tellTrace(settings.captureTap)
        return adapter
    }

    /// Waits for the loss of the adapter and throws it. Adapters of BlueZ return when `bluetoothd` does, so their loss
    /// is not reported.
    /// - Throws: ``ProgramError`` when the adapter is lost, `CancellationError` if the task is cancelled.
    func untilGone() async throws {
        let comesBack = central.adapter.uri.hasPrefix("bluez:")
        for try await state in central.states where state == .unsupported && !comesBack {
            try await failIfLost()
        }
        // Cancellation ends the sequence of states too and is no loss of the adapter.
        try Task.checkCancellation()
    }

    func close() async {
        let (central, scene) = (central, scene)
        await withoutCancellation {
            await central.close()
            await scene?.close()
            LiveTrace.shared.flush()
        }
    }
}

extension Central {
    /// Waits until the adapter is powered on or, if `requiresPower` is false, switched off or not authorized.
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
    /// Connects, runs `body` and disconnects, also if `body` throws or the command is cancelled.
    /// - Throws: an error of connecting, or the error of `body`.
    func whileConnected<Result>(
        _ options: SharedOptions, reconnect: ReconnectPolicy = .never, _ body: () async throws -> Result
    ) async throws -> Result {
        // The shell keeps the connection of its device.
        if ShellContext.current?.keeps(self) == true {
            try await connect(timeout: options.patience, reconnect: reconnect)
            return try await body()
        }
        options.note("connecting to \(self)")
        let result = try await closing {
            try await connect(timeout: options.patience, reconnect: reconnect)
            options.note("connected, MTU \(mtu)")
            return try await body()
        } with: {
            await self.disconnect()
        }
        options.note("disconnected")
        return result
    }
}
