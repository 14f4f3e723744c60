#if os(Linux)
import Foundation
import Testing

/// `harald l2cap`, `harald frames` and `--trace`.
@Suite(.serialized, .timeLimit(.minutes(3))) final class ChannelProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = runtime.appendingPathComponent(name)
        try Data(text.utf8).write(to: path)
        return path.path
    }

    private func run(_ line: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run(line, runtime: runtime)
    }

    private func object(_ lines: [String]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any])
    }

    private func device() throws -> String {
        try file(
            "chan.yaml",
            """
            name: Chan
            l2cap:
              - {psm: 0x80, behaviour: echo}
              - {psm: 0x81, behaviour: source, length: 100}
              - {psm: 0x82, behaviour: sink}
            services:
              - uuid: FFE0
                characteristics:
                  - uuid: FFE1
                    properties: [writeWithoutResponse]
                    onWrite:
                      on: FFE2
                      reply:
                        - {when: "AA 01 01 01", notify: {hex: "55 AA 03 81 02 07 8A"}}
                        - {when: "AA 03 02 05 00 07", notify: {hex: "AA 01 82 82"}}
                  - {uuid: FFE2, properties: [notify]}
            """)
    }

    @Test func channelsEchoSendAndReceive() async throws {
        let device = try device()
        let echo = try await run("l2cap chan 0x80 text:hello 0102 --count 2 --json --adapter virtual:\(device)")
        #expect(echo.status == 0 && echo.lines.count == 2, "\(echo.errors)")
        #expect(try object(echo.lines)["hex"] as? String == "68656C6C6F")
        let ping = try await run("l2cap chan 128 --ping 10 --json --adapter virtual:\(device)")
        #expect(try object(ping.lines)["count"] as? Int == 10 && ping.status == 0)
        let measured = try await run("l2cap chan 0x80 --measure 1 --json --adapter virtual:\(device)")
        #expect(try object(measured.lines)["received"] as? Int ?? 0 > 0)
        let received = try await run("l2cap chan 0x81 --measure 1 --receive --json --adapter virtual:\(device)")
        #expect(try object(received.lines)["received"] as? Int ?? 0 > 100)
        #expect(try object(received.lines)["sent"] as? Int == 0)
        let sent = try await run("l2cap chan 0x82 --measure 1 --json --adapter virtual:\(device)")
        #expect(try object(sent.lines)["sent"] as? Int ?? 0 > 0 && object(sent.lines)["received"] as? Int == 0)
        let silent = try await run("l2cap chan 0x82 --ping 1 --timeout 2 --adapter virtual:\(device)")
        #expect(silent.status == 75, "\(silent.errors)")
        #expect(try await run("l2cap chan 0x83 --adapter virtual:\(device)").status == 1)
        #expect(try await run("l2cap chan 0x100 --adapter virtual:\(device)").status == 64)
    }

    @Test func channelsOfDeviceFilesAreChecked() async throws {
        for (line, message) in [
            ("{psm: 0x7F, behaviour: echo}", "psm must be a number from 128 to 255"),
            ("{psm: 0x80, behaviour: ekho}", "did you mean 'echo'?"),
            ("{psm: 0x80, behaviour: echo, length: 5}", "length requires the behaviour 'source'"),
            ("{psm: 0x80, behaviour: echo}, {psm: 0x80, behaviour: sink}", "is repeated"),
        ] {
            let path = try file("wrong.yaml", "name: X\nl2cap: [\(line)]\n")
            let result = try await run("simulate --check \(path)")
            #expect(result.status == 65 && result.errors.contains(message), "\(result.errors)")
        }
    }

    @Test func framesAreSentAndAnswersAreTyped() async throws {
        let device = try device()
        let declared = try file(
            "proto.yaml",
            """
            write: FFE1
            notify: FFE2
            frame: {start: "AA", length: u8, checksum: sum8}
            commands: {version: "01", rate: [{hex: "02"}, {u16: "${hertz}"}]}
            messages: {version: {match: "81 *", fields: [{skip: 1}, {major: u8}, {minor: u8}]}, rate: {match: "82"}}
            """)
        func frames(_ words: String) async throws -> (status: Int32, lines: [String], errors: String) {
            try await run("frames chan --protocol \(declared) \(words) --adapter virtual:\(device)")
        }
        let version = try await frames("version")
        #expect(version.status == 0 && version.lines == ["version: major 2, minor 7"], "\(version.errors)")
        #expect(version.errors.contains("outside of frames: 55"))
        #expect(try await frames("rate hertz=5").lines == ["rate: 82"])
        let json = try await frames("--hex 01 --json")
        #expect(json.lines.contains { $0.contains(#""fields":{"major":2,"minor":7}"#) }, "\(json.lines)")
        #expect(try await frames("rate").errors.contains("requires hertz=VALUE"))
        let high = try await frames("rate hertz=70000")
        #expect(high.status == 64 && high.errors.contains("'rate' with hertz=70000"), "\(high.errors)")
        #expect(!high.errors.contains("proto.yaml"), "\(high.errors)")
        #expect(try await frames("vresion").errors.contains("did you mean 'version'?"))
        #expect(try await frames("rate hertz=6 --timeout 3").status == 75)
        let wrong = try file("wrong.yaml", "write: FFE1\nnotify: FFE2\nframe: {length: u7}\n")
        let result = try await run("frames chan --protocol \(wrong) --adapter virtual:\(device)")
        #expect(result.status == 65 && result.errors.contains("wrong.yaml:3:17: length must be u8"), "\(result.errors)")
    }

    @Test func packetsAreTraced() async throws {
        let result = try await run("read polar 2A19 --json --trace --adapter virtual:")
        #expect(result.status == 0 && result.lines.count == 1)
        #expect(result.errors.contains("ATT        Read Request: #0x001C Battery Level"), "\(result.errors)")
        #expect(result.errors.contains("Read Response: #0x001C Battery Level: 85 %"))
    }
}
#endif
