import BluetoothModel
import BluetoothRuntime

/// Makes whoever failed to pair wait before the next attempt, twice as long each time, so that passkeys cannot be tried
/// out one after the other (Core 6.0, Vol 3, Part H, 2.3.6).
struct RepeatedAttempts {
    private struct Entry {
        var failures: Int
        /// Before this nothing is tried.
        var blockedUntil: RadioInstant
    }

    /// The first wait, and the longest.
    private static let shortest = Duration.seconds(1), longest = Duration.seconds(512)
    /// After so much quiet a failure is forgiven.
    private static let forgiveness = Duration.seconds(600)
    /// More devices than this are not remembered; the one that may try again first is forgotten.
    private static let capacity = 64

    private var entries: [BluetoothAddress: Entry] = [:]

    /// Whether a device has to wait still.
    func blocks(_ address: BluetoothAddress, at now: RadioInstant) -> Bool {
        entries[address].map { now < $0.blockedUntil } ?? false
    }

    /// How long a device has to wait still.
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
