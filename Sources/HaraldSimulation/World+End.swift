import Adapters
import BluetoothRuntime
import Harald

extension World {
    /// Ends all faults and waits for the recovery. Returns false if the world does not recover.
    func recovers() -> Bool {
        isRecovering = true
        room = nil
        for host in hosts { host.noteEndOfFaults() }
        onLoop {
            for host in hosts {
                host.line.lossPercent = 0
                host.line.isMute = false
                host.line.refusedCommand = nil
                host.line.lapse = nil
                controller(host.index)?.faults = .init()
                for link in controller(host.index)?.links ?? [] { link.faults = .init() }
            }
        }
        // A controller that did not answer, or repeatedly reported errors, stays off until it is switched off and on. A
        // dead host may come back until then.
        if program.has(.die) { guard pass(.seconds(6)) else { return false } }
        for step in program.steps where [.stall, .hardware].contains(step.verb) {
            begin(Step(time: 0, host: step.host, verb: .off))
        }
        guard pass(.seconds(2)) else { return false }
        for host in hosts { begin(Step(time: 0, host: host.index, verb: .on)) }
        // Longer than the absence of any dead host.
        guard pass(.seconds(6)) else { return false }
        for host in hosts {
            begin(Step(time: 0, host: host.index, verb: .open))
            begin(Step(time: 0, host: host.index, verb: .join))
            begin(Step(time: 0, host: host.index, verb: .show))
        }
        var missing: [Listener] = []
        for _ in 0..<60 {
            guard pass(.seconds(1)) else { return false }
            missing = hosts.flatMap(\.listeners).filter { listener in
                // A link that the two sides encrypt with different keys ends again and again: a packet was lost, or a
                // host died, before both had stored the keys of a pairing.
                let mayLoseKeys =
                    (program.has(.lose) || program.has(.die))
                    && program.changesKeys(of: [listener.host, listener.target])
                return listener.stays && !listener.isCancelled && !isConnected(listener) && !mayLoseKeys
            }
            if missing.isEmpty { break }
        }
        if let listener = missing.first {
            let state = listener.state()
            fail(.recovery, "h\(listener.host) is not connected to h\(listener.target) again after 60 s: \(state)")
            return false
        }
        return delivers()
    }

    private func isConnected(_ listener: Listener) -> Bool { listener.isConnected() }

    /// Returns true if one more value of each characteristic reaches its listeners, and the devices know no other
    /// subscribers.
    private func delivers() -> Bool {
        guard pass(.seconds(31)) else { return false }
        let listeners = hosts.flatMap(\.listeners).filter { listener in
            let isSlow = hosts[listener.host].listeners.contains { $0.isSlow && $0.target == listener.target }
            return !listener.isCancelled && isConnected(listener) && !isSlow && listener.place != .secret
        }
        let breaks = listeners.map { self.breaks(of: $0) }
        for host in hosts where host.published != nil || host.coreDevice != nil {
            for place in [Place.notifying, .indicating, .both] {
                begin(Step(time: 0, host: host.index, verb: .notify, place: place.rawValue, amount: 1))
            }
        }
        // On a link with long intervals many indications that were sent before take a minute.
        for second in 0..<90 {
            guard pass(.seconds(1)) else { return false }
            let isDone = listeners.allSatisfy { listener in
                listener.last == hosts[listener.target].log.lastNumber(of: listener.place)
            }
            if second >= 4, isDone { break }
        }
        for (listener, breaks) in zip(listeners, breaks) where !listener.isOver && breaks == self.breaks(of: listener) {
            let sent = hosts[listener.target].log.lastNumber(of: listener.place)
            if listener.last != sent {
                fail(
                    .missing,
                    "h\(listener.host) is subscribed to \(listener.place) of h\(listener.target), which sent \(sent), "
                        + "and received \(listener.last)")
                return false
            }
        }
        checkSubscribers()
        return pass(.seconds(1))
    }

