import BluetoothRuntime
import Harald

/// The model of one host's device: the history of its values, and the writes that it received.
///
/// Proof of `@unchecked Sendable`: only the single thread of the world accesses it.
final class DeviceLog: @unchecked Sendable {
    let host: Int
    private let clock: RadioClock
    /// The values of each characteristic, with the time of each change.
    private var history: [Place: [(since: RadioInstant, value: [UInt8])]] = [:]
    /// The number of arrivals of each written value.
    private(set) var arrivals: [Stamp: Int] = [:]
    /// The operation that sent each value, by the number of the value less one. Values of two operations have no order.
    private var senders: [Place: [Int]] = [:]

    init(host: Int, clock: RadioClock) {
        self.host = host
        self.clock = clock
        for place in [Place.stored, .long, .secret] {
            history[place] = [(.start, Stamp(host: host, place: place.rawValue, number: 0, length: 8).bytes)]
        }
    }

    func value(of place: Place) -> [UInt8] { history[place]?.last?.value ?? [] }

    /// Records a write, which sets the value of the characteristic. Returns the violated invariant, if any.
    func written(_ bytes: [UInt8], to place: Place) -> Failure.Invariant? {
        guard let stamp = Stamp(bytes), stamp.place == place.rawValue else { return .invented }
        arrivals[stamp, default: 0] += 1
        history[place, default: []].append((clock.now, bytes))
        return arrivals[stamp] == 1 ? nil : .write
    }

    /// Returns true if the characteristic may have had the value at some time since `start`.
    func had(_ bytes: [UInt8], at place: Place, since start: RadioInstant) -> Bool {
        let values = history[place] ?? []
        let first = values.lastIndex { $0.since < start } ?? 0
        let possible = values[first...]
        // A long value is read in parts, each of which the device answers on its own, so the value may mix several
        // ones.
        if possible.count > 1, place == .long { return true }
        return possible.contains { $0.value == bytes }
    }

    /// Returns the next value for an operation to send.
    func next(of place: Place, for operation: Int) -> Stamp {
        senders[place, default: []].append(operation)
        return Stamp(host: host, place: place.rawValue, number: lastNumber(of: place), length: 8)
    }

    /// Takes back the last value: it was not sent.
    func takeBack(of place: Place) { senders[place]?.removeLast() }

    /// Returns the number of the last value sent.
    func lastNumber(of place: Place) -> Int { senders[place]?.count ?? 0 }

    /// Returns the operation that sent a value.
    func sender(of number: Int, at place: Place) -> Int? {
        let all = senders[place] ?? []
        return all.indices.contains(number - 1) ? all[number - 1] : nil
    }
}
