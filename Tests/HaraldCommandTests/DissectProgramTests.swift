#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// `harald dissect` as a process of its own, beside tshark.
@Suite("The program harald dissect")
struct DissectProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-dissect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    /// A capture that the program makes: discovery, reads, writes, notifications, and pairing on the way.
    private func capture() async throws -> String {
        let file = runtime.appendingPathComponent("capture.btsnoop").path
        let run = try await ProgramProcess.run(
            "tree polar --values --adapter virtual:default --capture \(file)", runtime: runtime)
        try #require(run.status == 0, "\(run.errors)")
        return file
    }

    private struct Line: Decodable {
        struct Attribute: Decodable {
            var opcode: Int
            var handle: Int?
        }

        var number: Int
        var att: Attribute?
        var error: String?
    }

    @Test(
        "Numbers, opcodes and handles equal those of tshark", .enabled(if: isThere, tsharkIsMissing),
        .timeLimit(.minutes(3)))
    func tshark() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let file = try await capture()
        let run = try await ProgramProcess.run("dissect \(file) --json", runtime: runtime)
        #expect(run.status == 0 && run.errors.isEmpty)
        let ours = try run.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        let process = try PeerProcess(
            "/usr/bin/env",
            [
                "tshark", "-r", file, "-T", "fields", "-E", "separator=;", "-e", "frame.number", "-e", "btatt.opcode",
                "-e", "btatt.handle",
            ], separatesErrors: true)
        var theirs: [(number: Int, opcode: Int?, handle: Int?)] = []
        for await line in process.lines {
            let fields = line.text.split(separator: ";", omittingEmptySubsequences: false).map { field in
                field.split(separator: ",").first.flatMap {
                    $0.hasPrefix("0x") ? Int($0.dropFirst(2), radix: 16) : Int($0)
                }
            }
            theirs.append((try #require(fields.first ?? nil), fields[1], fields[2]))
        }
        #expect(await process.exit() == .status(0), "\(process.errors)")
        #expect(ours.map(\.number) == theirs.map(\.number))
        // These name no attribute: tshark takes that of the last request of either side, which may be the wrong one.
        let withoutHandle: Set<Int?> = [0x0B, 0x0D, 0x0F, 0x13, 0x1E, 0x21]
        for (our, their) in zip(ours, theirs) {
            #expect(our.att?.opcode == their.opcode, "record \(our.number)")
            guard !withoutHandle.contains(their.opcode) else { continue }
            #expect(our.att?.handle == their.handle, "record \(our.number)")
        }
        #expect(ours.count { $0.att != nil } > 40)
    }

    @Test("A damaged file is printed up to the damage, and ends with 65 and the offset", .timeLimit(.minutes(2)))
    func damaged() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let file = try await capture()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        try bytes.prefix(bytes.count - 1).write(to: URL(fileURLWithPath: file))
        let run = try await ProgramProcess.run("dissect \(file)", runtime: runtime)
        #expect(run.status == 65)
        #expect(run.errors.contains("damaged at offset") && run.errors.contains("the file ends at \(bytes.count - 1)"))
        #expect(run.lines.count > 100)
        let summary = try await ProgramProcess.run("dissect \(file) --summary", runtime: runtime)
        #expect(summary.status == 65)
        #expect(summary.lines.contains { $0.contains("MTU") })
    }

    @Test(
        "Unreadable files and invalid options have their exit status", .timeLimit(.minutes(1)),
        arguments: [
            ("dissect /no/such/file", 66), ("dissect /", 66), ("dissect /dev/null", 65),
            ("dissect /dev/null --handle 0x10000", 64), ("dissect /dev/null --protocol gatt", 64), ("dissect", 64),
        ] as [(String, Int32)])
    func wrong(_ arguments: String, _ status: Int32) async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let run = try await ProgramProcess.run(arguments, runtime: runtime)
        #expect(run.status == status && run.lines.isEmpty && !run.errors.isEmpty)
    }

    /// True if tshark is installed.
    private static let isThere = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/tshark")
    }
    private static let tsharkIsMissing: Comment =
        "tshark is missing, so nothing is compared with it: apt-get install tshark"
}
#endif
