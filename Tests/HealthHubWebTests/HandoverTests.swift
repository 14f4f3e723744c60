import Foundation
import HealthHub
import TestSupport
import Testing

@testable import HealthHubWeb

@Suite("Files that a hub writes for a command")
struct HandoverTests {
    private func directory() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "handover-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test("The command copies the file that the hub has written, and answers the path of the target")
    func copies() throws {
        let own = try directory()
        defer { try? FileManager.default.removeItem(atPath: own) }
        let target = own + "/a \"quoted\".csv"
        var handover: Handover? = try Handover(to: target, in: own)
        let path = try #require(handover?.path)
        #expect(HubCommand.backup(path: target).writing(to: path).target == path)
        try "content".write(toFile: path, atomically: false, encoding: .utf8)
        let json = #"{"export":"\#(path)"}"#
        let answer = try #require(
            try handover?.finish(HubAnswer(items: [.init(json: json, text: "wrote 1 reading to \(path)")])))
        handover = nil
        #expect(answer.items[0].text == "wrote 1 reading to \(target)")
        let object = try JSONSerialization.jsonObject(with: Data(answer.items[0].json.utf8)) as? [String: String]
        #expect(object == ["export": target])
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "content")
        #expect(try FileManager.default.contentsOfDirectory(atPath: own).count == 1)
    }

    @Test("A failed command leaves no file, and an existing target is not replaced")
    func fails() throws {
        let own = try directory()
        defer { try? FileManager.default.removeItem(atPath: own) }
        let target = own + "/backup"
        var handover: Handover? = try Handover(to: target, in: own)
        let path = try #require(handover?.path)
        let answer = try handover?.finish(HubAnswer(code: .full, problem: "the disk is full; \(path) was not written"))
        #expect(answer?.problem == "the disk is full; \(target) was not written")
        handover = nil
        #expect(!FileManager.default.fileExists(atPath: target))
        // The hub has answered, but its file is missing.
        handover = try Handover(to: target, in: own)
        #expect(throws: HubProblem.self) { try handover?.finish(HubAnswer()) }
        handover = nil
        try "mine".write(toFile: target, atomically: false, encoding: .utf8)
        #expect(throws: HubProblem.self) { try Handover(to: target, in: own) }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        try "old".write(toFile: own + "/handover-1", atomically: false, encoding: .utf8)
        Handover.removeLeftovers(in: own)
        #expect(try FileManager.default.contentsOfDirectory(atPath: own) == ["backup"])
    }
}
