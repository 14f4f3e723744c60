import Dispatch
import Foundation
import Synchronization

/// A store in a PostgreSQL database, which any number of hubs share.
final class PostgresDatabase: StoreDatabase {
    static let connections = 8
    /// The time in which a lost connection is established again before a request fails.
    private static let patience = Duration.seconds(10)
    /// The number of conflicts with other transactions after which a request fails. The server needs a second to detect
    /// a deadlock, and more if it is busy, so a time would permit few of them.
    private static let mostConflicts = 20
    /// The time for which a request waits for a free connection, in seconds.
    private static let longestWait = 30.0
    /// The pauses between attempts, in seconds.
    private static let (shortestPause, longestPause) = (0.02, 1.0)

    /// An idle connection.
    ///
    /// Proof of `@unchecked`: it has the only reference to the connection. ``take()`` removes it from ``State`` before
    /// the first use, and ``give(_:)`` adds it after the last one; the lock of ``State`` orders the uses. ``attempt``
    /// calls `body` synchronously, and no `body` keeps its connection, which is not `Sendable`.
    private struct Idle: @unchecked Sendable { let connection: PostgresConnection }

    private struct State {
        var idle: [Idle] = []
        var isClosed = false
    }

    /// The risk of the connections; nil if there is none.
    let warning: String?
    private let address: PostgresAddress
    private let state = Mutex(State())
    private let free = DispatchSemaphore(value: connections)
    let threads = OperationQueue(threads: connections, name: "harald.hub.postgres")

