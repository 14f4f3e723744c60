import BluetoothRuntime
import Harald

extension World {
    /// Starts an action of a central.
    func beginCentral(_ step: Step, _ host: SimulatedHost) -> Bool {
        switch host.door {
        case .harald: break
        case .coreCentral: return beginCoreCentral(step, host)
        case .coreDevice: return false
        }
        switch step.verb {
        case .join: return join(step, host)
        case .cancel: return cancel(host)
        default: break
        }
        guard let central = host.central else { return false }
        switch step.verb {
        case .leave: leave(step, host, central)
        case .scan: scan(step, host, central)
        case .connect, .stay: connect(step, host, central)
        case .visit: return visit(step, host, central)
        default:
            guard let peripheral = host.peripherals[step.target] else { return false }
            return beginPeripheral(step, host, peripheral)
        }
        return true
    }

    // MARK: The central

    private func join(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard host.central == nil, !host.isJoining else { return false }
        host.isJoining = true
        operate(step, limit: .seconds(30)) { [self] operation in
            let central: Central
            do throws(BluetoothError) {
                central = try await Central(adapter: host.adapter, pairing: .justWorks, options: host.options)
            } catch {
                if operation.life == host.life { host.isJoining = false }
                throw error
            }
            guard operation.life == host.life else { return await central.close() }
            host.isJoining = false
            host.central = central
            objects.append(WeakObject(name: "central of \(host.name)", object: central))
        }
        return true
    }

    private func leave(_ step: Step, _ host: SimulatedHost, _ central: Central) {
        host.central = nil
        host.lastEnding = now.nanoseconds
        host.stays = []
        host.peripherals = [:]
        operate(step, limit: closingLimit) { _ in await central.close() }
    }

    private func scan(_ step: Step, _ host: SimulatedHost, _ central: Central) {
        let duration = Duration.milliseconds(step.amount)
        // A device that advertises during the whole scan is found within three advertising intervals of 100 ms.
        let shown = hosts.filter { $0 !== host && isReachable($0) }
        // A scan that joins another one reports the devices that the other has found in the last 5 s.
        let joins = running.contains { $0.step.verb == .scan && $0.step.host == step.host }
        operate(step, limit: duration + .seconds(program.isCalm ? 1 : 20)) { [self] operation in
            var names: [BluetoothAddress: String] = [:]
            defer { check(names, isAll: step.amount >= 1500, of: shown, for: operation, host) }
            for try await found in central.scan(duplicates: step.amount % 2 == 0, duration: duration) {
                guard let address = found.peripheral.address,
                    hosts.contains(where: { $0.deviceAddress == address || $0.twinAddress == address })
                else {
                    fail(.invented, "a scan of h\(step.host) found \(found), which is not a host")
                    return
                }
                checkAdvertises(address, for: operation, joins: joins)
                checkFiller(found.advertisement, for: operation)
                names[address] = found.name ?? names[address] ?? ""
            }
        }
    }

    func isReachable(_ host: SimulatedHost) -> Bool {
        host.isShown && host.isOn && host.hasDevice && host.lastEnding < now.nanoseconds - 1_000_000_000
    }

    /// Checks that a long scan of a calm program has found every device that advertised throughout.
    func check(
        _ names: [BluetoothAddress: String], isAll: Bool, of shown: [SimulatedHost], for operation: Operation,
        _ host: SimulatedHost
    ) {
        let isRefused = host.line.refusals[.scan].map { $0 >= operation.start } ?? false
        let wasDisturbed = isRefused || host.lastEnding >= operation.start.nanoseconds || !host.hasCentral
        guard isAll, program.isCalm, !operation.isCancelled, !wasDisturbed, host.isOn else { return }
        for other in shown where isReachable(other) && other.lastEnding < operation.start.nanoseconds {
            guard let name = names[other.deviceAddress] else {
                return fail(.scan, "'\(operation.step)' has not found h\(other.index), which advertises")
            }
            // The GAP name of a peripheral manager is that of the machine.
            guard other.door != .coreDevice, name != "Device \(other.index)" else { continue }
            fail(.scan, "'\(operation.step)' has '\(name)' for h\(other.index)")
        }
    }

