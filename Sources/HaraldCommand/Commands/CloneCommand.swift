import ArgumentParser
import BluetoothRuntime
import Explorer
import Harald
import VirtualDevices
import Workbench

struct CloneCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Write a device file of a real device.",
        discussion: """
            Receives advertisements, connects, and prints a device file (Documentation/DeviceFiles.md) that 'harald \
            simulate' runs: the advertisement, the attribute database with its handles, the values, the descriptors, \
            the security that reading and subscribing require, and the intervals of notifications. The clone writes \
            nothing except subscriptions, and it does not pair.

            Characteristics of the Bluetooth SIG are read. Characteristics of the vendor are read and subscribed to \
            only with consent, which is asked for at a terminal or given by --yes: reading can change the state of \
            such a device. --no-read excludes a characteristic. What could not be determined is reported on standard \
            error.

            With --structure the file contains no values, no measured times and no address, so that two devices of one \
            model give the same text. With --json, one object: name, yaml, notes.

            EXAMPLES
              harald clone polar --yes > polar.yaml; harald simulate --check polar.yaml
              harald clone gadget --yes --no-read FFF1 --observe 20 > gadget.yaml
              harald clone polar --structure | diff - reference.yaml
            """)

    @OptionGroup var device: OneDevice

    @Flag(help: "Omit values, intervals and the address.")
    var structure = false

    @Flag(help: "Read characteristics of the vendor without asking.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Neither read nor subscribe to this characteristic, by UUID or name; can be repeated.",
            valueName: "uuid"))
    var noRead: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum time to receive advertisements.", valueName: "seconds"))
    var listen = 10.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to observe notifications; 0 subscribes to nothing.", valueName: "seconds"))
    var observe = 5.0

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(listen > 0 && listen <= 3600) {
            throw ValidationError("--listen must be a number of seconds above 0, up to 3600")
        }
        if !(observe >= 0 && observe <= 3600) {
            throw ValidationError("--observe must be a number of seconds from 0 to 3600")
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
                await TerminalInput.line("read the vendor's \(names)? Reading can change the device. [y/N] ")
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
        if result.lacksConsent { Console.message("characteristics of the vendor were not read; --yes reads them") }
        if shared.json {
            Console.json([
                "name": .string(result.file.name), "yaml": .string(result.file.yaml),
                "notes": .array(result.notes.map { .string($0) }),
            ])
        } else {
            Console.write(result.file.yaml)
        }
    }

    /// Receives advertisements of the device until its interval is known, or the time of `--listen` has elapsed.
    private func listen(to device: ScanResult, on central: Central) async throws -> HeardAdvertising {
        var heard = HeardAdvertising()
        heard.note(device, at: RadioClock.real.now)
        shared.note("receiving advertisements of \(device.peripheral)")
        for try await found in central.scan(duplicates: true, duration: .seconds(listen)) where found.id == device.id {
            heard.note(found, at: RadioClock.real.now)
            if heard.isEnough { break }
        }
        try Task.checkCancellation()
        return heard
    }
}
