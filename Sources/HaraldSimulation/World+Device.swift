import BluetoothRuntime
import Harald

extension World {
    /// Starts an action of a device.
    func beginDevice(_ step: Step, _ host: SimulatedHost) -> Bool {
        if host.door == .coreDevice { return beginCoreDevice(step, host) }
        if step.verb == .open { return open(step, host) }
        if step.verb == .twin { return twin(step, host) }
        guard let device = host.device else { return false }
        switch step.verb {
        case .close: close(step, host, device)
        case .hide:
            host.isShown = false
            host.lastEnding = now.nanoseconds
            operate(step, limit: .seconds(11)) { _ in await device.stopAdvertising() }
        case .show:
            host.lastShow = step
            let advertisement = advertisement(of: host, extra: step.amount)
            let isTooLong = step.amount > Self.longestFiller
            if isTooLong {
                host.isShown = false
                host.lastEnding = now.nanoseconds
            }
            // The end of an attempt to connect takes 2 s, an unanswered command and an unanswered reset 5 s each.
            operate(step, limit: .seconds(13)) { _ in
                do throws(BluetoothError) {
                    try await device.advertise(advertisement)
                    host.isShown = host.device === device
                } catch {
                    guard isTooLong, error.code == .controller(.packetTooLong) else { throw error }
                }
            }
        case .kick:
            host.lastEnding = now.nanoseconds
            operate(step, limit: .seconds(11)) { _ in
                for central in await device.centrals { try await device.disconnect(central) }
            }
        case .unbond:
            host.lastEnding = now.nanoseconds
            let keys = keysToForget(of: host, with: nil)
            operate(step, limit: .seconds(60)) { [self] operation in
                let bonds = await device.bonds
                // Its central has the same bonds.
                if !bonds.isEmpty { for other in hosts { host.forgotten[other.index] = now } }
                for bond in bonds { await device.forgetBond(bond.id) }
                forgot(keys, of: host, in: operation)
            }
        case .change: return change(step, host, device)
        case .notify, .update: return send(step, host)
        default: return false
        }
        return true
    }

    private func open(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard host.device == nil, !host.isOpening, !host.isPrivate else { return false }
        host.isOpening = true
        host.changedSince = now
        operate(step, limit: .seconds(60)) { [self] operation in
            defer { if operation.life == host.life { host.isOpening = false } }
            let device = try await LocalPeripheral(
                adapter: host.adapter, name: "Device \(host.index)", address: .randomStatic(host.deviceAddress),
                pairing: SimulatedOwner(), options: host.options)
            objects.append(WeakObject(name: "device of \(host.name)", object: device))
            do throws(BluetoothError) {
                let published = try await device.publish(service(of: host))
                let channels = try await device.publishL2CAPChannel(psm: Place.psm).channels
                _ = task { [self] in await echo(channels) }
                try await device.advertise()
                guard operation.life == host.life else { return await device.close() }
                host.published = published
            } catch {
                await device.close()
                throw error
            }
            host.device = device
            host.changedSince = now
            host.missed = []
            host.isShown = true
        }
        return true
    }

    /// The advertising data of a device; nil for the standard one. More than 31 octets need extended advertising.
    private func advertisement(of host: SimulatedHost, extra: Int) -> AdvertisingData? {
        guard extra > 0 else { return nil }
        var data = AdvertisingData(
            localName: "Device \(host.index)", serviceUUIDs: [Place.service],
            flags: [.generalDiscoverable, .classicNotSupported])
        for start in stride(from: 0, to: extra, by: Self.partLength) {
            data.append(Self.filler(min(extra - start, Self.partLength)))
        }
        return data
    }

    /// The length of the manufacturer data in each structure of a long advertisement.
    private static let partLength = 190
    /// The longest manufacturer data of a connectable advertisement: a single packet of the air has all of it.
    private static let longestFiller = 206

