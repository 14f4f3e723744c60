#if Programs
import Adapters
import ArgumentParser
import Harald
import VirtualDevices

/// `harald simulate`
struct SimulateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Put devices that are described in files on the air.",
        discussion: """
            A FILE is a device or a scene in YAML (Documentation/DeviceFiles.md describes the format), or the name of \
            one that comes with the program: \
            \(BuiltIn.deviceNames.joined(separator: ", ")); \
            \(BuiltIn.scenes.keys.sorted().joined(separator: ", ")).

            With --adapter the devices live on that adapter. Without, they live on the air that 'harald air' offers, \
            or on one that is offered here, so that another terminal sees them with '--adapter virtual:'. They are on \
            the air without limit, until Ctrl-C or for --for seconds. Who connects, subscribes, reads and writes is \
            told; with --json each is an object: time, event (connected, disconnected, subscribed, unsubscribed, read, \
            write), name, central, service, characteristic, handle, value, what. --check reads the files and does \
            nothing else.

            Standard input takes commands, a line each, where it does not answer questions of pairing (--io, --passkey \
            on a terminal); its end ends nothing. A command is told when it is done, with --json as \
            {"event":"command","ok":true}, else with ok false and error. DEVICE is the name of a device, which one \
            alone does not need; PATH is as for 'harald read', VALUE as for 'harald write':
              set [DEVICE] PATH VALUE         readers get this value, until a central writes another one
              notify [DEVICE] PATH [VALUE]    sends the value, or this one, to those who subscribed
              disconnect [DEVICE] [CENTRAL]   ends the links to all centrals, or to one
              fault [DEVICE] PATH ERROR|none  answers reads and writes with an error such as 0x0E, or as before
              fault [DEVICE] lost|silent|none on the virtual radio: breaks the links; sends nothing; is heard again

            A device pairs as its file says: with the passkey that is printed on it, else with whoever wants to. --io \
            and --passkey say what all of them can show and enter; questions to a device's user are asked here.

            A passkey that is the same in each pairing is weak: each failed attempt reveals a part of it. After three \
            failed attempts, from whatever devices, it is refused until --renew-passkey; with --store also in the next \
            run. A device without a passkey in its file, with --io display, shows another one each time.

            EXAMPLES
              harald simulate polar-h7
              harald simulate strap.yaml scale.yaml --adapter hci:0
              harald simulate --check strap.yaml
              echo 'set 180F/2A19 u8:7' | harald simulate polar-h7 --json
            """)

    @Argument(help: ArgumentHelp("Devices and scenes.", valueName: "FILE"), completion: Completions.twins)
    var files: [String]

    @Flag(help: "Only read the files, and say what is wrong with them.")
    var check = false

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("End after so long.", valueName: "seconds"))
    var length: Double?

    @Option(
        help: ArgumentHelp(
            "What the devices can show and enter when they pair: none, display, yesno, keyboard, keyboardDisplay.",
            valueName: "what"))
    var io: DeviceInput?

    @Option(
        help: ArgumentHelp(
            "The six digits printed on the devices, or entered on them with --io keyboard.", valueName: "digits"))
    var passkey: String?

    @Flag(help: "Have the devices' users say yes to every question of pairing.")
    var yes = false

    @Flag(help: "Print data of each device for 'harald pair --oob', in place of a code or a tag on it.")
    var oob = false

    @Flag(help: "Accept the devices' fixed passkeys again, after three failed attempts had them refused.")
    var renewPasskey = false

    @Option(
        help: ArgumentHelp(
            "Make a characteristic writable that its file offers for reading only: a UUID or a name, such as 2A38; may be "
                + "given several times.", valueName: "characteristic"))
    var writable: [String] = []

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let length, !(length > 0 && length <= 1e9) { throw ValidationError("--for is a number of seconds above 0") }
        if let problem = TerminalPairing.problem(with: passkey) { throw ValidationError(problem) }
    }

    /// Answers pairing requests for the devices; nil if their files determine the answers.
    private var pairing: TerminalPairing? {
        guard io != nil || passkey != nil else { return nil }
        return TerminalPairing(
            rule: yes ? .accept : .ask, givenPasskey: passkey.flatMap(TerminalPairing.passkey),
            capability: (io ?? .display).capability, isDevice: true)
    }

    /// True if commands are read from standard input. False if it is a terminal that answers questions of pairing.
    private var takesCommands: Bool { !TerminalInput.isInteractive || pairing == nil }

    func perform() async throws {
        try shared.checkStore()
        var devices: [SceneDevice] = []
        for file in files { devices += try SceneLoader.sceneOrDevice(file).devices }
        if check {
            for device in devices { Console.line("'\(TerminalText.safe(device.device.name))' is in order") }
            return
        }
        for pattern in writable { try devices.makeWritable(pattern) }
        try await run(devices)
    }

    /// Puts devices on the air until the time is over, or the command is interrupted.
    func run(_ files: [SceneDevice]) async throws {
        var devices = files
        if length == nil { Console.message("simulating without limit; Ctrl-C ends") }
        switch try AdapterChoice(shared.adapter) {
        case .auto, .userAir:
            let path = UserAir.socketPath()
            let addresses = try Self.addresses()
            defer { withExtendedLifetime(addresses) {} }
            // With a store the adapter has a fixed address, to which the bonds belong.
            for index in devices.indices where devices[index].device.address == .automatic && shared.store == nil {
                devices[index].device.address = .randomStatic(addresses.address(for: devices[index].device.name))
            }
            if UserAir.isAlive(path) {
                shared.note("joining the air at \(path)")
                try await run(devices, try shared.adapterOptions(onAirFor: "simulate")) { Adapter("unix:\(path)") }
            } else {
                let scene = SceneFile(name: "simulate", devices: devices)
                let asJSON = shared.json
                let options = AdapterOptions(
                    storage: shared.store.map { .directory($0) } ?? .none, security: shared.adapterOptions.security)
                try await OfferedScene.run(
                    scene, at: [.unix(path: path)], for: length.map { .seconds($0) }, pairing: pairing,
                    options: options, showsOutOfBandData: oob, renewsPasskeys: renewPasskey,
                    takesCommands: takesCommands
                ) {
                    $0.print(asJSON: asJSON)
                }
            }
        case .uri(let uri):
            var options = try shared.adapterOptions(at: uri, for: "simulate")
            // Without a store each device keeps its address from run to run; with one the adapter does.
            let addresses = shared.store == nil && options.addressRole != nil ? try Self.addresses() : nil
            defer { withExtendedLifetime(addresses) {} }
            if shared.store == nil { options.storage = .none }
            for index in devices.indices where devices[index].device.address == .automatic {
                guard let addresses else { break }
                devices[index].device.address = .randomStatic(addresses.address(for: devices[index].device.name))
            }
            try await run(devices, options) { Adapter(uri) }
        case .scene(let name):
            throw ProgramError(
                .usage,
                "nobody would see devices on virtual:\(name), an air of this process; use virtual: without a scene")
        }
    }

    /// Creates the source of addresses for devices without one, in the directory of the lock files.
    private static func addresses() throws -> SimulatedAddresses {
        let path = UserAir.socketPath()
        try UserAir.makeDirectory(for: path)
        return SimulatedAddresses(directory: UserAir.directory(of: path))
    }

    /// Runs the devices on an adapter. Positions and faults apply only to the virtual radio and are ignored.
    private func run(
        _ devices: [SceneDevice], _ options: AdapterOptions, on adapter: () -> Adapter
    ) async throws {
        let asJSON = shared.json
        var running: [VirtualDevice] = []
        do {
            for placed in devices {
                let device = try await VirtualDevice(
                    placed.device, on: adapter(), pairing: pairing, options: options, observesReads: true)
                running.append(device)
                let address = await device.peripheral.address?.text
                AirEvent.advertising(device.file.name, address: address).print(asJSON: asJSON)
            }
            try await DeviceWatch(running).run(
                for: length.map { .seconds($0) }, showsOutOfBandData: oob, renewsPasskeys: renewPasskey,
                control: takesCommands ? SimulationControl(devices: running) : nil
            ) {
                $0.print(asJSON: asJSON)
            }
            await close(running)
        } catch {
            await close(running)
            throw error
        }
    }

    private func close(_ devices: [VirtualDevice]) async {
        await withoutCancellation {
            for device in devices { await device.close() }
        }
    }
}
#endif
