import ArgumentParser
import Testing

@testable import HaraldCommand

@Suite struct CommandLineTests {
    @Test(arguments: [
        "scan --timeout 2 --json --adapter virtual:", "scan --min-rssi -70", "tree polar --values",
        "read polar 180F/2A19 --json",
        "write gadget FFF0/FFF1 AA BB --without-response", "write gadget FFF0/FFF1 i8:-3",
        "notify polar 180D/2A37 --count 3 --json",
        "rssi --pick strongest", "info polar", "simulate polar-h7 --for 3", "air clinic --listen tcp:127.0.0.1:0",
        "air empty --connection-events --no-user-socket --listen unix:/tmp/a",
        "uuid 2A37",
        "uuid heart rate", "demo --for 20 --adapter virtual:",
    ])
    func validCommandLinesAreParsed(_ line: String) throws {
        #expect(throws: Never.self) { try HaraldProgram.parseAsRoot(line.split(separator: " ").map(String.init)) }
    }

    @Test(arguments: [
        "scan --timeout -1", "scan --color", "notify polar 180D/2A37 --count 0", "demo --for 0",
        "write a b c --without-response --with-response",
        "tree polar --service nonsense", "rssi polar --every -1", "scan --min-rssi -200",
        "rssi polar --count 0", "fly", "read polar", "write polar 180F/2A19", "tree", "info a b", "read --pick only",
    ])
    func invalidCommandLinesAreRefused(_ line: String) {
        let error = #expect(throws: (any Error).self) {
            try HaraldProgram.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        if let error { #expect(HaraldProgram.exitCode(for: error).rawValue == ExitStatus.usage.rawValue) }
    }

    @Test func helpListsEveryExitStatus() {
        // The help is wrapped to the width of the terminal.
        let words = HaraldProgram.helpMessage().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for status in ExitStatus.allCases { #expect(words.contains("\(status.rawValue) \(status.meaning)")) }
    }

    @Test func aMistypedCommandIsReported() {
        func problem(_ line: String) -> String? {
            CommandLineWords.misspelledCommand(in: line.split(separator: " ").map(String.init))
        }
        #expect(problem("scna")?.contains("did you mean 'harald scan'?") == true)
        #expect(problem("bonds lst")?.contains("did you mean 'harald bonds list'?") == true)
        #expect(problem("xyzzy")?.contains("--help") == true)
        for line in ["scan --json", "--help", "help scan", "bonds --json", "bonds list", ""] {
            #expect(problem(line) == nil, "\(line)")
        }
    }

    @Test func pickWithoutAValueAsks() {
        #expect(CommandLineWords.expanded(["tree", "--pick"]) == ["tree", "--pick=ask"])
        #expect(CommandLineWords.expanded(["read", "--pick", "180F/2A19"]) == ["read", "--pick=ask", "180F/2A19"])
        #expect(CommandLineWords.expanded(["read", "--pick", "only", "2A19"]) == ["read", "--pick", "only", "2A19"])
        #expect(CommandLineWords.expanded(["write", "a", "--", "--pick"]) == ["write", "a", "--", "--pick"])
    }

    @Test func pastedCommandsAreQuoted() {
        let invocation = Invocation(program: ".build/debug/harald", adapter: "virtual:")
        #expect(invocation.command("scan") == ".build/debug/harald scan --adapter virtual:")
        #expect(Invocation.quoted("Polar H7") == "'Polar H7'")
        #expect(Invocation.quoted("it's") == #"'it'\''s'"#)
        #expect(Invocation.quoted("") == "''")
    }
}
