#if os(Linux)
import Foundation

/// A `dbus-daemon` of the test's own, which ends with this object.
package final class PrivateBus: Sendable {
    /// The daemon; nil if it is not installed.
    package static let program = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    /// The reason for which a test is skipped if there is no program.
    package static let absence = "no dbus-daemon on this machine: apt install dbus"

    /// The address of the bus.
    package let address: String
    private let directory: String
    private let process: PeerProcess

    /// Starts a daemon.
    /// - Parameter policy: the policies of its configuration; nil to allow everything.
    package init(policy: String? = nil) async throws {
        let everything = """
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
            <allow send_destination="*"/><allow receive_sender="*"/></policy>
            """
        directory = NSTemporaryDirectory() + "bus-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration = """
            <busconfig><listen>unix:path=\(directory)/bus</listen><auth>EXTERNAL</auth>
            \(policy ?? everything)</busconfig>
            """
        try configuration.write(toFile: directory + "/bus.conf", atomically: true, encoding: .utf8)
        process = try PeerProcess(
            Self.program ?? "",
            ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address"])
        address = try await process.line("address of the bus") { $0.text.hasPrefix("unix:") }.text
    }

    /// Kills the daemon, which may have inherited a blocked SIGTERM.
    package func stop() { process.signal(SIGKILL) }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
#endif
