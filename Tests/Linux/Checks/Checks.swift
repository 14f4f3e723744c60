import Foundation
import Harald

/// A line, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Runs steps and counts those that fail.
@MainActor enum Checks {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private(set) static var failures = 0

    /// Runs one step and returns its result.
    @discardableResult
    static func step<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async -> Value? {
        do {
            let value = try await body()
            say("ok   \(name)")
            return value
        } catch {
            failures += 1
            say("FAIL \(name): \(error)")
            return nil
        }
    }

    static func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Failure(description: what()) }
    }

    /// The error that `body` has to end with.
    static func error(_ body: () async throws -> Void) async throws -> BluetoothError {
        do { try await body() } catch let error as BluetoothError { return error }
        throw Failure(description: "no error")
    }

    /// Fails after a time limit in seconds. Emulation is slow, and the error names a step that hangs.
    nonisolated static func within<Value: Sendable>(
        _ seconds: Int, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw Failure(description: "nothing in \(seconds) s")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw Failure(description: "cancelled") }
            return value
        }
    }
}

/// The services of the peers in these tests, one way round and the other.
enum TestService {
    static let service: BluetoothUUID = "A5B70000-1C2D-4E5F-8091-A2B3C4D5E6F7"
    static func characteristic(_ number: UInt32) -> BluetoothUUID {
        BluetoothUUID(high: 0xA5B7_0000_1C2D_4E5F | UInt64(number) << 32, low: 0x8091_A2B3_C4D5_E6F7)
    }
    /// Read and write; the value is kept. It has a description.
    static let kept = characteristic(1)
    /// Read: 300 bytes.
    static let long = characteristic(2)
    /// Write without response; the value is returned as a notification of ``echo``.
    static let command = characteristic(3)
    static let echo = characteristic(4)
    /// Write n: n indications of ``indicated``.
    static let trigger = characteristic(5)
    static let indicated = characteristic(6)
    /// Read, encrypted only.
    static let secret = characteristic(7)
    /// Read: always the application's error 0x80.
    static let broken = characteristic(8)
    /// Read: no answer for a while.
    static let slow = characteristic(9)
    /// Read: one byte, the PSM on which the device listens for L2CAP channels; it echoes messages.
    static let channel = characteristic(10)
}
