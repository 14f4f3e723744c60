import Foundation
import Harald

/// Two programs on one adapter of BlueZ: this one, and `bluetoothctl` or a second process of this one. `HARALD` in the
/// environment is the program.
@MainActor enum SharedChecks {
    static func run() async {
        guard
            let central = await CentralChecks.open(),
            let peer = await Checks.step(
                "twenty consecutive scans find the peer",
                {
                    for _ in 1..<20 { _ = try await CentralChecks.find(central) }
                    return try await CentralChecks.find(central)
                }),
            let address = peer.address?.text
        else { return }
        await scans(central)
        await Checks.step("a device that another program has connected is listed, and read") {
            try await until("bluetoothctl connect \(address)", says: "Connection successful")
            let connected = await central.connectedPeripherals(withServices: [])
            try Checks.require(connected.contains(peer), "\(connected)")
            try await peer.connect(timeout: CentralChecks.patience)
            _ = try await peer.discoverAll(timeout: CentralChecks.patience)
            _ = try await CentralChecks.characteristic(peer, TestService.kept).read(timeout: CentralChecks.patience)
        }
        await Checks.step("its link stays up after ours ends") {
            await peer.disconnect()
            try Checks.require(!peer.isConnected, "\(peer.state)")
            try await until("bluetoothctl info \(address)", says: "Connected: yes")
        }
        await Checks.step("its disconnection ends the shared link") {
            try await peer.connect(timeout: CentralChecks.patience)
            let states = peer.states
            _ = try await output("bluetoothctl disconnect \(address)")
            try await Checks.within(60) { for try await state in states { if case .disconnected = state { return } } }
        }
        await Checks.step("a second program of ours reads over our link, which stays up") {
            try await peer.connect(timeout: CentralChecks.patience)
            _ = try await peer.discoverAll(timeout: CentralChecks.patience)
            let kept = try CentralChecks.characteristic(peer, TestService.kept)
            try await kept.write([0x5A], timeout: CentralChecks.patience)
            try await until(
                "\"$HARALD\" read \(address) \(TestService.service)/\(TestService.kept) --timeout 60", says: "5A")
            _ = try await kept.read(timeout: CentralChecks.patience)
        }
        await Checks.step("BlueZ's cache of a device is deleted on request, and the device is found again") {
            await peer.forgetCache()
            await peer.disconnect()
            let again = try await CentralChecks.find(central)
            try await again.connect(timeout: CentralChecks.patience)
            _ = try await again.discoverAll(timeout: CentralChecks.patience)
            _ = try await CentralChecks.characteristic(again, TestService.kept).read(timeout: CentralChecks.patience)
            await again.disconnect()
        }
        await central.close()
    }

    private static func scans(_ central: Central) async {
        await Checks.step("a scan continues while another program's starts and ends") {
            let (reports, report) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let scan = Task {
                for try await _ in central.scan(for: [TestService.service], duplicates: true) { report.yield() }
            }
            for _ in 0..<3 {
                _ = try await output("bluetoothctl --timeout 2 scan le")
                try await Checks.within(60) {
                    // Devices received before do not count.
                    var heard = 0
                    for await _ in reports {
                        heard += 1
                        if heard == 3 { return }
                    }
                }
            }
            scan.cancel()
        }
    }

    private static func until(_ command: String, says text: String) async throws {
        let said = try await output(command)
        try Checks.require(said.contains(text), said)
    }

    /// Returns the output of a shell command.
    private static func output(_ command: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(command) 2>&1"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // A thread of its own: the command ends when it ends.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
