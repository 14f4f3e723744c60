import BluetoothRuntime
import Harald

/// One operation of a program, from its step to its end.
///
/// Proof of `@unchecked Sendable`: only the single thread of the world accesses it.
final class Operation: @unchecked Sendable {
    let number: Int
    let step: Step
    let start: RadioInstant
    /// The time limit for its end.
    private(set) var limit: RadioInstant
    var task: Task<Void, Never>?
    var isCancelled = false
    var end: RadioInstant?
    /// True if the operation must succeed, because no fault is active.
    var hasToSucceed = false
    /// The life of the host that started it.
    var life: Int

    init(_ number: Int, _ step: Step, start: RadioInstant, limit: Duration, life: Int) {
        self.life = life
        self.number = number
        self.step = step
        self.start = start
        self.limit = start + limit
    }

    /// Shortens the time limit to this instant.
    func hasToEnd(by instant: RadioInstant) { limit = min(limit, instant) }
}

/// A subscriber to the values of one characteristic.
///
/// Proof of `@unchecked Sendable`: only the single thread of the world accesses it.
final class Listener: @unchecked Sendable {
    let host: Int
    let target: Int
    let place: Place
    /// True if the subscription continues after a lost link.
    let stays: Bool
    /// True while values can arrive. It does not retain the peripheral, as the stream does.
    var isConnected: () -> Bool = { false }
    /// The state of the peripheral, for reports.
    var state: () -> String = { "gone" }
    var task: Task<Void, Never>?
    var isCancelled = false
    var isOver = false
    /// True if it confirms indications late, which delays all subscribers of its host.
    var isSlow = false
    /// The largest number of a value.
    var last = 0
    /// The number of the last value of each operation that sent some.
    var lastNumbers: [Int: Int] = [:]
    /// The count of ended links and lost packets at the last value of each sender.
    var lastBreaks: [Int: Int] = [:]
    /// The count of ended links and lost packets at the time of the last value.
    var breaks = 0
    /// The count of values that the stream had dropped at the time of the last value.
    var dropped = 0
    /// Its progress while values are missing.
    var progress = Progress()

    struct Progress {
        /// The count of ended links and lost packets since which values have to arrive.
        var breaks = -1
        /// The number of the last value that does not have to arrive, and the number of the last that has arrived.
        var first = 0, last = 0
        /// When the last value arrived, or the first one that has not arrived yet was sent.
        var since: RadioInstant?
    }

    init(host: Int, target: Int, place: Place, stays: Bool) {
        self.host = host
        self.target = target
        self.place = place
        self.stays = stays
    }
}
