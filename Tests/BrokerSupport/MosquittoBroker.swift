#if os(Linux)
import CMosquitto
import Foundation
import PeerSupport

/// A mosquitto on a port of this machine, which can be killed and started again.
package final class MosquittoBroker: Sendable {
    private static let program = "/usr/sbin/mosquitto"
    /// True if mosquitto and libmosquitto are installed.
    package static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: program) && harald_mqtt_problem() == nil
    }

    /// The port.
    package let port: Int
    private let process: PeerProcess
    private let file: String

    private init(port: Int, process: PeerProcess, file: String) {
        (self.port, self.process, self.file) = (port, process, file)
    }

    /// Starts a broker on a port that no other process took meanwhile.
    /// - Parameter directory: the directory of its configuration.
    package static func start(in directory: URL) async throws -> MosquittoBroker {
        for _ in 0..<5 {
            let port = Int(try HeldPort(.refusing).port)
            let file = directory.appending(path: "mosquitto.conf").path
            try "listener \(port) 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            if let broker = try await start(file, port) { return broker }
        }
        throw PeerError.notStarted(program: program, code: EADDRINUSE)
    }

    private static func start(_ file: String, _ port: Int) async throws -> MosquittoBroker? {
        let process = try PeerProcess(program, ["-c", file])
        for await line in process.lines where line.text.hasSuffix(" running") {
            return MosquittoBroker(port: port, process: process, file: file)
        }
        return nil
    }

    /// Starts a broker without the state of this one, which was killed, on the same port.
    package func startAgain() async throws -> MosquittoBroker {
        // The port may still be that of the killed process; a broker that cannot have it ends at once.
        for _ in 0..<200 {
            if let broker = try await Self.start(file, port) { return broker }
        }
        throw PeerError.notStarted(program: Self.program, code: EADDRINUSE)
    }

    /// Kills the broker, and waits for its end.
    package func kill() async {
        process.signal(SIGKILL)
        _ = await process.exit()
    }
}
#endif
