#if os(Linux)
import Foundation
import PeerSupport
import Testing

@testable import HaraldCommand

/// QR codes in a terminal, read by zbar.
@Suite("QR codes") final class QRCodeTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-qr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private static let decoder = "/usr/bin/zbarimg"
    /// True with both programs, and if a missing one is a failure.
    private static let isThere =
        PostgresServer.isRequired
        || FileManager.default.isExecutableFile(atPath: decoder) && QRCode.lines(of: "a") != nil
    private static let isMissing: Comment =
        "QR codes are not tested: apt-get install libqrencode4 zbar-tools"

    /// Returns the texts of the codes in lines of half blocks, which zbar reads from an image.
    private func texts(in lines: [String], columns: Int) async throws -> [String] {
        let size = 4
        var image = Data("P5 \(columns * size) \(lines.count * 2 * size) 255\n".utf8)
        for line in lines {
            let blocks = Array(line) + Array(repeating: " ", count: max(0, columns - line.count))
            for dark in [["█", "▀"], ["█", "▄"]] as [[Character]] {
                let row = blocks.prefix(columns).map { dark.contains($0) ? UInt8(0) : 255 }
                for _ in 0..<size { image += row.flatMap { Array(repeating: $0, count: size) } }
            }
        }
        let path = runtime.appending(path: "code.pgm").path
        try image.write(to: URL(fileURLWithPath: path))
        let process = try PeerProcess(Self.decoder, ["--raw", "--quiet", "--nodbus", path])
        var texts: [String] = []
        for await line in process.lines { texts.append(line.text) }
        _ = await process.exit()
        return texts
    }

    @Test(
        "A decoder reads what was encoded, in at most 60 columns", .enabled(if: isThere, isMissing),
        arguments: [
            "a", "https://192.168.1.23:8093/?token=\(String(repeating: "aB3-_", count: 9))",
            "https://\(String(repeating: "long.", count: 20))example:8093/?token=\(String(repeating: "xY9", count: 15))",
        ])
    func decoded(text: String) async throws {
        let (start, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[m")
        let lines = try #require(QRCode.lines(of: text))
        // Black on white on every terminal, and nothing else in colour.
        #expect(lines.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(end) })
        let blocks = lines.map { String($0.dropFirst(start.count).dropLast(end.count)) }
        let columns = try #require(blocks.first?.count)
        #expect(columns <= 60 && blocks.allSatisfy { $0.count == columns })
        #expect(try await texts(in: blocks, columns: columns) == [text])
    }

    /// A hub that phones can reach, if the machine has another address than loopback.
    private func hub(columns: Int, _ variables: [String: String] = [:]) throws -> TerminalProcess {
        let password = runtime.appending(path: "password").path
        try Data("a password".utf8).write(to: URL(fileURLWithPath: password))
        let environment = [
            "XDG_RUNTIME_DIR": runtime.path, "XDG_CONFIG_HOME": runtime.path, "XDG_DATA_HOME": runtime.path,
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "SWIFT_BACKTRACE": "enable=no",
        ]
        return try TerminalProcess(
            try ProgramProcess.executable(),
            [
                "hub", "--listen", "0.0.0.0:0", "--host", "phone.example", "--password-file", password, "--store",
                runtime.appending(path: "hub.sqlite").path,
            ], columns: columns, rows: 60, environment: environment.merging(variables) { $1 })
    }

    @Test(
        "A new hub that phones can reach shows a login URL as a QR code", .enabled(if: isThere, isMissing),
        .timeLimit(.minutes(2)))
    func ofAHub() async throws {
        let terminal = try hub(columns: 60)
        defer { terminal.signal(SIGKILL) }
        try #require(await terminal.wait(for: "Your name:"), "\(terminal.screen.text)")
        let screen = terminal.screen
        let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let found = try #require(try await texts(in: lines, columns: screen.columns).first, "\(screen.text)")
        #expect(found.hasPrefix("https://phone.example:") && found.contains("/?token="), "\(found)")
        // The text is that of another login, so that a browser of this computer does not use up the phone's.
        let flat = lines.joined()
        #expect(flat.contains("login URL for one browser: https://phone.example:") && !flat.contains(found))
    }

    @Test(
        "Without colours, Unicode, width or a terminal there is only the URL", .enabled(if: isThere, isMissing),
        .timeLimit(.minutes(2)),
        arguments: [(40, [:]), (100, ["NO_COLOR": "1"]), (100, ["LC_ALL": "C"]), (100, ["TERM": "dumb"])]
            as [(Int, [String: String])])
    func absent(columns: Int, variables: [String: String]) async throws {
        let terminal = try hub(columns: columns, variables)
        defer { terminal.signal(SIGKILL) }
        try #require(await terminal.wait(for: "Your name:"), "\(terminal.screen.text)")
        #expect(terminal.screen.text.contains("login URL for one browser"))
        #expect(!terminal.screen.text.contains("phone:"), "\(terminal.screen.text)")
        #expect(!terminal.screen.text.contains("▀") && !terminal.screen.text.contains("libqrencode"))
    }
}
#endif
