/// Sequences of steps that random choices seldom produce.
extension Program {
    /// Adds sequences, and extends the program to their end: the given number, else up to eight to three of four
    /// programs.
    mutating func addScenarios(_ count: ClosedRange<Int>? = nil) {
        var generator = SimulationGenerator(seed: seed, for: "scenarios")
        guard count != nil || !generator.once(in: 4) else { return }
        let isCalm = isCalm && (count == nil || generator.once(in: 2))
        for _ in 0..<Int.random(in: count ?? 1...8, using: &generator) {
            let host = generator.below(hosts)
            let other = (host + 1 + generator.below(hosts - 1)) % hosts
            let time = generator.below(seconds * 1000)
            switch generator.below(24) {
            case 0: restart(host, other, at: time, isCalm, &generator)
            case 1 where !isCalm: stall(host, other, at: time, &generator)
            case 2: interruptLongWrites(host, other, at: time, isCalm, &generator)
            case 3: changeEarly(host, other, at: time, &generator)
            case 4: forget(host, other, at: time, &generator)
            case 5: hide(host, other, at: time, &generator)
            case 6 where !isCalm: openWithoutAnswer(host, other, at: time)
            case 7 where !isCalm: reconnectSlowly(host, other, at: time, &generator)
            case 8: changeWhileConnecting(host, other, at: time, isCalm, &generator)
            case 9: powerOff(host, other, at: time, &generator)
            case 10: overflow(host, other, at: time, &generator)
            case 11: scanAgain(host, other, at: time, &generator)
            case 12 where hosts > 2: connectToMany(host, at: time)
            case 13: refuse(host, other, at: time, &generator)
            case 14: cancelWithLapse(host, other, at: time, &generator)
            case 15: endUnconfirmed(host, other, at: time, isCalm, &generator)
            case 16: useWhileChecking(host, other, at: time, isCalm, &generator)
            case 17 where !isCalm: overflowSlowly(host, other, at: time, &generator)
            case 18: lapse(host, at: time, &generator)
            case 20: exhaustChannels(host, other, at: time)
            case 19 where hosts > 2: changeAttempts(host, at: time, &generator)
            case 21 where hosts > 2: glimpse(host, at: time, &generator)
            case 22: cancelAtOnce(host, other, at: time, &generator)
            default: updateHeld(host, other, at: time, &generator)
            }
        }
        steps.sort { $0.time < $1.time }
        seconds = max(seconds, (steps.last?.time ?? 0) / 1000 + 1)
    }

    private mutating func add(
        _ time: Int, _ host: Int, _ verb: Verb, to target: Int = 0, _ place: Place? = nil, _ amount: Int = 0
    ) {
        steps.append(
            Step(time: time, host: host, verb: verb, target: target, place: place?.rawValue ?? 0, amount: amount))
    }

    /// A host closes everything, and opens it again shortly afterwards, often while links to a silent host still end.
    private mutating func restart(
        _ host: Int, _ other: Int, at time: Int, _ isCalm: Bool, _ generator: inout SimulationGenerator
    ) {
        if !isCalm, generator.once(in: 2) {
            add(max(time - generator.below(1500), 0), other, .silence)
            add(time + 10_000, other, .hear)
        }
        let pause = generator.below(3000)
        for verb in [Verb.leave, .close] { add(time, host, verb) }
        for verb in [Verb.join, .open] { add(time + pause, host, verb) }
    }