    /// Returns true if every central can perform all operations with the device of another host.
    func worksAgain() -> Bool {
        let pairs = hosts.compactMap { host -> (Int, Int)? in
            let target = hosts[(host.index + 1) % hosts.count]
            guard host.hasCentral, target.hasDevice, target.isShown else { return nil }
            return (host.index, target.index)
        }
        func all(_ verb: Verb, _ place: Place? = nil, _ amount: Int = 0) {
            for (host, target) in pairs {
                begin(
                    Step(time: 0, host: host, verb: verb, target: target, place: place?.rawValue ?? 0, amount: amount))
            }
        }
        all(.scan, nil, 500)
        allIsWell = true
        all(.connect)
        guard pass(.seconds(12)) else { return false }
        checkKnownServices()
        let isConnected = pairs.map { hosts[$0].isConnected(to: $1) }
        for (pair, isConnected) in zip(pairs, isConnected) where !isConnected && !program.losesKeys {
            fail(.recovery, "without faults, h\(pair.0) is not connected to h\(pair.1)")
        }
        checkStates()
        all(.discover)
        guard pass(.seconds(10)) else { return false }
        all(.read, .stored)
        all(.write, .long, 300)
        all(.command, nil, 10)
        all(.subscribe, .indicating)
        all(.channel, nil, 2)
        all(.rssi)
        all(.visit)
        guard pass(.seconds(10)) else { return false }
        all(.unsubscribe, .indicating)
        all(.read, .long)
        guard pass(.seconds(10)) else { return false }
        allIsWell = false
        all(.disconnect)
        return pass(.seconds(5))
    }

    /// Checks that centrals know no service that their device has removed long ago, and none twice.
    private func checkKnownServices() {
        for host in hosts {
            for (target, peripheral) in host.peripherals where peripheral.isConnected && !losesPackets {
                let device = hosts[target]
                let services = peripheral.services.map(\.uuid)
                // Both changes during the first discovery of a slow link: the hash is the same before and after, and
                // nothing is announced yet (Documentation/Simulation.md, Limitations).
                let mayBeUnnoticed = program.has(.delay) && device.hasUndoneChange
                let isStale = services.contains(Place.passing) && device.passing == nil && !mayBeUnnoticed
                // The services of a device that was opened again may have the same handles as before.
                guard device.door == .harald, device.changedSince + .seconds(60) < now,
                    isStale || Set(services).count < services.count
                else { continue }
                fail(.read, "h\(host.index) knows the services \(services) of h\(target), long after a change")
            }
        }
    }

    private func checkSubscribers() {
        // A central that detects a change before its announcement does not know which attributes are void, and cannot
        // unsubscribe from them.
        let mayAnnounceLate = program.has(.change) && (program.isPaced || program.has(.delay))
        let keepsSubscriptions = program.steps.contains(where: \.pairs) || mayAnnounceLate
        for host in hosts {
            for place in [Place.notifying, .indicating, .both] {
                let characteristic = host.published?[place.uuid]
                guard characteristic != nil || host.coreDevice != nil else { continue }
                operate(Step(time: 0, host: host.index, verb: .show), limit: .seconds(1)) { [self] _ in
                    var believed = host.coreDevice?.subscribers(of: place) ?? []
                    if let characteristic { believed = Set(await characteristic.subscribers) }
                    // A device has a central with private addresses under one of them.
                    if hosts.contains(where: \.isPrivate) {
                        believed.formIntersection(hosts.filter { !$0.isPrivate }.map { PeripheralID($0.address) })
                    }
                    let real = hosts.filter { central in
                        !central.isPrivate
                            && central.listeners.contains {
                                $0.target == host.index && $0.place == place && isConnected($0)
                            }
                    }
                    let expected = Set(real.map { PeripheralID($0.address) })
                    // A device also keeps the subscriptions of bonded centrals.
                    if keepsSubscriptions ? !expected.isSubset(of: believed) : believed != expected {
                        fail(.subscribers, "\(host.name) has \(believed) for \(place), and it is \(expected)")
                    }
                }
            }
        }
    }

    /// Closes everything and checks that nothing remains.
    func closeAll() {
        isOver = true
        for host in hosts {
            begin(Step(time: 0, host: host.index, verb: .leave))
            begin(Step(time: 0, host: host.index, verb: .close))
            if host.twin != nil { begin(Step(time: 0, host: host.index, verb: .twin)) }
        }
        guard pass(.seconds(60)) else { return }
        if let operation = running.first { return fail(.leftover, "'\(operation.step)' still runs") }
        if let listener = hosts.flatMap(\.listeners).first {
            return fail(.leftover, "h\(listener.host) is still subscribed to \(listener.place) of h\(listener.target)")
        }
        for host in hosts {
            host.peripherals = [:]
            host.published = nil
        }
        guard pass(.seconds(60)) else { return }
        if let object = objects.first(where: { $0.object != nil }) { fail(.leftover, "the \(object.name) is left") }
        onLoop {
            let air = radio.air.value
            if !air.controllers.isEmpty { fail(.leftover, "\(air.controllers.count) controllers are left") }
            if !air.allLinks.isEmpty { fail(.leftover, "\(air.allLinks.count) links are left") }
        }
        if scheduler.loop.nextTimer != nil { fail(.leftover, "a timer is left") }
        let open = AdapterRegistry.shared.openCount - openBefore
        if open > 0 { fail(.leftover, "\(open) adapters are open") }
    }
}
