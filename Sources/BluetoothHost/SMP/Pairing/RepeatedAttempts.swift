import BluetoothModel
import BluetoothRuntime

/// Delays further attempts of a device after a failed pairing, twice as long each time, so that passkeys cannot be
/// guessed by repeated attempts (Core 6.0, Vol 3, Part H, 2.3.6).
struct RepeatedAttempts {
    private struct Entry {
        var failures: Int
        /// The end of the delay.
        var blockedUntil: RadioInstant
    }

    /// The minimum and maximum delay.
    private static let shortest = Duration.seconds(1), longest = Duration.seconds(512)
    /// The time without failures after which one failure is removed.
    private static let forgiveness = Duration.seconds(600)
    /// The maximum number of devices; beyond it the entry whose delay ends first is removed.
    private static let capacity = 64

    private var entries: [BluetoothAddress: Entry] = [:]

    /// Returns true while a device has to wait.
    func blocks(_ address: BluetoothAddress, at now: RadioInstant) -> Bool {
        entries[address].map { now < $0.blockedUntil } ?? false
    }

    /// Returns the remaining delay of a device.
    func wait(_ address: BluetoothAddress, at now: RadioInstant) -> Duration {
        guard let until = entries[address]?.blockedUntil, until > now else { return .zero }
        return .nanoseconds(until.nanoseconds - now.nanoseconds)
    }

    mutating func failed(_ address: BluetoothAddress, at now: RadioInstant) {
        var failures = 0
        if let entry = entries[address] {
            let quiet = Duration.nanoseconds(max(0, now.nanoseconds - entry.blockedUntil.nanoseconds))
            failures = max(0, entry.failures - Int(quiet / Self.forgiveness))
        } else if entries.count >= Self.capacity {
            if let first = entries.min(by: { $0.value.blockedUntil < $1.value.blockedUntil })?.key {
                entries[first] = nil
            }
        }
        let wait = min(Self.longest, Self.shortest * (1 << min(failures, 9)))
        entries[address] = Entry(failures: failures + 1, blockedUntil: now + wait)
    }

    mutating func succeeded(_ address: BluetoothAddress) { entries[address] = nil }
}
