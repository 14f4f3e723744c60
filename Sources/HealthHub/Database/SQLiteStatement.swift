import Foundation
import GRDB
import GRDBSQLite

extension Statement {
    /// Executes a statement that returns no rows, for many sets of arguments. Observers of rows are not notified; those
    /// of commits are.
    func execute(binding arguments: StoreArguments, in db: Database) throws {
        defer {
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
        }
        // GRDB leaves a cached statement in its last step, and values cannot be bound to it then.
        sqlite3_reset(sqliteStatement)
        try bind(arguments, db)
        try check(sqlite3_step(sqliteStatement), db)
    }

    /// Binds arguments for GRDB's functions, which are then called without arguments.
    func binding(_ arguments: StoreArguments, in db: Database) throws -> Statement {
        // A failed step also fails the next reset, which `setUncheckedArguments` does not expect.
        sqlite3_reset(sqliteStatement)
        // GRDB does not check that there are no arguments.
        setUncheckedArguments(StatementArguments())
        try bind(arguments, db)
        return self
    }

    /// Binds arguments with SQLite's functions. GRDB copies them twice, which takes about as long as a short query.
    private func bind(_ arguments: StoreArguments, _ db: Database) throws {
        guard sqlite3_bind_parameter_count(sqliteStatement) == arguments.values.count else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "wrong number of arguments: \(arguments.values.count)", sql: sql)
        }
        for (index, value) in zip(CInt(1)..., arguments.values) { try check(bind(value, at: index), db) }
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
