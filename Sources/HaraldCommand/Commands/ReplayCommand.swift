import ArgumentParser
import Explorer
import Harald
import VirtualDevices
import Workbench

struct ReplayCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Simulate the device of a capture, or compare another device with it.",
        discussion: """
            FILE is a capture, as for 'harald dissect'. The device has the advertisement and the attributes of the \
            capture; with --database, those of a device file with handles, as written by 'harald clone': a phone that \
            knows a device does not discover its attributes again. It responds to reads in the recorded order, and to \
            writes with the recorded response to the same value. Values that followed a subscription or a write are \
            sent again, with their timing. Each connection starts from the beginning.

            It runs like a device of 'harald simulate', without limit, until Ctrl-C or for --for seconds, and accepts \
            the same commands on standard input. --print prints the device file instead.

            With --against it connects to another device and sends it the requests of the capture, including the \
            writes unless --no-writes is given. The responses are compared; of notifications, only their arrival and \
            length. The status is 1 if there are differences. With --json, one object per comparison: number (of the \
            packet), action, path, result (same, different, notRun), recorded, got.

            EXAMPLES
              harald replay btsnoop_hci.log --device polar
              harald replay phone.pcapng --database polar.yaml
              harald replay demo.btsnoop --against polar --ignore 2A19
            """)

    @Argument(help: ArgumentHelp("The capture.", valueName: "FILE"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The device of the capture, by name, address or a prefix of them (default: the one with the most "
                + "packets).", valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("A device file with the attributes of the device.", valueName: "file"))
    var database: String?

    @Option(
        help: ArgumentHelp("Send the requests to this device, and compare the responses.", valueName: "device"),
        completion: Completions.devices)
    var against: String?

    @Flag(help: "Do not send the writes of the capture.")
    var noWrites = false

    @Option(
        help: ArgumentHelp(
            "Do not compare the values of this characteristic; can be repeated.", valueName: "uuid"))
    var ignore: [String] = []

    @Flag(help: "Only print the device file.")
    var print = false

    @OptionGroup var length: TimeOption

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if against == nil, noWrites || !ignore.isEmpty {
            throw ValidationError("--no-writes and --ignore require --against")
        }
        do { _ = try ignored() } catch { throw ValidationError("\(error)") }
    }

    private func ignored() throws -> Set<BluetoothUUID> {
        var all: Set<BluetoothUUID> = []
        for name in ignore {
            let uuids = ServiceName.uuids(name, .characteristic)
            guard !uuids.isEmpty else { throw ServiceName.unknown(name, .characteristic) }
            all.formUnion(uuids)
        }
        return all
    }

    func perform() async throws {
        let captured = try chosen(among: try devices())
        let described = try database.map { try SceneLoader.sceneOrDevice($0) }
        if let described, described.devices.count != 1 {
            throw ProgramError(.badFile, "--database must be a device, not a scene")
        }
        let replay = captured.replay(database: described?.devices[0].device)
        for note in replay.notes { Console.message(note) }
        if replay.lacksAttributes, database == nil {
            Console.message("--database FILE names such a file; 'harald clone' writes one")
        }
        if print { return Console.write(replay.file.yaml) }
        if against != nil { return try await compare(captured, replay) }
        var simulate = try SimulateCommand.parse(["-"])
        (simulate.shared, simulate.length) = (shared, length)
        try await simulate.run([SceneDevice(replay.file)])
    }

    /// Reads the capture, up to the first damaged record.
    private func devices() throws -> [CapturedDevice] {
        let source: ByteSource
        do throws(ByteSource.OpenError) { source = try ByteSource(path: file) } catch {
            throw ProgramError(.notFound, "cannot read \(file): \(error)")
        }
        var (reader, count) = (CaptureReader(), 0)
        do throws(CaptureDamage) {
            var capture = try CaptureFile(source)
            while let record = try capture.next() {
                count += 1
                reader.add(record)
            }
        } catch {
            guard count > 0 else { throw ProgramError(.badFile, "\(file): \(error)") }
            Console.message(
                "\(file): \(error); \(count.counted("record")) before it \(count == 1 ? "was" : "were") read")
        }
        guard !reader.devices.isEmpty else {
            throw ProgramError(.badFile, "\(file) contains no ATT packet, and thus no device to replay")
        }
        return reader.devices
    }

    private func chosen(among devices: [CapturedDevice]) throws -> CapturedDevice {
        func text(_ device: CapturedDevice) -> String {
            [device.name.map { "'\($0)'" }, device.address?.text].compactMap { $0 }.joined(separator: " ")
        }
        // The captured host is among the devices, and cannot be chosen.
        let known = devices.filter { $0.name != nil || $0.address != nil }
        guard let device else {
            let others = devices.dropFirst().map(text).filter { !$0.isEmpty }
            if !others.isEmpty {
                Console.message(
                    "replaying \(text(devices[0])); --device chooses another one: \(others.joined(separator: ", "))")
            }
            return devices[0]
        }
        let word = device.lowercased()
        let fitting = devices.filter {
            $0.name?.lowercased().hasPrefix(word) ?? false || $0.address?.text.lowercased().hasPrefix(word) ?? false
        }
        guard fitting.count == 1 else {
            let count = fitting.isEmpty ? "no device matches" : "\(fitting.count) devices match"
            throw ProgramError(
                .notFound,
                "\(count) '\(device)'; the capture has "
                    + (known.isEmpty ? "no device with a name or an address" : known.map(text).joined(separator: ", ")))
        }
        return fitting[0]
    }

    private func compare(_ captured: CapturedDevice, _ replay: CapturedDevice.Replay) async throws {
        var comparison = ReplayComparison()
        comparison.timeout = shared.patience
        comparison.writes = !noWrites
        comparison.ignored = try ignored()
        let (plan, asJSON) = (comparison, shared.json)
        let options = try DeviceOptions.parse([])
        let differences = try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await options.peripheral(
                DeviceSelector(against ?? ""), on: adapter.central, within: shared.patience)
            return try await peripheral.whileConnected(shared) {
                try await plan.run(captured, replay.file, on: peripheral) { outcome in
                    CommandDeadline.shared.progress()
                    if asJSON {
                        Console.json(outcome.json)
                    } else {
                        Console.line(TerminalText.safe(outcome.line), indent: 17)
                    }
                }
            }
        }
        guard differences == 0 else {
            throw ProgramError(.failed, differences.counted("difference"))
        }
    }
}
