#if Programs
import Foundation
import Testing

@testable import HealthHub

@Suite("The queue of readings for a hub")
struct SendQueueTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "queue-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path)
    }

    @Test("Queued readings survive a restart, in order")
    func survives() async throws {
        try await withDirectory { directory in
            var queue: SendQueue? = try SendQueue(directory: directory)
            for index in 0..<5 { try await queue?.append(id: "\(index)", body: "{\"id\":\"\(index)\"}") }
            let first = try await #require(queue).first(2)
            #expect(first.map(\.id) == ["0", "1"])
            try await queue?.remove([first[0]])
            try queue?.close()
            queue = nil
            let again = try SendQueue(directory: directory)
            #expect(try await again.first(10).map(\.id) == ["1", "2", "3", "4"])
            #expect(try await again.count() == 4)
        }
    }

    @Test("A reading that arrives while the program ends is queued")
    func cancelled() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await queue.append(id: "a", body: "{}")
            }
            try await task.value
            #expect(try await queue.count() == 1)
        }
    }

    @Test("A refused reading moves from the queue to the file, with its problem")
    func setAside() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            try await queue.append(id: "a", body: #"{"hex":"00","id":"a"}"#)
            try await queue.append(id: "b", body: "no JSON")
            for entry in try await queue.first(2) { try await queue.setAside(entry, problem: "too short") }
            #expect(try await queue.count() == 0)
            let text = try String(contentsOfFile: queue.refusedFile, encoding: .utf8)
            #expect(
                text == """
                    {"problem":"too short","reading":{"hex":"00","id":"a"}}
                    {"problem":"too short","reading":"no JSON"}

                    """)
        }
    }

    @Test("A queue is locked by one program")
    func lock() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            #expect(throws: HubProblem.self) { try SendQueue(directory: directory) }
            try queue.close()
        }
    }

    @Test("The error of a directory that cannot be created names a remedy")
    func wrongDirectory() {
        #expect {
            try SendQueue(directory: "/dev/null/queue")
        } throws: { error in
            "\(error)".contains("--queue")
        }
    }
}
#endif
