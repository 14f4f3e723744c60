import Foundation
import GRDB

typealias StoreValue = DatabaseValueConvertible & StatementColumnConvertible

/// The values of a statement's parameters, in order. A parameter is written `?`, or `?1` if it occurs several times.
struct StoreArguments: Sendable, ExpressibleByArrayLiteral {
    var values: [DatabaseValue]

    init(values: [DatabaseValue]) { self.values = values }

    init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        values = elements.map { $0?.databaseValue ?? .null }
    }

    init(_ elements: some Sequence<some DatabaseValueConvertible>) { values = elements.map(\.databaseValue) }

    static func + (first: StoreArguments, second: StoreArguments) -> StoreArguments {
        var sum = first
        sum.values += second.values
        return sum
    }
}

/// A connection to the store's database in a transaction. Statements are prepared once for each connection.
protocol StoreConnection: AnyObject {
    /// The SQL that differs between the databases.
    var dialect: StoreDialect { get }

    /// Executes a statement.
    /// - Returns: the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ arguments: StoreArguments) throws -> Int

    /// Prepares an INSERT of one row into a table with the column `id`.
    /// - Returns: a function that inserts rows, and returns the identifier of each; nil for a row that was not
    ///   inserted.
    func insertion(_ sql: String) throws -> ([StoreArguments]) throws -> [Int64?]

    /// Executes a statement with each set of arguments.
    func runAll(_ sql: String, _ sets: [StoreArguments]) throws

    /// Returns the last identifier that a table has assigned, also to a row that was deleted; nil if there was none.
    func lastIdentifier(of table: String) throws -> Int64?

    /// Prepares the store for a reading that was taken at this time.
    func prepareForReading(at time: Date) throws

    func rows(_ sql: String, _ arguments: StoreArguments) throws -> [Row]

    /// Returns the first row of a query; nil if there is none.
    func row(_ sql: String, _ arguments: StoreArguments) throws -> Row?

    func values<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> [Value]

    /// Returns the first column of the first row; nil for NULL, and if there is no row.
    func value<Value: StoreValue>(_ sql: String, _ arguments: StoreArguments) throws -> Value?

    /// Calls `body` with each row of a query. The rows are not in memory at the same time. `body` may execute other
    /// statements.
    func forEachRow(_ sql: String, _ arguments: StoreArguments, _ body: (Row) throws -> Void) throws
}

extension StoreConnection {
    func rows(_ sql: String) throws -> [Row] { try rows(sql, []) }
    func value<Value: StoreValue>(_ sql: String) throws -> Value? { try value(sql, []) }

    /// Inserts a row into a table with the column `id`.
    /// - Returns: the identifier of the row.
    func insert(_ sql: String, _ arguments: StoreArguments) throws -> Int64 {
        guard let id = try insertion(sql)([arguments])[0] else {
            throw HubProblem(.unavailable, "the store did not insert a row")
        }
        return id
    }

    /// Returns true if the query has a row whose first column is not 0.
    func isTrue(_ sql: String, _ arguments: StoreArguments = []) throws -> Bool {
        try value(sql, arguments) as Bool? == true
    }
}

/// The kind of change that a transaction makes. It decides which other transactions of a server are excluded; a SQLite
/// file has one writer.
enum StoreChange: Sendable {
    /// Rows that no other transaction relies on, such as entries of the audit log and lanes.
    case rows
    /// New readings. They rely on people, assignments and receivers.
    case readings
    /// People, assignments, receivers, tokens or accounts.
    case administration
}

protocol StoreDatabase: Sendable {
    /// Calls `body` in a read-only transaction, which sees one state of the store. Blocks the thread.
    func read<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value

    /// Calls `body` in a read-only transaction. Blocks no thread of Swift's pool.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value

    /// Calls `body`, which executes one query. Needs fewer round trips to a server than a transaction. Blocks the
    /// thread.
    func lookUp<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value

    /// Calls `body` in a transaction, which is on the disk when this returns. Blocks the thread. If the connection to a
    /// server is lost, `body` is called again, so it must have no other effects.
    func write<Value>(_ change: StoreChange, _ body: (any StoreConnection) throws -> Value) throws -> Value

    /// Calls `body` in a transaction. Blocks no thread of Swift's pool.
    func write<Value: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value

    /// The threads that wait for the database in place of those of Swift's pool: a copy of the store may take minutes.
    var threads: OperationQueue { get }

    /// Throws unless the database answers now. Blocks the thread.
    func check() throws

    /// Returns a text that changes with each commit.
    func version() async throws -> String

    /// Removes deleted data from the files, as far as the database can.
    func erase() throws

    /// Closes all connections.
    func close() throws
}

extension StoreDatabase {
    /// Runs `body`, which reads or writes, on a thread that it may block.
    func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            threads.addOperation { continuation.resume(with: Result { try body() }) }
        }
    }
}

extension OperationQueue {
    convenience init(threads: Int, name: String) {
        self.init()
        (self.name, maxConcurrentOperationCount) = (name, threads)
    }
}
