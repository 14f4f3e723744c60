import Foundation
import Harald

/// `bluetoothd` is killed while operations are pending, and restarted: the operations end, then all works again. `KILL`
/// and `START` in the environment are the commands for it.
@MainActor enum RestartChecks {
    static func run() async {
        guard
            let central = await CentralChecks.open(),
            let peer = await Checks.step(
                "scan and connect",
                {
                    let peer = try await CentralChecks.find(central)
                    try await peer.connect(timeout: CentralChecks.patience)
                    _ = try await peer.discoverAll(timeout: CentralChecks.patience)
                    return peer
                })
        else { return }
        await Checks.step("pending operations end with an error when bluetoothd is killed") {
            let slow = try CentralChecks.characteristic(peer, TestService.slow)
            let echo = try CentralChecks.characteristic(peer, TestService.echo)
            let read = Task { _ = try await slow.read(timeout: nil) }
            let stream = Task { for try await _ in echo.notifications() {} }
            let scan = Task { for try await _ in central.scan(duplicates: true) {} }
            // The read is in flight when a later request was processed.
            for try await _ in central.scan(for: [TestService.service], duration: .seconds(2)) {}
            try shell("KILL")
            for task in [read, stream, scan] {
                try await Checks.within(60) {
                    let error = try await Checks.error { try await task.value }
                    say("     \(error)")
                }
            }
            try Checks.require(!peer.isConnected, "\(peer.state)")
        }
        await Checks.step("the adapter is not ready") {
            try Checks.require(central.state != .poweredOn, "\(central.state)")
        }
        await Checks.step("after a restart the adapter is ready") {
            try shell("START")
            try await Checks.within(120) {
                for try await state in central.states where state == .poweredOn { return }
            }
        }
        await Checks.step("... and operations work again") {
            let again = try await CentralChecks.find(central)
            try Checks.require(again === peer, "another object")
            try await peer.connect(timeout: CentralChecks.patience)
            _ = try await peer.discoverAll(timeout: CentralChecks.patience)
            _ = try await CentralChecks.characteristic(peer, TestService.kept).read(timeout: CentralChecks.patience)
        }
        await central.close()
    }

    private static func shell(_ variable: String) throws {
        guard let command = ProcessInfo.processInfo.environment[variable] else {
            throw Checks.Failure(description: "no $\(variable)")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        try process.run()
    }
}
