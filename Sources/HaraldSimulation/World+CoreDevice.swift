#if os(Linux)
import BluetoothRuntime
import Harald

/// The actions of a device whose front door is CoreBluetooth. CoreBluetooth has no verbs for ending links and for
/// forgetting keys.
extension World {
    func beginCoreDevice(_ step: Step, _ host: SimulatedHost) -> Bool {
        if step.verb == .open { return coreOpen(step, host) }
        guard let device = host.coreDevice as? CoreBluetoothDevice else { return false }
        switch step.verb {
        case .close:
            host.coreDevice = nil
            host.isShown = false
            host.lastEnding = now.nanoseconds
            device.end()
        case .hide:
            guard device.isReady else { return false }
            host.isShown = false
            host.lastEnding = now.nanoseconds
            device.manager?.stopAdvertising()
        case .show:
            let isStarting = running.contains { $0.step.host == step.host && [.open, .show].contains($0.step.verb) }
            guard !host.isShown, device.isReady, !isStarting else { return false }
            operate(step, limit: .seconds(11)) { _ in
                try await device.advertise()
                host.isShown = host.coreDevice === device
            }
        case .change:
            host.changedSince = now
            operate(step, limit: .seconds(5)) { _ in try await device.change() }
        case .notify, .update:
            guard let place = Place(rawValue: step.place), place.properties.contains(.notify) || place == .indicating
            else { return false }
            operate(step, limit: sendingLimit(step)) { _ in
                for _ in 0..<step.amount { try await device.send(place) }
            }
        default: return false
        }
        return true
    }

    private func coreOpen(_ step: Step, _ host: SimulatedHost) -> Bool {
        guard host.coreDevice == nil, !host.isOpening else { return false }
        let device = CoreBluetoothDevice(host, self)
        host.coreDevice = device
        objects.append(WeakObject(name: "device of \(host.name)", object: device))
        if let manager = device.manager {
            objects.append(WeakObject(name: "peripheral manager of \(host.name)", object: manager))
        }
        operate(step, limit: .seconds(60)) { _ in
            await device.waitForState()
            try await device.publish()
            try await device.advertise()
            host.isShown = host.coreDevice === device
        }
        return true
    }
}
#endif
