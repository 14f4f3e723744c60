import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Observes the adapter during a pause between two attempts.
extension PeripheralSession: RadioObserver {
    /// Ends the pause when the adapter is powered on: the attempts that failed without it are no evidence about the
    /// device, so their count restarts.
    func radioStateChanged(_ backend: any RadioBackend) {
        guard backend.state == .poweredOn, case .pausing(let timer, _, let error, let callers) = state else { return }
        attempt = 1
        state = .pausing(timer, attempt: attempt, error, callers)
        noteReconnecting(after: error)
        timer.arm(at: loop.now)
    }

    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}

/// Observes the link.
extension PeripheralSession: LinkObserver {
    func linkDisconnected(_ error: RadioError) {
        switch state {
        case .connected:
            subscriptions.linkLost()
            lost(error, [])
        case .validating(_, let callers): lost(error, callers)
        case .disconnecting, .idle, .connecting, .pausing: break
        }
    }

    func linkMTUChanged(_ mtu: Int) {
        switch state {
        case .connected(let link), .validating(let link, _): adopt(link)
        case .idle, .connecting, .pausing, .disconnecting: break
        }
    }

    func linkParametersChanged(_ parameters: ConnectionParameters) {
        store.values.withLock { $0.parameters = parameters }
    }

    func linkSecurityChanged(_ security: LinkSecurity) { store.set(security) }

    func linkServicesChanged(_ services: [AttributeID]) {
        rediscovery?.drop(services)
        let gone = store.values.withLock { values in
            let gone = values.tree.services.filter { services.contains($0.record.id) }
            values.tree.services.removeAll { services.contains($0.record.id) }
            values.tree.isComplete = false
            return gone
        }
        store.serviceChanges.push(gone.map(\.record.uuid))
        let void = Set(gone.flatMap { $0.characteristics ?? [] }.map(\.record.id))
        subscriptions.endVoid { void.contains($0) }
    }

    func linkIsReadyToWriteWithoutResponse() {}

    func linkNameChanged(_ name: String) { store.values.withLock { $0.name = name } }
}