    /// Checks that a device that a scan of a calm program has found was not hidden long before the scan began.
    private func checkAdvertises(_ address: BluetoothAddress, for operation: Operation, joins: Bool) {
        guard program.isCalm else { return }
        for other in hosts where other.door != .coreDevice {
            let isTwin = address == other.twinAddress
            guard isTwin || address == other.deviceAddress else { continue }
            let isChanging = running.contains {
                $0.step.host == other.index && [.show, .open, .close, .twin].contains($0.step.verb)
            }
            let isShown = isTwin ? other.isTwinShown : other.isShown
            let end = (isTwin ? other.twinHiddenSince : other.hiddenSince) + (joins ? .seconds(6) : .seconds(1))
            if !isShown, !isChanging, end < operation.start {
                fail(.scan, "'\(operation.step)' has found \(address) of h\(other.index), which does not advertise")
            }
        }
    }

    private func connect(_ step: Step, _ host: SimulatedHost, _ central: Central) {
        let address = hosts[step.target].deviceAddress
        // The first call decides whether a lost link is reconnected.
        if step.verb == .stay { host.stays.insert(step.target) } else { host.passes.insert(step.target) }
        operate(step, limit: .seconds(11)) { [self] _ in
            var known = host.peripherals[step.target]
            if known == nil { known = await central.peripheral(address: address) }
            guard let peripheral = known, host.central === central else { return }
            if host.peripherals[step.target] == nil {
                host.peripherals[step.target] = peripheral
                objects.append(WeakObject(name: "h\(step.target) as a peripheral of \(host.name)", object: peripheral))
                watch(peripheral, host, step.target)
            }
            try await peripheral.connect(reconnect: step.verb == .stay ? .always : .never)
        }
    }

    private func cancel(_ host: SimulatedHost) -> Bool {
        guard let operation = running.last(where: { $0.step.host == host.index && $0.step.verb.canBeCancelled }) else {
            return false
        }
        operation.isCancelled = true
        if [.notify, .update].contains(operation.step.verb) { host.hasCancelledValues = true }
        lastCancellation = now
        operation.task?.cancel()
        // A cancelled call waits neither for the peer nor for the controller.
        if operation.step.verb.endsWhenCancelled { operation.hasToEnd(by: now + .seconds(1)) }
        return true
    }

    // MARK: A peripheral

    private func beginPeripheral(_ step: Step, _ host: SimulatedHost, _ peripheral: Peripheral) -> Bool {
        switch step.verb {
        case .disconnect:
            host.lastEnding = now.nanoseconds
            host.stays.remove(step.target)
            operate(step, limit: .seconds(60)) { operation in
                // An attempt to connect ends at once, and its link shortly after.
                let wasConnected = peripheral.isConnected
                await peripheral.disconnect()
                if wasConnected, operation.life == host.life { host.disconnected.insert(step.target) }
            }
        case .drop:
            host.lastEnding = now.nanoseconds
            host.stays.remove(step.target)
            host.peripherals[step.target] = nil
        case .discover: discover(step, peripheral)
        case .rssi:
            operate(step, limit: .seconds(6)) { [self] _ in
                let use = LinkUse(peripheral, now)
                try await peripheral.readRSSI()
                check(use, of: step)
            }
        case .read: read(step, peripheral)
        case .write: write(step, peripheral)
        case .command: command(step, peripheral)
        case .pair: pair(step, peripheral)
        case .forget:
            host.lastEnding = now.nanoseconds
            let keys = keysToForget(of: host, with: hosts[step.target].deviceAddress)
            operate(step, limit: .seconds(60)) { [self] operation in
                let isPairing = mayBePairing(host)
                let wasBonded = await peripheral.isBonded
                // Its attributes are forgotten only with a bond.
                if wasBonded || isPairing || mayBePairing(host) { host.forgotten[step.target] = now }
                let hadBond = await peripheral.forgetBond()
                if hadBond, !wasBonded, !isPairing, !mayBePairing(host) {
                    fail(.invented, "'\(step)' has forgotten a bond, and there was none")
                }
                forgot(keys, of: host, in: operation)
            }
        // The PSM of a peripheral manager is another one.
        case .channel, .churn:
            if hosts[step.target].door == .coreDevice { return false }
            if step.verb == .churn { churn(step, peripheral) } else { channel(step, peripheral) }
        case .parameters: parameters(step, peripheral)
        case .phy: phy(step, peripheral)
        case .subscribe: subscribe(step, host, peripheral)
        case .unsubscribe: return unsubscribe(step, host)
        case .hold: hold(step, host, peripheral)
        default: return false
        }
        return true
    }

