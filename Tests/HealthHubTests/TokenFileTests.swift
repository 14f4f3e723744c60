import Foundation
import Testing

@testable import HealthHub

@Suite("Files with tokens and passwords")
struct TokenFileTests {
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try body(path)
    }

    @Test("A token that is too long for a header of a request is refused", arguments: [8193, 100_000, 2_000_000])
    func tooLong(count: Int) throws {
        try withFile(String(repeating: "a", count: count)) { path in
            let problem = #expect(throws: HubProblem.self) { try SecretText.token(in: path) }
            #expect(
                problem?.description == "\(path) is longer than 8192 octets, the maximum of a token and of a password")
        }
        try withFile(String(repeating: "a", count: 8192)) { path in
            let token = try SecretText.token(in: path)
            #expect(token.utf8.count == 8192)
        }
    }

    @Test("The token of a pipe is kept, and that of a file is read again")
    func pipe() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("secret\n".utf8))
        try pipe.fileHandleForWriting.close()
        let kept = try TokenFile("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        for _ in 0..<2 { #expect(try kept.token() == "secret") }
        try withFile("first") { path in
            let file = try TokenFile(path)
            try "second".write(toFile: path, atomically: true, encoding: .utf8)
            let token = try file.token()
            #expect(token == "second")
        }
    }
}
