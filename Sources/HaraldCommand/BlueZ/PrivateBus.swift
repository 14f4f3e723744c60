#if os(Linux)
import Foundation

/// A message bus for this user alone: a `dbus-daemon` with a policy of its own, in a temporary directory.
///
/// The daemon ends with this process. The directory is removed by ``stop()`` or, if this process was killed, by the
/// next start of any ``PrivateBus``.
final class PrivateBus: Sendable {
    let address: String
    private let directory: BusDirectory
    private let daemon: BoundProcess

    private init(address: String, directory: BusDirectory, daemon: BoundProcess) {
        self.address = address
        self.directory = directory
        self.daemon = daemon
    }

    /// Starts the bus, and returns when it accepts connections.
    /// - Throws: ``ProgramError`` if there is no `dbus-daemon`, or if it does not start.
    static func start() async throws -> PrivateBus {
        guard getpwuid(getuid()) != nil else {
            throw ProgramError(
                .noAdapter,
                "dbus-daemon serves no user without an entry in /etc/passwd: add one for the user \(getuid())")
        }
        let directory = try BusDirectory()
        do {
            try policy(socket: directory.socket).write(
                toFile: directory.path + "/bus.conf", atomically: true, encoding: .utf8)
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
                throw ProgramError(.failed, "cannot create a socket: \(String(cString: strerror(errno)))")
            }
            let words = ["dbus-daemon", "--config-file=\(directory.path)/bus.conf", "--nofork", "--nopidfile"]
            let log = open(directory.path + "/log", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            let daemon: BoundProcess
            do {
                defer {
                    close(ends[1])
                    close(log)
                }
                daemon = try await BoundProcess.start(
                    words + ["--print-address=1"], output: ends[1], errors: log < 0 ? nil : log,
                    // The program that is run decides about Ctrl-C, and needs the bus until it has ended.
                    hasSession: true)
            } catch let error as ProgramError where error.status == .notFound {
                close(ends[0])
                throw ProgramError(
                    .noAdapter, "there is no dbus-daemon on this machine; install it ('apt install dbus-daemon')")
            }
            // The daemon prints its address when it listens.
            guard let line = await firstLine(from: ends[0]) else {
                let reason = (try? String(contentsOfFile: directory.path + "/log", encoding: .utf8)) ?? ""
                throw ProgramError(
                    .noAdapter,
                    "dbus-daemon did not start: \(TerminalText.safe(reason.trimmingCharacters(in: .newlines)))")
            }
            return PrivateBus(address: line, directory: directory, daemon: daemon)
        } catch {
            directory.remove()
            throw error
        }
    }

    /// Reads and closes a descriptor, on a thread that may block; nil if it ends before the first line.
    private static func firstLine(from descriptor: Int32) async -> String? {
        await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                defer { close(descriptor) }
                var (buffer, text) = ([UInt8](repeating: 0, count: 1024), "")
                while !text.contains("\n") {
                    let count = read(descriptor, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    if count <= 0 { break }
                    text += String(decoding: buffer[..<count], as: UTF8.self)
                }
                waiting.resume(returning: text.contains("\n") ? String(text.prefix { $0 != "\n" }) : nil)
            }
        }
    }

    /// Ends the daemon and removes its files.
    func stop() {
        daemon.send(SIGKILL)
        directory.remove()
    }

    /// Without a rule about users, the daemon accepts those with its own user identifier only.
    private static func policy(socket: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*"/>
          </policy>
          <limit name="max_match_rules_per_connection">4096</limit>
          <limit name="max_replies_per_connection">4096</limit>
        </busconfig>
        """
    }
}
#endif
