#if Programs
import Foundation
import GRDB
import GRDBSQLite

extension Statement {
    /// Executes a statement that returns no rows, for many sets of arguments.
    ///
    /// GRDB copies the arguments of each execution twice, which takes about as long as inserting the row. This binds
    /// them with SQLite's functions. Observers of rows are not notified; those of commits are.
    /// - Throws: `DatabaseError`.
    func execute(binding arguments: StoreArguments, in db: Database) throws {
        defer {
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
        }
        guard sqlite3_bind_parameter_count(sqliteStatement) == arguments.values.count else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "wrong number of arguments: \(arguments.values.count)", sql: sql)
        }
        for (index, value) in zip(CInt(1)..., arguments.values) { try check(bind(value, at: index), db) }
        try check(sqlite3_step(sqliteStatement), db)
    }

    private func bind(_ value: DatabaseValue, at index: CInt) -> CInt {
        // SQLITE_TRANSIENT: SQLite copies the octets before the function returns.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value.storage {
        case .null: return sqlite3_bind_null(sqliteStatement, index)
        case .int64(let number): return sqlite3_bind_int64(sqliteStatement, index, number)
        case .double(let number): return sqlite3_bind_double(sqliteStatement, index, number)
        // Up to a character U+0000, as GRDB binds and reads it.
        case .string(let text): return sqlite3_bind_text(sqliteStatement, index, text, -1, copies)
        case .blob(let data):
            return data.withUnsafeBytes { octets in
                // Empty data has no address, and a null pointer would bind NULL.
                octets.isEmpty
                    ? sqlite3_bind_zeroblob(sqliteStatement, index, 0)
                    : sqlite3_bind_blob(sqliteStatement, index, octets.baseAddress, CInt(octets.count), copies)
            }
        }
    }

    private func check(_ code: CInt, _ db: Database) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
                message: db.lastErrorMessage, sql: sql)
        }
    }
}
#endif
