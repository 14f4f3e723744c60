#if os(Linux)
import BluetoothRuntime
@preconcurrency import CoreBluetooth
import Harald

/// The actions of a central whose front door is CoreBluetooth. CoreBluetooth has no verbs for pairing, forgetting keys,
/// physical layers and parameters, and its requests have neither timeouts nor a way to cancel them.
extension World {
    /// Makes managers deliver on the thread of the world.
    static func takeOverMailboxes() {
        MailboxExecutor.current.withLock { $0 = { body in Task { body() } } }
    }

    func beginCoreCentral(_ step: Step, _ host: SimulatedHost) -> Bool {
        switch step.verb {
        case .join: return coreJoin(step, host)
        case .leave:
            guard let central = host.coreCentral else { return false }
            host.lastEnding = now.nanoseconds
            for listener in host.listeners { listener.isCancelled = true }
            host.listeners = []
            host.coreCentral = nil
            central.end()
            return true
        default: break
        }
        guard let central = host.coreCentral as? CoreBluetoothCentral else { return false }
        switch step.verb {
        case .scan: return coreScan(step, host, central)
        case .connect, .stay: coreConnect(step, host, central)
        case .cancel: return coreCancel(host, central)
        default:
            guard let device = central.peripherals[step.target] else { return false }
            return beginCorePeripheral(step, host, central, device)
        }
        return true
    }

    private func coreJoin(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard host.coreCentral == nil, !host.isJoining else { return false }
        let central = CoreBluetoothCentral(host, self)
        host.coreCentral = central
        objects.append(WeakObject(name: "central of \(host.name)", object: central))
        if let manager = central.manager {
            objects.append(WeakObject(name: "central manager of \(host.name)", object: manager))
        }
        operate(step, limit: .seconds(30)) { _ in await central.waitForState() }
        return true
    }

    private func coreScan(_ step: Step, _ host: SimulatedHost, _ central: CoreBluetoothCentral) -> Bool {
        // A manager has one scan.
        guard central.isReady, central.found == nil else { return false }
        let duration = Duration.milliseconds(step.amount)
        let shown = hosts.filter { $0 !== host && isReachable($0) }
        operate(step, limit: duration + .seconds(1)) { [self] operation in
            central.found = [:]
            let allowsDuplicates = [CBCentralManagerScanOptionAllowDuplicatesKey: step.amount % 2 == 0]
            central.manager?.scanForPeripherals(withServices: nil, options: allowsDuplicates)
            await scheduler.sleep(duration)
            let found = central.found ?? [:]
            central.found = nil
            guard central.isReady else {
                throw BluetoothError(.radio(.poweredOff), operation: "scan", reason: "the adapter is not powered on")
            }
            central.manager?.stopScan()
            var names: [BluetoothAddress: String] = [:]
            let twins = hosts.map { PeripheralID($0.twinAddress).description }
            for (identifier, name) in found where !twins.contains(identifier.uuidString) {
                guard let other = hosts.first(where: { CoreBluetoothCentral.identifier($0) == identifier }) else {
                    return fail(.invented, "a scan of h\(step.host) found \(identifier), which is no host")
                }
                names[other.deviceAddress] = name
            }
            check(names, isAll: step.amount >= 1500, of: shown, for: operation, host)
        }
        return true
    }

    private func coreConnect(_ step: Step, _ host: SimulatedHost, _ central: CoreBluetoothCentral) {
        if step.verb == .stay { central.stays.insert(step.target) }
        operate(step, limit: .seconds(12)) { [self] operation in
            guard central.isReady else {
                throw BluetoothError(.radio(.poweredOff), operation: "connect", reason: "the adapter is not powered on")
            }
            guard let identifier = CoreBluetoothCentral.identifier(hosts[step.target]) else { return }
            if central.peripherals[step.target] == nil {
                guard let device = central.manager?.retrievePeripherals(withIdentifiers: [identifier]).first else {
                    throw BluetoothError(.notFound, operation: "retrieve", reason: "the device is not known")
                }
                device.delegate = central
                central.peripherals[step.target] = device
                objects.append(WeakObject(name: "h\(step.target) as a peripheral of \(host.name)", object: device))
            }
            guard let device = central.peripherals[step.target], device.state != .connected else { return }
            // It has no timeout, so the program cancels it, except for connections that are kept.
            _ = task { [self] in
                await scheduler.sleep(.seconds(10))
                guard operation.end == nil else { return }
                let reason = BluetoothError(.timeout, operation: "connect", reason: "no answer in 10 s")
                if !central.stays.contains(step.target), central.isReady {
                    central.manager?.cancelPeripheralConnection(device)
                }
                central.finish(device, .connect, .failure(reason))
            }
            try await central.ask(device, .connect) { central.manager?.connect(device) }
        }
    }

