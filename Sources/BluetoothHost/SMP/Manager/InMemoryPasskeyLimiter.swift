import BluetoothModel

/// Counts failed attempts in memory, for the lifetime of the program.
package final class InMemoryPasskeyLimiter: PasskeyLimiter {
    private var failures: [UInt32: Int] = [:]

    /// Creates a limiter without failures.
    package init() {}

    /// Returns true if fewer attempts failed than the limit.
    package func allows(_ passkey: UInt32) -> Bool { failures[passkey, default: 0] < Self.failureLimit }

    /// Counts an attempt as failed; returns false if none is left.
    package func begin(_ passkey: UInt32) -> Bool {
        guard allows(passkey) else { return false }
        failures[passkey, default: 0] += 1
        return true
    }

    /// Removes one failure after a successful attempt.
    package func succeed(_ passkey: UInt32) {
        if let count = failures[passkey] { failures[passkey] = count > 1 ? count - 1 : nil }
    }

    /// Removes all failures of a passkey.
    package func reset(_ passkey: UInt32) { failures[passkey] = nil }
}
