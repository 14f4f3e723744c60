import Foundation
import Testing

@testable import Mutation

@Suite struct RecordTests {
    @Test func equivalentsAreParsedAsBlocks() throws {
        let text = """
            // a comment

            Sources/M/F.swift: S.f()
              if a > 0 {
              > → >=
              It is never 0 here,
              because of g.
            """
        let list = try Equivalents(text: text)
        #expect(
            list.explanations == ["Sources/M/F.swift: S.f()\nif a > 0 {\n> → >=": "It is never 0 here, because of g."])
        #expect(list.stale(among: []).count == 1)
        #expect(throws: MutationError.self) { try Equivalents(text: "Sources/M/F.swift: S.f()\nif a > 0 {\n> → >=") }
        #expect(throws: MutationError.self) { try Equivalents(text: text + "\n\n" + text) }
    }

    @Test func ninetyPercentIsSufficient() {
        var figures = MutationRun.Figures()
        figures.drawn = 11
        figures.equivalent = 1
        figures.noticed = 9
        figures.missed = 1
        #expect(figures.isEnough)
        #expect(figures.text == "mutate: drawn=11 noticed=9 equivalent=1 missed=1")
        figures.noticed = 8
        #expect(!figures.isEnough)
    }

    @Test func compilerErrorsHavePlaces() {
        let output = """
            [1/2] Compiling
            /tree/Sources/M/F.swift:12:3: error: no
            /tree/Sources/M/F.swift:12:9: error: no
            /other/x.swift:1:1: error: no
            """
        #expect(
            Builder.errors(in: output, below: "/tree").map { "\($0.file) \($0.line)" } == [
                "Sources/M/F.swift 12", "Sources/M/F.swift 12", " 0",
            ])
    }

    @Test func theFirstIssueOfAStreamIsFound() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        func line(_ kind: String, _ rest: String = "") -> String {
            #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"T.S/t()/F.swift:1:2"\#(rest)},"version":0}"# + "\n"
        }
        try Data((line("testStarted") + line("issueRecorded", #","issue":{"isKnown":true}"#)).utf8).write(to: file)
        var reader = try EventReader(file)
        #expect(try reader.firstIssue() == nil)
        #expect(reader.unfinished == ["T.S/t()/F.swift:1:2"])
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        let issue = line("issueRecorded", #","messages":[{"text":"no"}],"issue":{"isKnown":false}"#)
        try handle.write(contentsOf: Data(issue.dropLast(9).utf8))
        #expect(try reader.firstIssue() == nil)
        try handle.write(contentsOf: Data(issue.utf8.suffix(9)))
        #expect(try reader.firstIssue() == .failed(test: "T.S/t()/F.swift:1:2", issue: "no"))
    }

    @Test func aTestEndsWhenTheNextBegins() {
        let text = "@Suite struct S {\n@Test func a() {\n1\n}\n@Test(arguments: [1])\nfunc b(_ n: Int) {\n2\n}\n}"
        #expect(Versions.tests(named: "a", in: text) == ["@Test func a() {\n1\n}"])
        #expect(Versions.tests(named: "b", in: text) == ["@Test(arguments: [1])\nfunc b(_ n: Int) {\n2\n}\n}"])
    }

    @Test func suitesAreListedOnce() {
        let listing = "A.S/one()\nA.S/two()\nB.T/one()\nC.U/one()\nA.free()\n"
        #expect(ReachSurvey.suites(in: listing, targets: ["A", "B"]) == ["A.S", "B.T"])
    }
}