    /// Cancels the newest attempt to connect, which ends at once.
    private func coreCancel(_ host: SimulatedHost, _ central: CoreBluetoothCentral) -> Bool {
        guard
            let operation = running.last(where: {
                $0.step.host == host.index && [.connect, .stay].contains($0.step.verb)
            }), let device = central.peripherals[operation.step.target], device.state == .connecting, central.isReady
        else { return false }
        for other in running where other.step.target == operation.step.target && other.step.host == host.index {
            other.isCancelled = true
        }
        central.stays.remove(operation.step.target)
        forgetListeners(of: host, to: operation.step.target)
        central.manager?.cancelPeripheralConnection(device)
        operation.hasToEnd(by: now + .seconds(1))
        return true
    }

    /// Removes the subscriptions to a device to which the program does not connect again.
    private func forgetListeners(of host: SimulatedHost, to target: Int) {
        for listener in host.listeners where listener.target == target { listener.isCancelled = true }
        host.listeners.removeAll { $0.target == target }
    }

    /// Requests have no timeout: the 30 s of ATT apply to each of the requests of which one consists.
    private var patience: Duration { .seconds(program.isCalm ? 45 : 600) }

    private func beginCorePeripheral(
        _ step: Step, _ host: SimulatedHost, _ central: CoreBluetoothCentral, _ device: CBPeripheral
    ) -> Bool {
        let place = Place(rawValue: step.place) ?? .stored
        switch step.verb {
        case .disconnect, .drop:
            host.lastEnding = now.nanoseconds
            central.stays.remove(step.target)
            forgetListeners(of: host, to: step.target)
            if step.verb == .drop {
                central.finish(device, .connect, .failure(.cancelled))
                central.peripherals[step.target] = nil
                return true
            }
            guard central.isReady, [.connected, .connecting].contains(device.state) else { return false }
            operate(step, limit: .seconds(60)) { _ in
                try await central.ask(device, .disconnect) { central.manager?.cancelPeripheralConnection(device) }
            }
        case .discover: operate(step, limit: patience) { [self] _ in try await discover(central, device) }
        case .rssi:
            operate(step, limit: patience) { _ in
                try await central.ask(device, .signalStrength) { device.readRSSI() }
            }
        case .read where place != .notifying: coreRead(step, place, central, device)
        case .write: coreWrite(step, place, central, device)
        case .command:
            writeCount += 1
            let stamp = Stamp(host: step.host, place: Place.sink.rawValue, number: writeCount, length: step.amount)
            operate(step, limit: patience) { [self] _ in
                let characteristic = try await characteristic(.sink, central, device)
                guard device.canSendWriteWithoutResponse else { return }
                device.writeValue(Data(stamp.bytes), for: characteristic, type: .withoutResponse)
            }
        case .subscribe where place != .secret: coreSubscribe(step, place, host, central, device)
        case .unsubscribe:
            guard let index = host.listeners.lastIndex(where: { $0.target == step.target && $0.place == place }) else {
                return false
            }
            host.listeners.remove(at: index).isCancelled = true
            operate(step, limit: patience) { [self] _ in
                let characteristic = try await characteristic(place, central, device)
                try await central.ask(device, .notify(characteristic.uuid.uuidString), of: characteristic.service) {
                    device.setNotifyValue(false, for: characteristic)
                }
            }
        default: return false
        }
        return true
    }

    private func discover(_ central: CoreBluetoothCentral, _ device: CBPeripheral) async throws(BluetoothError) {
        try await central.ask(device, .services) { device.discoverServices(nil) }
        for service in device.services ?? [] {
            try await characteristics(of: service, central, device)
            for characteristic in service.characteristics ?? [] where service.peripheral === device {
                try await central.ask(device, .descriptors(characteristic.uuid.uuidString), of: service) {
                    device.discoverDescriptors(for: characteristic)
                }
            }
        }
    }

    private func characteristics(
        of service: CBService, _ central: CoreBluetoothCentral, _ device: CBPeripheral
    ) async throws(BluetoothError) {
        try await central.ask(device, .characteristics(service.uuid.uuidString), of: service) {
            device.discoverCharacteristics(nil, for: service)
        }
    }

    private func characteristic(
        _ place: Place, _ central: CoreBluetoothCentral, _ device: CBPeripheral
    ) async throws(BluetoothError) -> CBCharacteristic {
        let wanted = CBUUID(string: Place.service.description)
        func known() -> CBCharacteristic? {
            device.services?.first { $0.uuid == wanted }?.characteristics?.first { $0.uuid == place.core }
        }
        if let characteristic = known() { return characteristic }
        try await central.ask(device, .services) { device.discoverServices([wanted]) }
        guard let service = device.services?.first(where: { $0.uuid == wanted }) else {
            let isLost = device.state != .connected
            throw BluetoothError(isLost ? .notConnected : .notFound, operation: "discover", reason: "no service")
        }
        try await characteristics(of: service, central, device)
        if let characteristic = known() { return characteristic }
        throw BluetoothError(
            device.state != .connected ? .notConnected : .notFound, operation: "discover", reason: "no characteristic")
    }

