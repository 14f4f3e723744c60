import BluetoothModel

/// Counts failed attempts as long as the program runs.
public final class InMemoryPasskeyLimiter: PasskeyLimiter {
    private var failures: [UInt32: Int] = [:]

    /// No failures.
    public init() {}

    /// Whether fewer attempts failed than the limit.
    public func allows(_ passkey: UInt32) -> Bool { failures[passkey, default: 0] < Self.failureLimit }

    /// Counts an attempt; false where none is left.
    public func begin(_ passkey: UInt32) -> Bool {
        guard allows(passkey) else { return false }
        failures[passkey, default: 0] += 1
        return true
    }

    /// Takes back one failure.
    public func succeed(_ passkey: UInt32) {
        if let count = failures[passkey] { failures[passkey] = count > 1 ? count - 1 : nil }
    }

    /// Forgets the failures.
    public func reset(_ passkey: UInt32) { failures[passkey] = nil }
}
