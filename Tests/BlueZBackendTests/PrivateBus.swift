import Foundation
import Synchronization

/// A `dbus-daemon` of the test's own, which ends with this object.
final class PrivateBus: Sendable {
    static let program = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    /// The reason of a skipped test where there is none.
    static let absence = "no dbus-daemon on this machine: apt install dbus"

    let address: String
    private let directory: String
    private let process: Mutex<Process>

    init() throws {
        directory = NSTemporaryDirectory() + "bus-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration = """
            <busconfig><listen>unix:path=\(directory)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
            <allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
            """
        try configuration.write(toFile: directory + "/bus.conf", atomically: true, encoding: .utf8)
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: Self.program ?? "")
        daemon.arguments = ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address"]
        let output = Pipe()
        daemon.standardOutput = output
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        // It says where it listens as soon as it does.
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = said.trimmingCharacters(in: .whitespacesAndNewlines)
        process = Mutex(daemon)
    }

    /// Kills the daemon, which may have inherited a blocked SIGTERM.
    func stop() { process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } } }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
