import BluetoothRuntime
import Harald

/// What the model knows of one host's device: its values and when it had them, and the writes that reached it.
/// `@unchecked Sendable`: the one thread of the world has it.
final class DeviceLog: @unchecked Sendable {
    let host: Int
    private let clock: RadioClock
    /// The values of each characteristic, and since when.
    private var history: [Place: [(since: RadioInstant, value: [UInt8])]] = [:]
    /// How often each written value came.
    private(set) var arrivals: [Stamp: Int] = [:]
    /// The number of the value that was sent last.
    var sent: [Place: Int] = [:]

    init(host: Int, clock: RadioClock) {
        self.host = host
        self.clock = clock
        for place in [Place.stored, .long, .secret] {
            history[place] = [(.start, Stamp(host: host, place: place.rawValue, number: 0, length: 8).bytes)]
        }
    }

    func value(of place: Place) -> [UInt8] { history[place]?.last?.value ?? [] }

    /// A write came; the value is the characteristic's from now on.
    func written(_ bytes: [UInt8], to place: Place) -> Failure.Invariant? {
        guard let stamp = Stamp(bytes), stamp.place == place.rawValue else { return .invented }
        arrivals[stamp, default: 0] += 1
        history[place, default: []].append((clock.now, bytes))
        return arrivals[stamp] == 1 ? nil : .write
    }

    /// Whether the characteristic had the value at some time since `start`, or several in this time.
    func had(_ bytes: [UInt8], at place: Place, since start: RadioInstant) -> Bool {
        let values = history[place] ?? []
        let first = values.lastIndex { $0.since < start } ?? 0
        let possible = values[first...]
        // A long value is read in parts, which the device answers one by one.
        if possible.count > 1, place == .long { return true }
        return possible.contains { $0.value == bytes }
    }

    /// The number of the next value to send.
    func next(of place: Place) -> Stamp {
        sent[place, default: 0] += 1
        return Stamp(host: host, place: place.rawValue, number: sent[place, default: 0], length: 8)
    }
}
