import Foundation
import GRDB
import Testing

@testable import HealthHub

@Suite("Rows are inserted in SQLite without GRDB's copies")
struct SQLiteStatementTests {
    private static let table = """
        CREATE TABLE sample(
            id INTEGER PRIMARY KEY AUTOINCREMENT, value UNIQUE, positive INTEGER NOT NULL DEFAULT 1 CHECK (positive > 0))
        """

    private func withTable(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: Self.table)
            try body(db)
        }
    }

    @Test("Values keep their type and their octets")
    func values() throws {
        let long = String(repeating: "ä", count: 5000)
        let values: [DatabaseValue] = [
            "".databaseValue, "a".databaseValue, "ä€😀".databaseValue, long.databaseValue, Data().databaseValue,
            Data([0, 1, 255]).databaseValue, Int64.min.databaseValue, 0.databaseValue, 0.5.databaseValue, .null,
        ]
        try withTable { db in
            let insert = try db.insertion("INSERT INTO sample(value) VALUES (?)")
            #expect(try insert(values.map { StoreArguments(values: [$0]) }) == (1...10).map { Int64($0) })
            #expect(try DatabaseValue.fetchAll(db, sql: "SELECT value FROM sample ORDER BY id") == values)
        }
    }

    @Test("A statement that GRDB has executed can be executed for many sets of arguments")
    func sharedStatement() throws {
        try withTable { db in
            let sql = "INSERT INTO sample(value) VALUES (?)"
            _ = try db.run(sql, ["a"])
            try db.runAll(sql, [["b"], ["c"]])
            _ = try db.run(sql, ["d"])
            #expect(try db.insertion(sql)([["e"]]) == [5])
        }
    }

    @Test("A row that exists has no new identifier")
    func conflict() throws {
        try withTable { db in
            let insert = try db.insertion("INSERT INTO sample(value) VALUES (?) ON CONFLICT DO NOTHING")
            #expect(try insert([["a"], ["b"], ["a"], ["a\0c"]]) == [1, 2, nil, nil])
        }
    }

    @Test("A refused row is an error, and the statement can be used again")
    func refusal() throws {
        try withTable { db in
            let sql = "INSERT INTO sample(value, positive) VALUES (?, ?)"
            let error = #expect(throws: DatabaseError.self) { try db.runAll(sql, [["a", 1], ["b", 0], ["c", 1]]) }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT && error?.message?.contains("CHECK") == true)
            #expect(throws: DatabaseError.self) { try db.runAll(sql, [["d"]]) }
            try db.runAll(sql, [["e", 1]])
            #expect(try String.fetchAll(db, sql: "SELECT value FROM sample ORDER BY id") == ["a", "e"])
        }
    }
}
