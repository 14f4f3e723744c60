import BluetoothRuntime
import Harald

/// The values that subscribers receive.
extension World {
    /// Checks that the device has counted the values that are missing: what finds a queue full is dropped.
    private func missing(_ numbers: [Int], _ listener: Listener, _ what: String) {
        let target = hosts[listener.target]
        // Several subscriptions of a central miss the same value.
        for number in numbers {
            target.missed.insert(.init(central: listener.host, place: listener.place, number: number))
        }
        guard let device = target.device else {
            // A peripheral manager refuses what finds a queue full, and withholds values after a change. A subscriber
            // that confirms nothing for a second, for example while it pairs on a link with long intervals, misses
            // what finds its queue full, which the manager does not count.
            let hasChanged = program.steps.contains { $0.verb == .change && $0.host == target.index }
            let stalls = program.isPaced && program.steps.contains { [.hold, .parameters].contains($0.verb) }
            if target.coreDevice != nil, !hasChanged, !stalls { fail(.missing, what) }
            return
        }
        let count = target.missed.count
        _ = task { [self] in
            let dropped = await device.droppedValues
            guard dropped < count else { return }
            fail(.missing, "\(what); the device dropped \(dropped), but \(count) are missing")
        }
    }

    func breaks(of listener: Listener) -> Int {
        hosts[listener.host].line.breaks + hosts[listener.target].line.breaks
    }

    func heard(_ value: [UInt8], by listener: Listener, dropped: Int) {
        let what = "h\(listener.host) received \(value) of \(listener.place) of h\(listener.target)"
        let log = hosts[listener.target].log
        guard let stamp = Stamp(value), stamp.host == listener.target, stamp.place == listener.place.rawValue,
            let sender = log.sender(of: stamp.number, at: listener.place)
        else { return fail(.invented, what) }
        trace.add(now.nanoseconds, value, what)
        let last = listener.lastNumbers[sender] ?? 0
        guard stamp.number > last else { return fail(.order, "\(what) after \(last)") }
        let breaks = breaks(of: listener)
        if last > 0, program.isCalm, breaks == listener.breaks, dropped == listener.dropped {
            let gap = (last + 1..<stamp.number).filter { log.sender(of: $0, at: listener.place) == sender }
            if !gap.isEmpty { missing(gap, listener, "\(what) after \(last)") }
        }
        listener.last = max(listener.last, stamp.number)
        listener.lastNumbers[sender] = stamp.number
        listener.breaks = breaks
        listener.dropped = dropped
    }
}