    private static func filler(_ count: Int) -> AdvertisingData.Structure {
        .init(type: .manufacturerSpecificData, data: [0xFF, 0xFF] + (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    /// Checks that the manufacturer data of an advertisement is that of a device.
    func checkFiller(_ data: AdvertisingData, for operation: Operation) {
        let parts = data.structures.filter { $0.type == .manufacturerSpecificData }
        let isRight = zip(parts, 1...).allSatisfy { part, number in
            part == Self.filler(number == parts.count ? part.data.count - 2 : Self.partLength)
        }
        if !isRight || !data.malformedTail.isEmpty {
            fail(.invented, "'\(operation.step)' has found the advertisement \(data), which no device has sent")
        }
    }

    /// Opens a second device, or closes it. With a number it has the adapter's address, and does not advertise: it
    /// would not be accessible on a link that the host began as a central.
    private func twin(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard !host.isTwinBusy, host.door != .coreDevice, !host.isPrivate else { return false }
        host.isTwinBusy = true
        if let twin = host.twin {
            host.twin = nil
            host.isTwinShown = false
            host.lastEnding = now.nanoseconds
            operate(step, limit: .seconds(60)) { operation in
                await twin.close()
                if operation.life == host.life { host.isTwinBusy = false }
            }
            return true
        }
        operate(step, limit: .seconds(60)) { [self] operation in
            defer { if operation.life == host.life { host.isTwinBusy = false } }
            let isHidden = step.amount > 0
            let twin = try await LocalPeripheral(
                adapter: host.adapter, name: "Twin \(host.index)",
                address: isHidden ? .public : .randomStatic(host.twinAddress), pairing: SimulatedOwner(),
                options: host.options)
            objects.append(WeakObject(name: "second device of \(host.name)", object: twin))
            do throws(BluetoothError) {
                try await twin.publish(
                    ServiceDefinition(
                        Place.service,
                        [CharacteristicDefinition(Place.stored.uuid, .read, value: host.twinValue)]))
                if !isHidden { try await twin.advertise() }
                guard operation.life == host.life, !isOver else { return await twin.close() }
            } catch {
                await twin.close()
                throw error
            }
            host.twin = twin
            host.isTwinShown = !isHidden
        }
        return true
    }

    private func service(of host: SimulatedHost) -> ServiceDefinition {
        let log = host.log
        return ServiceDefinition(
            Place.service,
            Place.allCases.map { place in
                var definition = CharacteristicDefinition(place.uuid, place.properties)
                switch place {
                case .stored, .long:
                    definition.onRead = { _ in log.value(of: place) }
                    definition.onWrite = { [weak self] in self?.note($0.value, at: place, of: host.index) }
                case .secret:
                    definition.onRead = { _ in log.value(of: place) }
                    definition.properties.insert(.notifyEncryptionRequired)
                    definition.permissions = [.readable, .readEncryptionRequired]
                case .sink: definition.onWrite = { [weak self] in self?.note($0.value, at: place, of: host.index) }
                case .notifying, .indicating, .both: break
                }
                return definition
            })
    }

    /// Echoes the messages on each channel.
    private func echo(_ channels: BluetoothStream<L2CAPChannel>) async {
        do throws(BluetoothError) {
            for try await channel in channels {
                objects.append(WeakObject(name: "channel of a device", object: channel))
                _ = task {
                    do throws(BluetoothError) {
                        for try await message in channel.messages { try await channel.send(message) }
                    } catch {
                        // The link or the channel has ended.
                    }
                }
            }
        } catch {
            // The device was closed.
        }
    }

    func note(_ value: [UInt8], at place: Place, of host: Int) {
        trace.add(now.nanoseconds, value, "h\(host) \(place) is written")
        if let invariant = hosts[host].log.written(value, to: place) {
            fail(invariant, "\(place) of h\(host) was written with \(value)")
        }
    }

    private func close(_ step: Step, _ host: SimulatedHost, _ device: LocalPeripheral) {
        host.device = nil
        host.published = nil
        host.passing = nil
        host.isShown = false
        host.isOpening = true
        host.lastEnding = now.nanoseconds
        operate(step, limit: closingLimit) { operation in
            await device.close()
            if operation.life == host.life { host.isOpening = false }
        }
    }

    /// The time limit for closing a central or a device. An adapter waits up to two seconds for the end of its links,
    /// which takes less where peers and controllers answer and links have short intervals.
    var closingLimit: Duration {
        let isQuick = program.isCalm && !program.isPaced && !program.has(.hold) && !program.has(.lapse)
        return isQuick ? .milliseconds(1500) : .seconds(60)
    }

    private func change(_ step: Step, _ host: SimulatedHost, _ device: LocalPeripheral) -> Bool {
        let isUndone = host.passing != nil && now < host.changedSince + .seconds(60)
        host.changedSince = now
        if let passing = host.passing {
            host.passing = nil
            if isUndone { host.hasUndoneChange = true }
            operate(step, limit: .seconds(5)) { _ in await device.unpublish(passing) }
        } else {
            operate(step, limit: .seconds(5)) { _ in
                let passing = try await device.publish(
                    ServiceDefinition(Place.passing, [CharacteristicDefinition(0x2A00, .read, value: [1])]))
                host.changedSince = host.line.now
                if host.device === device { host.passing = passing }
            }
        }
        return true
    }

    /// The time limit of a step that sends values. A subscriber that makes no progress delays a value by a second; one
    /// that is slow delays it more, also where it becomes slow meanwhile. An indication without confirmation ends the
    /// link after 30 s; a peripheral manager whose only subscriber confirms none has no room until then.
    func sendingLimit(_ step: Step) -> Duration {
        let soon = now + .seconds(60)
        let isSlow =
            program.isPaced
            || program.steps.contains {
                let delays =
                    $0.verb == .delay || $0.verb == .hold && $0.target == step.host
                    || $0.verb == .mute && step.host == program.coreDevice
                return delays && .start + .milliseconds($0.time) < soon
            }
        return .seconds(isSlow ? 600 : step.verb == .update ? 35 * step.amount + 35 : 20)
    }

    /// Sends values one after the other. `notify` only enqueues each of them, `update` waits for the result of each.
    private func send(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard let place = Place(rawValue: step.place), let published = host.published?[place.uuid] else { return false }
        let log = host.log
        operate(step, limit: sendingLimit(step)) { [self] operation in
            for _ in 0..<step.amount {
                let stamp = log.next(of: place, for: operation.number)
                if step.verb == .notify {
                    try await published.update(stamp.bytes)
                } else {
                    let start = now
                    check(try await published.updateEach(stamp.bytes), of: step, since: start)
                }
            }
        }
        return true
    }
}