    private func coreRead(_ step: Step, _ place: Place, _ central: CoreBluetoothCentral, _ device: CBPeripheral) {
        let log = hosts[step.target].log
        operate(step, limit: patience) { [self] _ in
            let characteristic = try await characteristic(place, central, device)
            let start = now
            try await central.ask(device, .read(characteristic.uuid.uuidString), of: characteristic.service) {
                device.readValue(for: characteristic)
            }
            let value = [UInt8](characteristic.value ?? Data())
            if !log.had(value, at: place, since: start) {
                fail(.read, "'\(step)' read \(value), which the device did not have")
            }
        }
    }

    private func coreWrite(_ step: Step, _ place: Place, _ central: CoreBluetoothCentral, _ device: CBPeripheral) {
        let log = hosts[step.target].log
        writeCount += 1
        let stamp = Stamp(host: step.host, place: place.rawValue, number: writeCount, length: step.amount)
        operate(step, limit: patience) { [self] _ in
            let characteristic = try await characteristic(place, central, device)
            try await central.ask(device, .write(characteristic.uuid.uuidString), of: characteristic.service) {
                device.writeValue(Data(stamp.bytes), for: characteristic, type: .withResponse)
            }
            if log.arrivals[stamp] != 1 {
                fail(.write, "'\(step)' was acknowledged, and came \(log.arrivals[stamp] ?? 0) times")
            }
        }
    }

    // MARK: Subscriptions

    private func coreSubscribe(
        _ step: Step, _ place: Place, _ host: SimulatedHost, _ central: CoreBluetoothCentral, _ device: CBPeripheral
    ) {
        operate(step, limit: patience) { [self] operation in
            let isNew = !host.listeners.contains { $0.target == step.target && $0.place == place }
            let listener = Listener(
                host: host.index, target: step.target, place: place, stays: central.stays.contains(step.target))
            listener.breaks = breaks(of: listener)
            try await enable(place, central, device)
            let isHeld = central.peripherals[step.target] === device && device.state == .connected
            guard isNew, operation.life == host.life, isHeld,
                !host.listeners.contains(where: { $0.target == step.target && $0.place == place })
            else { return }
            listener.state = { [weak device] in device.map { "\($0.state.rawValue)" } ?? "gone" }
            listener.isConnected = { [weak device] in
                guard let device, device.state == .connected else { return false }
                let services = device.services ?? []
                return services.contains { service in
                    (service.characteristics ?? []).contains { $0.uuid == place.core && $0.isNotifying }
                }
            }
            host.listeners.append(listener)
        }
    }

    private func enable(
        _ place: Place, _ central: CoreBluetoothCentral, _ device: CBPeripheral
    ) async throws(BluetoothError) {
        let characteristic = try await characteristic(place, central, device)
        try await central.ask(device, .notify(characteristic.uuid.uuidString), of: characteristic.service) {
            device.setNotifyValue(true, for: characteristic)
        }
    }

    func coreHeard(_ host: SimulatedHost, _ target: Int, _ place: Place, _ value: [UInt8]) {
        for listener in host.listeners where listener.target == target && listener.place == place {
            heard(value, by: listener, dropped: 0)
        }
    }

    /// Subscribes again after a link was established again, as programs do.
    func coreConnected(_ host: SimulatedHost, _ target: Int) {
        guard let central = host.coreCentral as? CoreBluetoothCentral, let device = central.peripherals[target] else {
            return
        }
        for listener in host.listeners where listener.target == target {
            _ = task { [self] in
                do throws(BluetoothError) {
                    try await enable(listener.place, central, device)
                } catch {
                    // After the end of a link the next one follows.
                    guard device.state == .connected, error.code != .notConnected else { return }
                    listener.isOver = true
                    host.listeners.removeAll { $0 === listener }
                }
            }
        }
    }

    /// Ends the subscriptions to a device to which the program does not connect again.
    func coreGaveUp(_ host: SimulatedHost, _ target: Int) {
        for listener in host.listeners where listener.target == target { listener.isOver = true }
        host.listeners.removeAll { $0.isOver }
    }

    func coreDisconnected(_ host: SimulatedHost, _ target: Int) {
        for listener in host.listeners where listener.target == target && !listener.stays { listener.isOver = true }
        host.listeners.removeAll { $0.isOver }
    }
}
#endif
