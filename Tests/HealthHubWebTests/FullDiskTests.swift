#if os(Linux)
import Foundation
import HealthHub
import Testing

@testable import HealthHubWeb

@Suite("A queue on a full disk", .timeLimit(.minutes(2)))
struct FullDiskTests {
    @Test("Refused readings that cannot be moved stay in the queue, and the others leave it")
    func refusals() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let token = directory.appending(path: "token").path
        try "secret".write(toFile: token, atomically: true, encoding: .utf8)
        let queue = try SendQueue(directory: directory.path)
        // Each write to this device fails as one to a full disk does.
        try FileManager.default.createSymbolicLink(atPath: queue.refusedFile, withDestinationPath: "/dev/full")
        for name in ["a", "b", "c"] { try await queue.append(id: name, body: #"{"id":"\#(name)"}"#) }
        let stub = HubStub { request, _ in
            let text = String(decoding: request.body, as: UTF8.self)
            let names = ["a", "b", "c"].filter { text.contains(#""id":"\#($0)""#) }
            let results = names.enumerated().map { index, name in
                #"{"index":\#(index),"status":"\#(name == "b" ? "stored" : "refused")","problem":"no"}"#
            }
            return HubStub.Answer(status: 200, body: #"{"results":[\#(results.joined(separator: ","))]}"#)
        }
        try await stub.run { url in
            let sender = try ReadingSender(queue: queue, address: HubAddress(url), tokenFile: token) { _ in }
            let blocked = ReadingSender.Attempt.blocked(
                "the disk is full, so that refused readings cannot be moved to \(queue.refusedFile)")
            #expect(await sender.attempt() == .progress)
            #expect(try await queue.first(3).map(\.id) == ["a", "c"])
            #expect(await sender.attempt() == blocked)
            #expect(stub.received.count == 1)
            // They are sent again, which is no progress.
            #expect(await sender.attempt() == blocked)
            #expect(stub.received.count == 2)
            try FileManager.default.removeItem(atPath: queue.refusedFile)
            #expect(await sender.flush(within: .seconds(60)) == .nothing)
            #expect(try await queue.count() == 0)
            await sender.close()
        }
        try queue.close()
        let refused = try String(contentsOfFile: queue.refusedFile, encoding: .utf8)
        #expect(refused.split(separator: "\n").count == 2, "\(refused)")
    }
}
#endif
