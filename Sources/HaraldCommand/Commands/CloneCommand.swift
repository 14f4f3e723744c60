#if Programs
import ArgumentParser
import BluetoothRuntime
import Explorer
import Harald
import VirtualDevices
import Workbench

/// `harald clone`
struct CloneCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Write a device file of a real device.",
        discussion: """
            Listens to its advertisements, connects, and prints a device file (Documentation/DeviceFiles.md) that \
            'harald simulate' puts on the air: the advertisement, the database with its handles, the values, the \
            descriptors, what reading and subscribing demand, and how often values are sent. Nothing is written but \
            the subscriptions, and nothing is paired.

            The characteristics that the Bluetooth SIG defined are read. Those of the vendor are read and subscribed \
            to after consent: it is asked for at a terminal, and --yes gives it; reading may change such a device. \
            --no-read leaves one out. What cannot be learned is told on standard error.

            With --structure the file has neither values nor what was measured, nor the address: two devices that are \
            made alike give the same text. With --json it is one object: name, yaml, notes.

            EXAMPLES
              harald clone polar --yes > polar.yaml; harald simulate --check polar.yaml
              harald clone gadget --yes --no-read FFF1 --observe 20 > gadget.yaml
              harald clone polar --structure | diff - reference.yaml
            """)

    @OptionGroup var device: OneDevice

    @Flag(help: "Leave values, intervals and the address out.")
    var structure = false

    @Flag(help: "Read the vendor's characteristics without asking.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Neither read nor subscribe to this characteristic, by UUID or name; may be given several times.",
            valueName: "uuid"))
    var noRead: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to listen to advertisements, at most.", valueName: "seconds"))
    var listen = 10.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for notifications; 0 subscribes to nothing.", valueName: "seconds"))
    var observe = 5.0

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(listen > 0 && listen <= 3600) {
            throw ValidationError("--listen is a number of seconds above 0, up to 3600")
        }
        if !(observe >= 0 && observe <= 3600) {
            throw ValidationError("--observe is a number of seconds from 0 to 3600")
        }
        do { _ = try skipped() } catch { throw ValidationError("\(error)") }
    }

    private func skipped() throws -> Set<BluetoothUUID> {
        var uuids: Set<BluetoothUUID> = []
        for name in noRead {
            let found = BluetoothUUID(name).map { [$0] } ?? ServiceName.uuids(name, .characteristic)
            guard !found.isEmpty else { throw ServiceName.unknown(name, .characteristic) }
            uuids.formUnion(found)
        }
        return uuids
    }

    func perform() async throws {
        var cloner = DeviceCloner()
        cloner.isStructure = structure
        cloner.skipped = try skipped()
        cloner.observation = .seconds(observe)
        cloner.timeout = shared.patience
        cloner.consents = { [yes] characteristics in
            if yes { return true }
            guard TerminalInput.isInteractive else { return false }
            let names = characteristics.map { "\($0.service.uuid)/\($0.uuid)" }.joined(separator: ", ")
            let answer = await CommandDeadline.shared.whilePaused {
                await TerminalInput.line("read the vendor's \(names)? It may change the device. [y/N] ")
            }
            return ["y", "yes"].contains(answer?.lowercased() ?? "")
        }
        let result = try await OpenedAdapter.run(shared) { adapter in
            let found = try await device.find(on: adapter.central, within: shared.patience)
            let heard = try await CommandDeadline.shared.whilePaused {
                try await listen(to: found, on: adapter.central)
            }
            return try await found.peripheral.whileConnected(shared) {
                try await CommandDeadline.shared.whilePaused {
                    try await cloner.clone(found.peripheral, heard: heard)
                }
            }
        }
        for note in result.notes { Console.message(note) }
        if result.lacksConsent { Console.message("--yes consents to read what vendors defined") }
        if shared.json {
            Console.json([
                "name": .string(result.file.name), "yaml": .string(result.file.yaml),
                "notes": .array(result.notes.map { .string($0) }),
            ])
        } else {
            Console.write(result.file.yaml)
        }
    }

    /// Hears the device until its interval is known, or `--listen` is over.
    private func listen(to device: Discovery, on central: Central) async throws -> HeardAdvertising {
        var heard = HeardAdvertising()
        heard.note(device, at: RadioClock.real.now)
        shared.note("listening to \(device.peripheral)")
        for try await found in central.scan(duplicates: true, duration: .seconds(listen)) where found.id == device.id {
            heard.note(found, at: RadioClock.real.now)
            if heard.isEnough { break }
        }
        try Task.checkCancellation()
        return heard
    }
}
#endif
