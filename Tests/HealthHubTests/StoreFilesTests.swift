import Foundation
import GRDB
import TestSupport
import Testing

@testable import HealthHub

/// The files of a store that another program changes while a hub has it open.
@Suite("Files of a store", .blocksThread)
struct StoreFilesTests {
    enum Change: CaseIterable { case replaced, removed, shortened, logRemoved, logShortened, logEmptied }

    @Test("Nothing is acknowledged after the file was replaced, removed or shortened", arguments: Change.allCases)
    func changed(_ change: Change) throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        func post(_ day: Int) throws -> [ReadingResult.Status] {
            let reading = try SubmittedReading.ofOneDevice(
                json: #"{"weight":{"value":"70","unit":"kg"}}"#, time: "2026-11-\(day)T08:00:00")
            return try store.store([reading], gateway: "g").results.map(\.status)
        }
        #expect(try post(10) == [.stored])
        try store.database.check()
        let path = temporary.path
        switch change {
        case .replaced:
            let other = path + "2"
            try FileManager.default.copyItem(atPath: path, toPath: other)
            #expect(rename(other, path) == 0)
        case .removed: #expect(unlink(path) == 0)
        case .shortened: #expect(truncate(path, 512) == 0)
        case .logRemoved: #expect(unlink(path + "-wal") == 0)
        case .logShortened: #expect(truncate(path + "-wal", 8192) == 0)
        case .logEmptied: #expect(truncate(path + "-wal", 0) == 0)
        }
        #expect { try post(11) } throws: { error in
            (error as? HubProblem)?.code == .unavailable && "\(error)".contains("while the hub runs")
        }
        #expect(throws: HubProblem.self) { try store.database.check() }
    }

    @Test("Another program may copy the log to the file, and empty it")
    func checkpoint() throws {
        let temporary = try TemporaryStore()
        _ = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        let other = try DatabaseQueue(path: temporary.path)
        _ = try other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try other.close()
        try temporary.store.database.check()
        for name in ["Ben", "Clara"] { _ = try temporary.store.addPerson(name: name, born: "1961-04-30") }
        try temporary.store.database.check()
        #expect(try temporary.store.people().count == 3)
    }

    @Test("A deletion makes the file shorter")
    func deletion() throws {
        let temporary = try TemporaryStore()
        let person = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.deletePerson(person.id)
        try temporary.store.database.check()
        _ = try temporary.store.addPerson(name: "Ben", born: "1961-04-30")
    }
}
