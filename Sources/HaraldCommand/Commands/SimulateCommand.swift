import Adapters
import ArgumentParser
import Harald
import VirtualDevices

struct SimulateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run virtual devices that are described in files.",
        discussion: """
            A FILE is a device or a scene in YAML (Documentation/DeviceFiles.md describes the format), or the name of \
            one that is built in: \(BuiltIn.deviceNames.joined(separator: ", ")); \
            \(BuiltIn.scenes.keys.sorted().joined(separator: ", ")).

            With --adapter the devices run on that adapter. Otherwise they join the air that 'harald air' serves, or \
            this command serves one, so that another terminal sees them with '--adapter virtual:'. They run without \
            limit, until Ctrl-C or for --for seconds. Connections, subscriptions, reads and writes are printed; with \
            --json each is an object: time, event (connected, disconnected, subscribed, unsubscribed, read, write, \
            truncated: a value that is longer than the MTU of a subscriber), \
            name, central, service, characteristic, handle, value, what. --check only reads the files.

            Commands are read from standard input, one per line, unless it answers pairing questions (--io, --passkey \
            on a terminal); its end does not end the simulation. The result of a command is printed, with --json as \
            {"event":"command","ok":true}, or with ok false and error. DEVICE is the address or the name of a \
            device, or its beginning if no other name begins with it, and can be omitted if there is only one; PATH is \
            as in 'harald read', VALUE as in 'harald write':
              set [DEVICE] PATH VALUE         sets the value, until a central writes another one
              notify [DEVICE] PATH [VALUE]    sends the current value, or VALUE, to all subscribers
              disconnect [DEVICE] [CENTRAL]   disconnects all centrals, or one
              fault [DEVICE] PATH ERROR|none  answers reads and writes with an error such as 0x0E; none: as before
              fault [DEVICE] lost|silent|0x3E|none
                                              on the virtual radio: breaks the links; stops sending; connections fail
                                              to be established; ends the fault
              fault [DEVICE] silent|away on|off, fault [DEVICE] loss|delay|failing NUMBER,
              move [DEVICE] METRES, walk [DEVICE] on|off, cut [DEVICE], remove [DEVICE]
                                              on the virtual radio: faults, places and links of the device

            A device pairs as its file says: with its printed passkey, otherwise with every central that requests it. \
            --io and --passkey set the input and output capabilities of all devices; questions to the user of a device \
            are asked here.

            A fixed passkey is weak: each failed attempt reveals a part of it. After three failed attempts, from any \
            devices, it is refused until --renew-passkey; with --store, also in later runs. A device without a passkey \
            in its file, with --io display, shows a new one for each pairing.

            EXAMPLES
              harald simulate polar-h7
              harald simulate strap.yaml scale.yaml --adapter hci:0
              harald simulate --check strap.yaml
              echo 'set 180F/2A19 u8:7' | harald simulate polar-h7 --json
            """)

    @Argument(help: ArgumentHelp("Devices and scenes.", valueName: "FILE"), completion: Completions.twins)
    var files: [String] = []

    @Flag(help: "Only read the files, and report their errors.")
    var check = false

    @Flag(help: "Only list the keys of device and scene files, with their defaults.")
    var keys = false

    @OptionGroup var length: TimeOption

    @Option(
        help: ArgumentHelp(
            "Input and output capability of the devices: none, display, yesno, keyboard, keyboardDisplay.",
            valueName: "what"))
    var io: DeviceInput?

    @Option(
        help: ArgumentHelp(
            "The six-digit passkey printed on the devices, or entered on them with --io keyboard.", valueName: "digits")
    )
    var passkey: String?

    @Flag(help: "Accept every pairing question for the users of the devices.")
    var yes = false

    @Flag(
        help: ArgumentHelp(
            "Replace the bond of a central that lost its half of it and pairs again. It may be an impostor: without "
                + "this option the question is asked here with --io, and the bond is kept otherwise."))
    var replaceBond = false

    @Flag(help: "Print out-of-band data of each device, for 'harald pair --oob'.")
    var oob = false

    @Flag(help: "Accept fixed passkeys again that are refused after three failed attempts.")
    var renewPasskey = false

    @Option(
        help: ArgumentHelp(
            "Make a read-only characteristic of the file writable: a UUID or a name, such as 2A38; can be "
                + "repeated.", valueName: "characteristic"))
    var writable: [String] = []

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if files.isEmpty, !keys {
            throw ValidationError("a device or a scene is missing, such as polar-h7, clinic or ./strap.yaml")
        }
        if let problem = TerminalPairing.problem(with: passkey) { throw ValidationError(problem) }
    }

    /// Answers pairing requests for the devices; nil if their files determine the answers.
    private var pairing: TerminalPairing? {
        guard io != nil || passkey != nil else { return nil }
        return TerminalPairing(
            rule: yes ? .accept : .ask, replacesBonds: replaceBond,
            givenPasskey: passkey.flatMap(TerminalPairing.passkey),
            capability: (io ?? .display).capability, isDevice: true)
    }

    /// True if commands are read from standard input. False if it is a terminal that answers questions of pairing.
    private var takesCommands: Bool { !TerminalInput.isInteractive || pairing == nil }

    func perform() async throws {
        if keys { return FileKeysText.show(FileKeys.deviceFiles, asJSON: shared.json) }
        try shared.checkStore()
        var devices: [SceneDevice] = []
        for file in files { devices += try SceneLoader.sceneOrDevice(file).devices }
        if check {
            for device in devices { Console.line("'\(TerminalText.safe(device.device.name))' is valid") }
            return
        }
        for pattern in writable { try devices.makeWritable(pattern) }
        try await run(devices)
    }

    /// Puts devices on the air until the time is over, or the command is interrupted.
    func run(_ files: [SceneDevice]) async throws {
        var devices = files
        if replaceBond { for index in devices.indices { devices[index].device.replacesBonds = true } }
        if length.limit == nil { Console.message("simulating without limit; Ctrl-C stops") }
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
                    scene, at: [.unix(path: path)], for: length.limit, pairing: pairing,
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
                "other programs cannot see virtual:\(name), an air of this process; use virtual: without a scene"
            )
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
                for: length.limit, showsOutOfBandData: oob, renewsPasskeys: renewPasskey,
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
