#if os(Linux)
import Foundation

/// A PostgreSQL server of Debian on a Unix socket of its own, which all tests of a process share. It ends with the
/// process.
package final class PostgresServer: Sendable {
    /// The directory of the socket.
    package let directory: String
    /// The TCP port on 127.0.0.1 of a server with TLS.
    package let port: Int?
    /// The file of the authority that signed the certificate of a server with TLS, whose name is `db.test`.
    package let root: String?
    /// The file of another authority.
    package let other: String?
    /// Keeps the input of the script open, which ends the server.
    private let input: FileHandle

    /// The directory of the programs of the latest version.
    private static let programs: String = {
        if let directory = ProcessInfo.processInfo.environment["HARALD_POSTGRES"] { return directory }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return "/usr/lib/postgresql/\(versions.compactMap(Int.init).max() ?? 0)/bin"
    }()

    /// The reason why there is no server; nil if there is one.
    package static let problem: String? = {
        guard FileManager.default.isExecutableFile(atPath: programs + "/postgres") else {
            return "there is no PostgreSQL server; install it (Debian: apt install postgresql)"
        }
        return nil
    }()

    /// True if skipped tests against peers are failures.
    package static let isRequired = ProcessInfo.processInfo.environment["HARALD_REQUIRE_PEERS"] == "1"

    /// The server, which the first use starts. Blocks the thread.
    package static let shared = Result<PostgresServer, any Error> { try PostgresServer() }

    /// Starts a server. Blocks the thread.
    /// - Parameter hasTLS: true for a server that also listens on 127.0.0.1, with TLS.
    package init(hasTLS: Bool = false) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Peers/postgres.sh")
        let process = Process()
        process.executableURL = script
        // Tests need no durability.
        process.arguments = (hasTLS ? ["--tls"] : []) + ["-c", "fsync=off", "-c", "full_page_writes=off"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var line = Data()
        while !line.contains(0x0A) {
            let octets = output.fileHandleForReading.availableData
            guard !octets.isEmpty else { throw PeerError.notStarted(program: script.path(), code: 0) }
            line += octets
        }
        struct Ready: Decodable {
            let directory: String
            let port: Int?
            let root, other: String?
        }
        let ready = try JSONDecoder().decode(Ready.self, from: line)
        (directory, port, root, other) = (ready.directory, ready.port, ready.root, ready.other)
        self.input = input.fileHandleForWriting
    }

    /// Creates a database.
    /// - Returns: its address.
    package func makeDatabase() throws -> String {
        let name = "hub_" + UUID().uuidString.replacing("-", with: "").lowercased()
        try run("createdb", ["--template", "template0", name])
        return "postgres://harald@/\(name)?host=\(directory)"
    }

    /// Removes a database, also while it is in use.
    package func remove(_ address: String) throws {
        let name = address.prefix { $0 != "?" }.split(separator: "/").last ?? ""
        try run("dropdb", ["--force", String(name)])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        // Not Foundation's `Process`, which reads the list of open descriptors past the end of its buffer: a program
        // with more than a thousand descriptors ends.
        let status = try PeerChild.run(Self.programs + "/" + program, ["-h", directory, "-U", "harald"] + arguments)
        guard status == 0 else { throw PeerError.notStarted(program: program, code: status) }
    }
}
#endif
