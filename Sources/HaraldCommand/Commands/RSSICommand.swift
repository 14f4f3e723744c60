import ArgumentParser
import Harald

struct RSSICommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "rssi", abstract: "Measure the signal strength of a device.",
        discussion: """
            Connects and reads the RSSI of the connection; for a device that is not connectable, it reports the RSSI \
            of its advertisements. With --json, one object per measurement: id, name, rssi.

            EXAMPLES
              harald rssi polar
              harald rssi polar --count 10 --every 0.5
            """)

    @Option(parsing: .unconditional, help: ArgumentHelp("Number of measurements.", valueName: "times"))
    var count = 1

    @Option(parsing: .unconditional, help: ArgumentHelp("Time between measurements.", valueName: "seconds"))
    var every = 1.0

    @OptionGroup var device: OneDevice
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if count < 1 { throw ValidationError("--count must be at least 1") }
        if !(every >= 0 && every <= 1e6) {
            throw ValidationError("--every must be a number of seconds from 0 to 1000000")
        }
    }

    func perform() async throws {
        try await OpenedAdapter.run(shared) { adapter in
            let found = try await device.find(
                on: adapter.central, within: shared.patience, includesBeacons: true)
            if found.isConnectable {
                try await found.peripheral.whileConnected(shared) {
                    for number in 0..<count {
                        if number > 0 {
                            try await CommandDeadline.shared.whilePaused { try await Task.sleep(for: .seconds(every)) }
                        }
                        show(try await found.peripheral.readRSSI(timeout: shared.patience), of: found.peripheral)
                    }
                }
            } else {
                try await CommandDeadline.shared.whilePaused { try await listen(adapter.central, found) }
            }
        }
    }

    private func listen(_ central: Central, _ device: ScanResult) async throws {
        var (left, next) = (count, ContinuousClock.now)
        for try await found in central.scan(
            duplicates: true, duration: .seconds(every * Double(count)) + shared.patience)
        where found.id == device.id && ContinuousClock.now >= next {
            guard let rssi = found.rssi else { continue }
            show(rssi, of: found.peripheral)
            next = .now + .seconds(every)
            left -= 1
            if left == 0 { return }
        }
        try Task.checkCancellation()
        throw ProgramError(.timeout, "no further advertisement of \(device.peripheral) was received")
    }

    private func show(_ rssi: Int, of peripheral: Peripheral) {
        if shared.json {
            Console.json([
                "id": .string(peripheral.id.description), "name": .optional(peripheral.name), "rssi": .int(rssi),
            ])
        } else {
            Console.line("\(rssi) dBm")
        }
    }
}
