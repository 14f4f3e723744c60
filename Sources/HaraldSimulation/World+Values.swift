import BluetoothRuntime
import Harald

/// The values that subscribers receive.
extension World {
    /// Checks that the device has counted the missing values: a value that finds its queue full is dropped.
    private func missing(_ numbers: [Int], _ listener: Listener, _ what: String) {
        let target = hosts[listener.target]
        // Several subscriptions of a central miss the same value.
        for number in numbers {
            target.missed.insert(.init(central: listener.host, place: listener.place, number: number))
        }
        guard let device = target.device else {
            // A peripheral manager refuses a value that finds a queue full, and withholds values after a change. A
            // subscriber that confirms nothing for a second, for example while it pairs on a link with long intervals,
            // misses values that find its queue full; the manager does not count them.
            let hasChanged = program.steps.contains { $0.verb == .change && $0.host == target.index }
            let stalls = program.steps.contains { step in
                step.verb == .delay
                    || program.isPaced && [.hold, .parameters].contains(step.verb) && step.target == target.index
            }
            if target.coreDevice != nil, !hasChanged, !stalls { fail(.missing, what) }
            return
        }
        guard mayStall(target) else { return fail(.missing, "\(what), though no subscriber stalls") }
        let count = target.missed.count
        _ = task { [self] in
            let dropped = await device.droppedValues
            guard dropped < count else { return }
            fail(.missing, "\(what); the device dropped \(dropped), but \(count) are missing")
        }
    }

    /// True if a subscriber of a device may be slower than the patience of the device, which then does not wait for it,
    /// or may not know yet that the attributes have changed, and then gets no values.
    private func mayStall(_ target: SimulatedHost) -> Bool {
        program.steps.contains { step in
            switch step.verb {
            case .delay: true
            case .change: step.host == target.index
            default: step.pairs && (step.target == target.index || step.host == target.index)
            }
        }
    }

    /// Checks that values on their way to a subscriber arrive one after the other: that none is held back for long
    /// after the faults and changes that may do so have ended.
    func checkProgress() {
        for host in hosts {
            for listener in host.listeners where listener.place != .secret && !listener.isCancelled {
                checkProgress(of: listener, hosts[listener.target])
            }
        }
    }

    /// The time within which the next value has to arrive. The device waits for subscribers that hold confirmations.
    private var progressTime: Duration { .seconds(program.steps.contains { $0.verb == .hold } ? 60 : 10) }

    private func checkProgress(of listener: Listener, _ target: SimulatedHost) {
        let (sent, breaks) = (target.log.lastNumber(of: listener.place), breaks(of: listener))
        // A subscription is renewed some time after its link was established.
        let isNew = [hosts[listener.host], target].contains { host in
            host.line.linkStart.map { $0 + .seconds(5) > now } ?? false
        }
        guard listener.isConnected(), breaks == listener.progress.breaks, !isNew, !isEnding(target),
            !hosts[listener.host].isDisturbed, !target.isDisturbed
        else {
            listener.progress = .init(breaks: breaks, first: sent, last: listener.last)
            return
        }
        if max(listener.last, listener.progress.first) >= sent {
            listener.progress.since = nil
        } else if listener.last != listener.progress.last || listener.progress.since == nil {
            listener.progress.since = now
        } else if let since = listener.progress.since, since + progressTime < now {
            let what =
                "h\(listener.host) received \(listener.last) of \(listener.place) of h\(target.index), which sent \(sent), "
                + "and no more since \(Trace.text(of: since.nanoseconds))"
            let lost = (max(listener.last, listener.progress.first) + 1...sent).filter { number in
                !target.missed.contains(.init(central: listener.host, place: listener.place, number: number))
            }
            if !lost.isEmpty { missing(lost, listener, what) }
        }
        listener.progress.last = listener.last
    }

    /// True if a device has just closed, or does not send the values of an operation that was cancelled.
    private func isEnding(_ target: SimulatedHost) -> Bool {
        target.hasCancelledValues || target.lastEnding + 10_000_000_000 > now.nanoseconds
            || hosts.contains { $0.lastEnding + 10_000_000_000 > now.nanoseconds && $0.isConnected(to: target.index) }
    }

    /// True if no fault loses a value on a link that lasts. A controller that is reset ends its links without an event.
    private var keepsValues: Bool {
        program.steps.allSatisfy { !$0.verb.isFault || [.reject, .lapse, .delay, .cut, .refuse].contains($0.verb) }
    }

    func breaks(of listener: Listener) -> Int { breaks(listener.host, listener.target) }

    /// The number of ended links between a central and a device, and of packets that one of them has lost.
    func breaks(_ host: Int, _ target: Int) -> Int {
        let (central, device) = (hosts[host], hosts[target])
        // A device cannot relate a private address to a host.
        return central.line.breaks(with: device.deviceAddress)
            + device.line.breaks(with: central.isPrivate ? nil : central.address)
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
        if last > 0, keepsValues, breaks == listener.breaks, breaks == listener.lastBreaks[sender],
            dropped == listener.dropped
        {
            let gap = (last + 1..<stamp.number).filter { log.sender(of: $0, at: listener.place) == sender }
            if !gap.isEmpty { missing(gap, listener, "\(what) after \(last)") }
        }
        listener.last = max(listener.last, stamp.number)
        listener.lastNumbers[sender] = stamp.number
        listener.lastBreaks[sender] = breaks
        listener.breaks = breaks
        listener.dropped = dropped
    }
}
