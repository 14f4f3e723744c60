import BluetoothRuntime
import Harald

/// One operation of a program, from its step to its end. `@unchecked Sendable`: the one thread of the world has it.
final class Operation: @unchecked Sendable {
    let number: Int
    let step: Step
    let start: RadioInstant
    /// When it has to be over.
    let limit: RadioInstant
    var task: Task<Void, Never>?
    var isCancelled = false
    var end: RadioInstant?
    /// Whether it has to succeed: all is well.
    var hasToSucceed = false
    /// The life of the host that began it.
    var life: Int

    init(_ number: Int, _ step: Step, start: RadioInstant, limit: Duration, life: Int) {
        self.life = life
        self.number = number
        self.step = step
        self.start = start
        self.limit = start + limit
    }
}

/// Who hears the values of one characteristic. `@unchecked Sendable`: the one thread of the world has it.
final class Listener: @unchecked Sendable {
    let host: Int
    let target: Int
    let place: Place
    /// Whether it goes on after a lost link.
    let stays: Bool
    /// The stream keeps it, also where the program lets go of it.
    weak var peripheral: Peripheral?
    var task: Task<Void, Never>?
    var isCancelled = false
    var isOver = false
    /// The number of the last value.
    var last = 0
    /// The ends of links and the lost packets when it came.
    var breaks = 0
    /// What its stream had dropped when it came.
    var dropped = 0
    /// Values that are missing for no reason that the listener knows; the device may know one.
    var gaps = 0

    init(host: Int, target: Int, place: Place, stays: Bool) {
        self.host = host
        self.target = target
        self.place = place
        self.stays = stays
    }
}