    /// A subscriber sends no confirmations while the device sends more values than its queue holds.
    private mutating func stall(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, host, .stay, to: other)
        add(time + 2000, host, .subscribe, to: other, .indicating)
        add(time + 4000, host, .mute, nil, 1)
        add(time + 4500, other, .notify, .indicating, 100 + generator.below(100))
        add(time + 4500 + generator.below(3000), other, .update, generator.once(in: 2) ? .indicating : .both, 2)
        add(time + 45_000, host, .mute, nil, 0)
    }

    /// Long values are written one after the other, and one of the writes ends early or is cancelled.
    private mutating func interruptLongWrites(
        _ host: Int, _ other: Int, at time: Int, _ isCalm: Bool, _ generator: inout SimulationGenerator
    ) {
        add(time, host, .stay, to: other)
        for index in 0..<4 {
            let length = generator.once(in: 3) ? 512 : 300 + generator.below(213)
            add(time + 2000 + 300 * index, host, .write, to: other, .long, length)
        }
        let verbs: [Verb] = isCalm ? [.cancel] : [.cancel, .cut, .cutlater]
        add(time + 2000 + generator.below(1200), host, generator.one(of: verbs), nil, 1 + generator.below(20))
        add(time + 4000, host, .read, to: other, .long)
        add(time + 6000, host, .write, to: other, .long, 512)
        add(time + 9000, host, .read, to: other, .long)
    }

    /// The attributes change while a central discovers them, or just after that.
    private mutating func changeEarly(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, host, .connect, to: other)
        add(time + generator.below(600), other, .change)
        add(time + 3000, host, .discover, to: other)
        add(time + 3000 + generator.below(600), other, .change)
        add(time + 12_000, host, .discover, to: other)
    }

    /// Keys are forgotten after a pairing, and values that require them are read on the next link.
    private mutating func forget(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, host, .stay, to: other)
        add(time + 2000, host, .pair, to: other)
        if generator.once(in: 2) {
            add(time + 5000, host, .forget, to: other)
        } else {
            add(time + 5000, other, .unbond)
        }
        add(time + 6000, host, .disconnect, to: other)
        add(time + 8000, host, .connect, to: other)
        add(time + 9000, host, .read, to: other, .secret)
    }

    /// A device ends advertising long before a scan, sometimes with extended advertising.
    private mutating func hide(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, other, .show, nil, generator.once(in: 2) ? 0 : 40 + generator.below(150))
        add(time + 1000, other, generator.once(in: 2) ? .hide : .close)
        add(time + 9000, host, .scan, nil, 2000)
        add(time + 12_000, other, .open)
        add(time + 12_500, other, .show)
    }

    /// A central holds confirmations while the device waits for the outcome of each value.
    private mutating func updateHeld(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, host, .connect, to: other)
        add(time + 2000, host, .hold, to: other, nil, generator.below(500))
        add(time + 4000, other, .update, generator.once(in: 2) ? .indicating : .both, 4)
    }

    /// The answer to the request for a channel is lost.
    private mutating func openWithoutAnswer(_ host: Int, _ other: Int, at time: Int) {
        add(time, host, .connect, to: other)
        add(time + 4000, host, .lose, nil, 100)
        add(time + 4001, host, .channel, to: other, nil, 1)
        add(time + 20_000, host, .lose)
    }

    /// Attributes were discovered, and after the loss of the link the check of them takes longer than its timeout.
    private mutating func reconnectSlowly(
        _ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator
    ) {
        add(time, host, .stay, to: other)
        add(time + 2000, host, generator.once(in: 2) ? .command : .discover, to: other, nil, 10)
        add(time + 5500, other, .delay, nil, 500 + generator.below(1400))
        add(time + 6000, other, .kick)
        for second in [20, 30, 40, 50] {
            add(time + second * 1000 + generator.below(9000), host, .read, to: other, .stored)
        }
        add(time + 60_000, other, .delay)
    }

    /// The attributes change while the subscription to Service Changed is in flight, and a value follows.
    private mutating func changeWhileConnecting(
        _ host: Int, _ other: Int, at time: Int, _ isCalm: Bool, _ generator: inout SimulationGenerator
    ) {
        add(time, host, .stay, to: other)
        add(time + 3000, host, .subscribe, to: other, .notifying)
        if !isCalm { add(time + 5000, other, .delay, nil, 100 + generator.below(1900)) }
        add(time + 8000, isCalm ? other : host, isCalm ? .kick : .cut)
        let pause = generator.below(isCalm ? 1000 : 14_000)
        add(time + 8000 + pause, other, .change)
        if generator.once(in: 2) { add(time + 8500 + pause, other, .change) }
        add(time + 40_000, other, .notify, .notifying, 2)
    }

    /// The adapter is off until the pauses between attempts to reconnect are long, while a caller waits for the link.
    private mutating func powerOff(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, host, .stay, to: other)
        add(time + 3000, host, .off)
        let end = time + 30_000 + generator.below(30_000)
        add(end, host, .on)
        add(end + 6000 + generator.below(8000), host, .connect, to: other)
    }

    /// A device sends more values than the queues of a subscriber hold, and then waits for the outcome of others.
    private mutating func overflow(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        let place = generator.one(of: [.notifying, .indicating] as [Place])
        add(time, host, .connect, to: other)
        add(time + 2000, host, .parameters, to: other, nil, 39)
        add(time + 4000, host, .subscribe, to: other, place)
        add(time + 6000, other, .notify, place, 66 + generator.below(134))
        add(time + 6000 + generator.below(20), other, .update, place, 1 + generator.below(3))
    }

    /// A device with a long advertisement ends advertising, and scans begin before and after that, some of them while
    /// others run.
    private mutating func scanAgain(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, other, .show, nil, 191 + generator.below(16))
        if generator.once(in: 2) {
            for _ in 0..<3 { add(time + 1500 + generator.below(2500), host, .scan, nil, 100 + generator.below(2000)) }
        } else {
            // One after the other, many of which end between two parts of the advertisement.
            for index in 0..<6 { add(time + 1000 + 500 * index, host, .scan, nil, 150 + generator.below(300)) }
        }
        add(time + 4000 + generator.below(1000), other, generator.once(in: 2) ? .hide : .show)
        add(time + 7000 + generator.below(1500), host, .scan, nil, 2000 + generator.below(1000))
        add(time + 14_000, other, .show)
    }

    /// A controller refuses to scan while a connection is pending, or the connection that follows.
    private mutating func refuse(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator) {
        add(time, other, .hide)
        add(time + 2000, host, .connect, to: other)
        add(time + 3000, host, .reject, nil, 1 + generator.below(RefusableCommand.allCases.count))
        add(time + 3500, host, .scan, nil, 1000)
        add(time + 6000, other, .show)
        add(time + 20_000, host, .connect, to: other)
    }

    /// An attempt to connect is cancelled, its controller does not report that in time, and another attempt begins.
    private mutating func cancelWithLapse(
        _ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator
    ) {
        add(time, other, .hide)
        // A device that was hidden shortly before explains a timeout.
        let start = time + (generator.once(in: 2) ? 2000 : 6500)
        add(start - 500, host, .lapse, nil, ControllerLapse.cancellation.rawValue)
        add(start, host, .connect, to: other)
        add(start + generator.below(1500), host, .cancel)
        for _ in 0...generator.below(3) { add(start + 1500 + generator.below(3000), host, .connect, to: other) }
        if generator.once(in: 2) { add(start + 2000 + generator.below(3000), host, .cancel) }
        add(start + 2000 + generator.below(4000), other, .show)
        add(start + 7000, host, .stay, to: other)
    }

    /// A link ends while an indication on it is not confirmed and the device waits for its outcome.
    private mutating func endUnconfirmed(
        _ host: Int, _ other: Int, at time: Int, _ isCalm: Bool, _ generator: inout SimulationGenerator
    ) {
        add(time, host, .stay, to: other)
        if !isCalm, generator.once(in: 2) {
            add(time + 2000, host, .subscribe, to: other, .indicating)
            add(time + 4000, host, .mute, nil, 1)
            add(time + 12_000, host, .mute, nil, 0)
        } else {
            add(time + 2000, host, .hold, to: other, nil, 300 + generator.below(200))
        }
        let end = time + 4500 + generator.below(2000)
        add(time + 4500, other, .update, generator.once(in: 2) ? .indicating : .both, 2 + generator.below(6))
        let verbs: [Verb] = isCalm ? [.kick, .off] : [.kick, .off, .cut, .die]
        let verb = generator.one(of: verbs)
        if generator.once(in: 3) { add(end, host, .disconnect, to: other) } else { add(end, other, verb, nil, 2000) }
        if verb == .off { add(end + 3000, other, .on) }
    }

    /// A lost link is established again, and operations begin while the attributes are being checked, which may have
    /// changed meanwhile.
    private mutating func useWhileChecking(
        _ host: Int, _ other: Int, at time: Int, _ isCalm: Bool, _ generator: inout SimulationGenerator
    ) {
        add(time, host, .stay, to: other)
        add(time + 2000, host, .discover, to: other)
        let delay = isCalm ? 0 : generator.below(400)
        if delay > 0 { add(time + 4900, other, .delay, nil, delay) }
        add(time + 5000, other, .kick)
        // Attributes that are the same as before need no check over the link.
        if !generator.once(in: 4) { add(time + 5000 + generator.below(3), other, .change) }
        for _ in 0..<6 {
            let verb = generator.one(of: [.read, .read, .write, .rssi] as [Verb])
            let when = time + 5000 + generator.below(delay > 0 ? 6000 : 400)
            add(when, host, verb, to: other, verb == .rssi ? nil : .stored, verb == .write ? 10 : 0)
        }
        if delay > 0 { add(time + 20_000, other, .delay) }
    }

    /// A subscriber receives so slowly that the device does not wait for it, and drops values that do not fit into its
    /// queue.
    private mutating func overflowSlowly(
        _ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator
    ) {
        let place = generator.one(of: [.notifying, .notifying, .indicating] as [Place])
        add(time, host, .stay, to: other)
        add(time + 2000, host, .subscribe, to: other, place)
        add(time + 4000, other, .notify, place, 2)
        add(time + 5000, host, .delay, nil, 1100 + generator.below(900))
        for index in 0..<3 { add(time + 6000 + 1500 * index, other, .notify, place, 100 + generator.below(100)) }
        add(time + 30_000, host, .delay)
        add(time + 40_000, other, .notify, place, 3)
    }

    /// Channels are opened and closed one after the other, more than a link has identifiers for, and more data is sent
    /// than there are credits for.
    private mutating func exhaustChannels(_ host: Int, _ other: Int, at time: Int) {
        add(time, host, .stay, to: other)
        for count in [7, 7, 6] { add(time + 2000, host, .channel, to: other, nil, count) }
        add(time + 5000, host, .churn, to: other, nil, 70)
        add(time + 20_000, host, .channel, to: other, nil, 5)
    }

    /// A host waits for several devices, and the set of devices changes while its controller is slow to accept
    /// commands.
    private mutating func changeAttempts(_ host: Int, at time: Int, _ generator: inout SimulationGenerator) {
        let others = (0..<hosts).filter { $0 != host }
        for other in others { add(time, other, .hide) }
        for (index, other) in others.enumerated() { add(time + 2000 + 500 * index, host, .connect, to: other) }
        let last = time + 2000 + 500 * others.count
        add(last - 501, host, .lapse, nil, ControllerLapse.credit.rawValue)
        add(last - 500 + generator.below(600), host, .cancel)
        if generator.once(in: 2) { add(last - 500 + generator.below(600), host, .connect, to: others[0]) }
        for other in others { add(last + 500, other, .show) }
    }

    /// A host waits for several devices, one of which advertises only for a moment. A controller without a filter
    /// accept list then waits for that one, and has to return to the others.
    private mutating func glimpse(_ host: Int, at time: Int, _ generator: inout SimulationGenerator) {
        let others = (0..<hosts).filter { $0 != host }.shuffled(using: &generator)
        if generator.once(in: 2) { (isOld, isPaced) = (true, true) }
        for other in others { add(time, other, .hide) }
        // A device that was hidden shortly before explains a timeout.
        for other in others { add(time + 6500, host, .connect, to: other) }
        add(time + 7000, others[0], .show)
        add(time + 7000 + generator.below(100), others[0], .hide)
        for other in others.dropFirst() { add(time + 10_300 + generator.below(800), other, .show) }
        add(time + 19_000, others[0], .show)
    }

    /// Scans and attempts to connect are cancelled while they begin.
    private mutating func cancelAtOnce(_ host: Int, _ other: Int, at time: Int, _ generator: inout SimulationGenerator)
    {
        add(time, other, .hide)
        for index in 0..<6 {
            let start = time + 2000 + 4000 * index
            if generator.once(in: 2) {
                add(start, host, .scan, nil, 5000)
            } else {
                add(start, host, .connect, to: other)
            }
            // A controller that is slow to accept commands begins later.
            let isSlow = generator.once(in: 2)
            if isSlow { add(start, host, .lapse, nil, ControllerLapse.credit.rawValue) }
            add(start + generator.below(isSlow ? 400 : 4), host, .cancel)
        }
        add(time + 30_000, other, .show)
    }

    /// Controllers delay attempts to connect to several devices, or commands.
    private mutating func lapse(_ host: Int, at time: Int, _ generator: inout SimulationGenerator) {
        for index in 0..<3 {
            add(time + 4000 * index, host, .lapse, nil, 1 + generator.below(ControllerLapse.allCases.count))
            for other in 0..<hosts where other != host {
                let verb = generator.one(of: [.connect, .stay, .visit] as [Verb])
                add(time + 4000 * index + 500, host, verb, to: other)
            }
            if generator.once(in: 2) { add(time + 4000 * index + 700 + generator.below(3000), host, .cancel) }
            if generator.once(in: 2) { add(time + 4000 * index + 1500, host, .scan, nil, 500) }
        }
    }

    /// A host connects to all others at once.
    private mutating func connectToMany(_ host: Int, at time: Int) {
        for other in 0..<hosts where other != host { add(time, host, .connect, to: other) }
    }
}