    /// Connects, and creates the tables if there are none. Blocks the thread.
    /// - Parameters:
    ///   - isCopying: true to open a database whose copy is not complete.
    ///   - patience: the time for which to wait for a server that does not accept connections now.
    /// - Throws: ``HubProblem`` with advice.
    init(_ address: PostgresAddress, isCopying: Bool = false, patience: Duration = .zero) throws {
        self.address = address
        let end = ContinuousClock.now + patience
        while true {
            do {
                let connection = try PostgresConnection(address)
                try connection.transaction(nil) { try connection.createTables(address) }
                guard try isCopying || !connection.isTrue("SELECT EXISTS(SELECT 1 FROM copying)") else {
                    throw HubProblem(
                        .conflict, "the copy into this database is not complete; run 'harald hub copy' again")
                }
                warning = connection.encryption.warning
                give(connection)
                return
            } catch let error as PostgresError {
                guard error.isLost, !error.isPermanent, .now < end else {
                    throw HubProblem(.unavailable, "cannot open the store \(address.shown): \(error)")
                }
                Thread.sleep(forTimeInterval: 0.2)
            } catch is UnknownCommit {
                // Tables that were created are not created again.
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
    }

    func read<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value {
        try attempt(isIdempotent: true) { connection in
            try connection.transaction(.read) { try body(connection) }
        }
    }

    func lookUp<Value>(_ body: (any StoreConnection) throws -> Value) throws -> Value {
        try attempt(isIdempotent: true) { try body($0) }
    }

    func write<Value>(_ change: StoreChange, _ body: (any StoreConnection) throws -> Value) throws -> Value {
        // A reading that was stored is known when it is stored again.
        try attempt(isIdempotent: change == .readings) { connection in
            try connection.transaction(.write(change)) { try body(connection) }
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value {
        try await perform { try self.read(body) }
    }

    func write<Value: Sendable>(
        _ change: StoreChange, _ body: @escaping @Sendable (any StoreConnection) throws -> Value
    ) async throws -> Value {
        try await perform { try self.write(change, body) }
    }

    func check() throws {
        do { try checkConnection() } catch let error as PostgresError where error.isLost {
            // An idle connection was lost when the server was started again.
            dropIdle()
            try checkConnection()
        }
    }

    private func checkConnection() throws {
        let connection = try take()
        try connection.execute("SELECT 1")
        give(connection)
    }

    /// A snapshot names the transactions that are not visible, so two equal ones see the same rows.
    func version() async throws -> String {
        try await perform { try self.lookUp { try $0.value("SELECT CAST(pg_current_snapshot() AS text)") ?? "" } }
    }

    /// Deleted rows are overwritten as their space is used again; the log keeps them until it is recycled.
    func erase() throws {
        _ = try attempt(isIdempotent: true) { connection in
            try connection.execute(
                """
                VACUUM person, assignment, device, reading, reading_key, duplicate, outbox, forwarded, receiver,
                gateway_person, gateway_device
                """)
        }
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    // MARK: Connections

    /// Calls `body` with a connection, and again with another one if the connection is lost, or if another transaction
    /// is in the way.
    /// - Parameter isIdempotent: true if `body` may also be repeated after a commit whose outcome is unknown.
    private func attempt<Value>(isIdempotent: Bool, _ body: (PostgresConnection) throws -> Value) throws -> Value {
        guard free.wait(timeout: .now() + Self.longestWait) == .success else {
            throw HubProblem(.busy, "all \(Self.connections) connections to the database are in use")
        }
        defer { free.signal() }
        let end = ContinuousClock.now + Self.patience
        var (pause, conflicts) = (Self.shortestPause, 0)
        while true {
            do {
                let connection = try take()
                // A connection with another error is usable after the rollback.
                defer { if connection.isUsable { give(connection) } }
                return try body(connection)
            } catch let error as UnknownCommit {
                dropIdle()
                guard isIdempotent, .now < end else {
                    throw HubProblem(
                        .unavailable,
                        "the connection to the database was lost during a change (\(error.cause)); "
                            + "check whether it was made"
                    )
                }
            } catch let error as PostgresError {
                if error.isLost { dropIdle() }
                if error.state == "55P03" { throw HubProblem(.busy, "another change of the database takes too long") }
                if error.isConflict { conflicts += 1 }
                let mayRepeat = error.isConflict ? conflicts < Self.mostConflicts : .now < end
                guard error.isLost && !error.isPermanent || error.isRepeatable, mayRepeat else { throw error }
            }
            Thread.sleep(forTimeInterval: pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func take() throws -> PostgresConnection {
        let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
        if isClosed { throw HubProblem(.unavailable, "the store is closed") }
        return try idle?.connection ?? PostgresConnection(address)
    }

    private func give(_ connection: PostgresConnection) {
        state.withLock { state in
            // A check may have made one more.
            guard !state.isClosed, state.idle.count < Self.connections else { return }
            state.idle.append(Idle(connection: connection))
        }
    }

    /// The other connections to a server that has ended are lost too.
    private func dropIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }
}

/// The error of a commit that the server may have executed.
struct UnknownCommit: Error { let cause: PostgresError }

extension PostgresConnection {
    enum Transaction {
        case read
        case write(StoreChange)

        fileprivate var beginning: String {
            switch self {
            case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            case .write(.rows): "BEGIN"
            case .write(.readings): "BEGIN; SELECT pg_advisory_xact_lock_shared(\(PostgresLock.store.rawValue))"
            case .write(.administration): "BEGIN; SELECT pg_advisory_xact_lock(\(PostgresLock.store.rawValue))"
            }
        }
    }

    /// Calls `body` in a transaction.
    /// - Parameter kind: nil to create the tables.
    /// - Throws: the error of `body` after a rollback; ``UnknownCommit``; ``PostgresError``.
    func transaction<Value>(_ kind: Transaction?, _ body: () throws -> Value) throws -> Value {
        try begin(kind?.beginning ?? "BEGIN")
        let value: Value
        do {
            value = try body()
        } catch {
            try rollBack()
            throw error
        }
        do {
            try commit()
        } catch let error as PostgresError where error.isLost {
            throw UnknownCommit(cause: error)
        }
        return value
    }
}
