import BluetoothModel
import BluetoothRuntime
import Harald

/// Checks of the results of operations.
extension World {
    // MARK: Attributes

    /// Discovers all attributes of a device, and checks that they are those of the device.
    func discover(_ step: Step, _ peripheral: Peripheral) {
        let target = hosts[step.target]
        operate(step, limit: .seconds(31)) { [self] operation in
            let services = try await peripheral.discoverAll()
            guard target.life == 0, peripheral.isConnected else { return }
            // The services of a peripheral manager end with a reset.
            let mayBeWithout = target.door == .coreDevice && !program.isCalm
            let main = services.filter { $0.uuid == Place.service }
            if main.isEmpty, mayBeWithout { return }
            // Each device has the services GAP and GATT too.
            let all = services.map(\.uuid)
            guard all.count == Set(all).count, Set(all).isSuperset(of: [0x1800, 0x1801]) else {
                return fail(.read, "'\(step)' discovered the services \(all)")
            }
            let found = main.flatMap(\.characteristics)
            guard found.map(\.uuid) == Place.allCases.map(\.uuid) else {
                return fail(.read, "'\(step)' discovered \(found.map(\.uuid)) in \(main.count) services")
            }
            for (characteristic, place) in zip(found, Place.allCases)
            where characteristic.properties.intersection(place.properties) != place.properties {
                fail(.read, "'\(step)' discovered \(place) with the properties \(characteristic.properties)")
            }
            checkPassing(services, of: target, for: operation)
        }
    }

    /// Checks the service that a device adds and removes, unless that was shortly before.
    private func checkPassing(_ services: [Service], of target: SimulatedHost, for operation: Operation) {
        // Confirmations that are held delay the indication of the change.
        let isHeld = program.steps.contains {
            $0.verb == .hold && $0.host == operation.step.host && $0.target == target.index
        }
        guard program.isCalm, target.device != nil, !isHeld, target.changedSince + .seconds(5) < operation.start
        else { return }
        let count = services.count { $0.uuid == Place.passing }
        guard count != (target.passing == nil ? 0 : 1) else { return }
        fail(.read, "'\(operation.step)' discovered \(count) passing services; h\(target.index) had changed before")
    }

    /// Pairs, and checks that the link is encrypted afterwards.
    func pair(_ step: Step, _ peripheral: Peripheral) {
        operate(step, limit: .seconds(61)) { [self] _ in
            let security = try await peripheral.pair()
            if security.level < .encrypted { fail(.secrecy, "'\(step)' has reached \(security)") }
            checkSecrecy(of: peripheral, step)
        }
    }

    /// Checks that the link over which a value that requires encryption has arrived is encrypted.
    func checkSecrecy(of peripheral: Peripheral, _ step: Step) {
        guard peripheral.isConnected, peripheral.security.level < .encrypted else { return }
        fail(.secrecy, "'\(step)' received a value on a link that is \(peripheral.security.level)")
    }

    // MARK: Updates

    /// Checks that in a calm program a value has reached each subscriber, unless a link may have ended.
    func check(
        _ outcomes: [PeripheralID: Result<Void, BluetoothError>], of step: Step, since start: RadioInstant
    ) {
        guard program.isCalm, step.place != Place.secret.rawValue, !mayHaveEndedALink(since: start) else { return }
        // A subscriber that does not know of a change yet gets no values, and the queue of one that confirms late may
        // be full.
        let mayBeFull = program.steps.contains {
            $0.verb == .change && $0.host == step.host || $0.verb == .hold && $0.target == step.host
        }
        for case (let central, .failure(let error)) in outcomes {
            if error.code == .limitReached, mayBeFull { continue }
            fail(.missing, "a value of '\(step)' has not reached \(central): \(error.code): \(error)")
        }
    }

    /// True if a step may have ended a link since shortly before `start`.
    private func mayHaveEndedALink(since start: RadioInstant) -> Bool {
        let early = start + (.zero - .seconds(10))
        if let lastCancellation, lastCancellation > early { return true }
        if hosts.contains(where: { $0.lastEnding >= early.nanoseconds }) { return true }
        return program.losesKeys
    }

    // MARK: Keys

    /// The keys that the beginning removal of bonds affects; none while a pairing may replace them, or may not have
    /// reached its end at this side: the keys on their way become a bond afterwards.
    func keysToForget(of host: SimulatedHost, with peer: BluetoothAddress?) -> Set<KeyLog.Key> {
        mayBePairing(host) ? [] : host.line.keys.keys(of: peer)
    }

    /// True while a pairing of a host may be in progress at one of its sides. It continues without the operation that
    /// began it, and a side receives at most eight packets of it, each of which may be delayed.
    func mayBePairing(_ host: SimulatedHost) -> Bool {
        let isRunning = running.contains { $0.step.pairs && [$0.step.host, $0.step.target].contains(host.index) }
        return isRunning || host.lastPairing.map { $0 + (.seconds(5) + program.longestDelay * 8) > now } ?? false
    }

    /// Records that a host has forgotten the keys. After a full disk bonds are removed only in memory: an adapter that
    /// is opened again has those of the file.
    func forgot(_ keys: Set<KeyLog.Key>, of host: SimulatedHost, in operation: Operation) {
        if operation.life == host.life, tally[.full] == nil { host.line.keys.forget(keys) }
    }
}