    private func place(of step: Step) -> Place { Place(rawValue: step.place) ?? .stored }

    private func read(_ step: Step, _ peripheral: Peripheral) {
        let (place, log) = (place(of: step), hosts[step.target].log)
        operate(step, limit: .seconds(41)) { [self] _ in
            let characteristic =
                step.amount == 0
                ? try await peripheral.characteristic(.init(Place.service), .init(place.uuid))
                : try await peripheral.characteristic(.init(place.uuid))
            let start = now
            let use = LinkUse(peripheral, now)
            let value = try await characteristic.read()
            check(use, of: step)
            if place == .secret { checkSecrecy(of: peripheral, step) }
            let isRight =
                place == .notifying ? value.isEmpty || Stamp(value) != nil : log.had(value, at: place, since: start)
            if !isRight { fail(.read, "'\(step)' read \(value), which was never a value of the device") }
        }
    }

    private func write(_ step: Step, _ peripheral: Peripheral) {
        let (place, log) = (place(of: step), hosts[step.target].log)
        writeCount += 1
        let stamp = Stamp(host: step.host, place: place.rawValue, number: writeCount, length: step.amount)
        operate(step, limit: .seconds(41)) { [self] _ in
            let characteristic = try await peripheral.characteristic(.init(Place.service), .init(place.uuid))
            let use = LinkUse(peripheral, now)
            try await characteristic.write(stamp.bytes)
            check(use, of: step)
            if log.arrivals[stamp] != 1 {
                fail(.write, "'\(step)' was acknowledged, and arrived \(log.arrivals[stamp] ?? 0) times")
            }
        }
    }

    private func command(_ step: Step, _ peripheral: Peripheral) {
        writeCount += 1
        let stamp = Stamp(host: step.host, place: Place.sink.rawValue, number: writeCount, length: step.amount)
        operate(step, limit: .seconds(41)) { _ in
            let characteristic = try await peripheral.characteristic(.init(Place.service), .init(Place.sink.uuid))
            try await characteristic.write(stamp.bytes)
        }
    }

    // MARK: Subscriptions

    /// The number that makes a subscriber wait for values for a limited time.
    private static let silent = 4

    private func subscribe(_ step: Step, _ host: SimulatedHost, _ peripheral: Peripheral) {
        guard let place = Place(rawValue: step.place) else { return }
        let listener = Listener(
            host: host.index, target: step.target, place: place,
            stays: host.stays.contains(step.target) && !host.passes.contains(step.target))
        let clock = peripheral.clock
        // A subscription survives a lost link and waits for the next one, which a device that has closed does not
        // accept.
        let mayWait =
            !program.isCalm || host.stays.contains(step.target) && [.close, .leave, .off].contains { program.has($0) }
        operate(step, limit: .seconds(mayWait ? 600 : 65)) { [self] operation in
            let characteristic = try await peripheral.characteristic(.init(Place.service), .init(place.uuid))
            listener.breaks = breaks(of: listener)
            let stream = try await characteristic.subscribe()
            guard operation.life == host.life else { return }
            host.listeners.append(listener)
            listener.state = { [weak peripheral] in peripheral.map { "\($0.state)" } ?? "gone" }
            listener.isConnected = { [weak peripheral] in peripheral?.isConnected ?? false }
            listener.task = task { [self] in
                func heard(_ value: [UInt8]) {
                    self.heard(value, by: listener, dropped: stream.droppedCount)
                    if place == .secret { checkSecrecy(of: peripheral, step) }
                }
                do throws(BluetoothError) {
                    if step.amount == Self.silent {
                        try await receive(stream, limit: .milliseconds(700), clock: clock, step, heard)
                    } else {
                        for try await value in stream { heard(value) }
                    }
                } catch {
                    trace.add(
                        now.nanoseconds, Array("\(error.code)".utf8),
                        "the subscription of h\(host.index) ended: \(error)")
                }
                listener.isOver = true
                host.listeners.removeAll { $0 === listener }
            }
        }
    }

    private func unsubscribe(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard
            let listener = host.listeners.last(where: {
                $0.target == step.target && $0.place.rawValue == step.place && !$0.isCancelled
            })
        else { return false }
        listener.isCancelled = true
        listener.task?.cancel()
        return true
    }
}
