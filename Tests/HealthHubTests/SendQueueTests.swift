import Foundation
import GRDB
import Testing

@testable import HealthHub

@Suite("The queue of readings for a hub", .timeLimit(.minutes(5)))
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

    @Test(
        "An entry that is not a JSON object has a problem, and is set aside without ending the program",
        arguments: [
            ("x'ff00fe'", "FF00FE"), ("''", ""), ("' '", " "), (#"'],"x":['"#, #"],"x":["#), ("'[]'", "[]"),
            (#"'{},{}'"#, #"{},{}"#), ("12", "12"),
        ])
    func unusable(sql: String, text: String) async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            for id in ["a", "b"] { try await queue.append(id: id, body: "{}") }
            try await queue.database.write { try $0.execute(sql: "UPDATE entry SET body = \(sql) WHERE id = 'a'") }
            let entries = try await queue.first(2)
            #expect(entries.map(\.id) == ["a", "b"])
            #expect(entries.map { $0.problem == nil } == [false, true])
            try await queue.setAside(entries[0], problem: entries[0].problem ?? "")
            #expect(try await queue.first(2).map(\.id) == ["b"])
            let line = try Data(contentsOf: URL(filePath: queue.refusedFile))
            let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            #expect((object["problem"] as? String)?.hasPrefix("the queued") == true)
            #expect(object["reading"] as? String == text)
            try queue.close()
        }
    }

    @Test("On a full disk the reserve makes room for the removal of entries, and is written again")
    func reserve() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            let reserve = directory + "/queue.reserve"
            let size = { try Data(contentsOf: URL(filePath: reserve)).count }
            #expect(try size() == QueueReserve.size)
            for index in 0..<20 { try await queue.append(id: "\(index)", body: "{}") }
            // A deletion needs more room than there is, while the reserve exists.
            try await queue.database.write { db in
                db.add(
                    function: DatabaseFunction("reserve_exists", argumentCount: 0) { _ in
                        FileManager.default.fileExists(atPath: reserve)
                    })
                try db.execute(
                    sql: """
                        CREATE TABLE ballast(body BLOB);
                        CREATE TEMP TRIGGER room BEFORE DELETE ON main.entry WHEN reserve_exists()
                        BEGIN INSERT INTO ballast VALUES (zeroblob(1000000)); END;
                        """)
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 50)")
            }
            try await queue.remove(try await queue.first(19))
            #expect(try await queue.first(20).map(\.id) == ["19"])
            #expect(try size() == QueueReserve.size)
            try queue.close()
        }
    }

    #if os(Linux)
    @Test("A refused reading that cannot be moved stays in the queue, and the reserve is kept for removals")
    func refusedOnFullDisk() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            try await queue.append(id: "a", body: "{}")
            // Each write to this device fails as one to a full disk does.
            try FileManager.default.createSymbolicLink(atPath: queue.refusedFile, withDestinationPath: "/dev/full")
            let entry = try #require(try await queue.first(1).first)
            let problem = await #expect(throws: QueueProblem.self) {
                try await queue.setAside(entry, problem: "too short")
            }
            #expect(problem?.isDiskFull == true)
            #expect(try await queue.count() == 1)
            let reserve = try Data(contentsOf: URL(filePath: directory + "/queue.reserve"))
            #expect(reserve.count == QueueReserve.size)
            try queue.close()
        }
    }
    #endif

    @Test("A full disk and a damaged queue are named with the directory or the file")
    func problems() async throws {
        try await withDirectory { directory in
            let queue = try SendQueue(directory: directory)
            try await queue.append(id: "a", body: "{}")
            try await queue.database.write { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
            let full = await #expect(throws: QueueProblem.self) {
                try await queue.append(id: "b", body: "{\"text\":\"\(String(repeating: "a", count: 100_000))\"}")
            }
            #expect(full?.isDiskFull == true)
            #expect(full?.description == "the disk of \(directory) is full")
            try await queue.database.write { try $0.execute(sql: "DROP TABLE entry") }
            let unreadable = await #expect(throws: QueueProblem.self) { try await queue.first(1) }
            #expect(
                unreadable?.description == "cannot read the queue \(directory)/queue.sqlite: no such table: entry")
            try queue.close()
        }
        try await withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let text = String(repeating: "no queue", count: 1000)
            try text.write(toFile: directory + "/queue.sqlite", atomically: true, encoding: .utf8)
            let damaged = #expect(throws: HubProblem.self) { try SendQueue(directory: directory) }
            #expect(damaged?.description.hasPrefix("cannot open the queue \(directory)/queue.sqlite: ") == true)
            #expect(damaged?.description.hasSuffix("choose another directory with --queue") == true)
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
