#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// The output of a crash of the program.
@Suite struct CrashReportTests {
    private let tgkill: @convention(c) (Int32, Int32, Int32) -> Int32

    init() throws {
        let symbol = try #require(dlsym(nil, "tgkill"))
        tgkill = unsafeBitCast(symbol, to: type(of: tgkill))
    }

    @Test(.timeLimit(.minutes(2))) func aCrashPrintsWhereItHappened() async throws {
        // Which thread runs code of the program is not known: main has ended, others wait in libraries.
        for thread in 1..<20 {
            let process = try PeerProcess(
                try ProgramProcess.executable(), ["air", "clinic", "--no-user-socket", "--listen", "tcp:127.0.0.1:0"],
                separatesErrors: true)
            defer { process.signal(SIGKILL) }
            var lines = process.lines.makeAsyncIterator()
            _ = try #require(await lines.next())
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task")
                .compactMap {
                    Int32($0)
                }.sorted()
            try #require(threads.count > thread, "no thread of the program printed an address of the program")
            #expect(tgkill(process.processIdentifier, threads[thread], SIGSEGV) == 0)
            guard case .signal(SIGSEGV) = await process.exit() else {
                Issue.record("the program did not end with the signal")
                return
            }
            #expect(process.errors.contains("crashed with signal SEGV"))
            guard let line = process.errors.split(separator: "\n").last(where: { $0.contains("addr2line") }),
                line.contains(" 0x")
            else { continue }
            // An address of the debug build has a name and a line.
            let names = try PeerProcess("/bin/sh", ["-c", String(line)])
            #expect(await names.exit() == .status(0))
            #expect(names.transcript.contains(".swift:"))
            return
        }
    }
}
#endif
