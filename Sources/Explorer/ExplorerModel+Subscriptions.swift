#if Programs
import Foundation
import Harald

/// Notified and indicated values. Subscriptions are counted per viewer.
extension ExplorerModel {
    /// Subscribes a viewer to a characteristic. Returns after the device has acknowledged the subscription.
    /// - Parameter kind: by default notifications if both are supported; the choice of the first subscriber is kept.
    /// - Returns: the number of subscribed viewers.
    /// - Throws: `BluetoothError` with `notFound` for an unknown device or handle, `invalidArgument` for a descriptor,
    ///   or an error of discovery or of the subscription.
    @discardableResult
    package func subscribe(
        _ id: PeripheralID, handle: UInt32, kind: SubscriptionKind = .any, for viewer: ViewerID
    ) async throws(BluetoothError) -> Int {
        let session = try await session(id)
        guard case .characteristic(let characteristic) = try await attribute(handle, of: session, for: viewer) else {
            throw BluetoothError(
                .invalidArgument, operation: "subscribe to #\(HandleText.text(handle)) of \(session.peripheral)",
                reason: "this is a descriptor", advice: "subscribe to its characteristic")
        }
        var subscription = session.subscriptions[handle] ?? DeviceSession.Subscription(kind: kind)
        subscription.viewers.insert(viewer)
        if subscription.ready == nil {
            subscription.ready = Task {
                try await self.run(session, for: viewer) { () async throws(BluetoothError) in
                    let values = try await characteristic.subscribe(kind)
                    self.note(.subscription, "subscribed", device: id, handle: handle, uuid: characteristic.uuid)
                    self.follow(values, of: characteristic, in: session)
                }
            }
        }
        let isFirst = session.subscriptions[handle]?.viewers.isEmpty ?? true
        session.subscriptions[handle] = subscription
        do {
            try await subscription.ready?.value
        } catch {
            session.subscriptions[handle] = nil
            let error = error as? BluetoothError ?? .cancelled
            act(.subscribe, session, .characteristic(characteristic), error: error)
            note(.subscription, error, device: id, handle: handle, uuid: characteristic.uuid)
            throw error
        }
        if isFirst { act(.subscribe, session, .characteristic(characteristic)) }
        return session.subscriptions[handle]?.viewers.count ?? 0
    }

    /// Ends a viewer's subscription. The device is notified when the last viewer unsubscribes.
    /// - Returns: the number of viewers that are still subscribed.
    /// - Throws: `notFound` if the device is unknown.
    @discardableResult
    package func unsubscribe(
        _ id: PeripheralID, handle: UInt32, for viewer: ViewerID
    ) async throws(BluetoothError) -> Int {
        let session = try await session(id)
        if session.subscriptions[handle]?.viewers == [viewer],
            let attribute = attributes(of: session).first(where: { $0.handle == handle })
        {
            act(.unsubscribe, session, attribute)
        }
        unsubscribe(session, handle, viewer)
        return session.subscriptions[handle]?.viewers.count ?? 0
    }

    func unsubscribe(_ session: DeviceSession, _ handle: UInt32, _ viewer: ViewerID) {
        guard session.subscriptions[handle]?.viewers.remove(viewer) != nil else { return }
        note(.subscription, "unsubscribed", device: session.id, handle: handle)
        if session.subscriptions[handle]?.viewers.isEmpty ?? false { end(session, handle) }
    }

    func endSubscriptions(of session: DeviceSession) {
        for handle in session.subscriptions.keys { end(session, handle) }
    }

    private func end(_ session: DeviceSession, _ handle: UInt32) {
        guard let subscription = session.subscriptions.removeValue(forKey: handle) else { return }
        subscription.ready?.cancel()
        subscription.task?.cancel()
    }

    private func follow(
        _ values: BluetoothStream<[UInt8]>, of characteristic: Characteristic, in session: DeviceSession
    ) {
        let handle = characteristic.valueHandle.rawValue
        // All viewers have unsubscribed meanwhile.
        guard session.subscriptions[handle] != nil else { return }
        let cause = cause(of: session.subscriptions[handle]?.kind ?? .any, characteristic)
        let id = session.id
        session.subscriptions[handle]?.task = Task { await receive(values, of: characteristic, of: id, cause) }
    }

    /// Runs on the loop throughout, so that a value reaches the observers without a change of threads.
    private func receive(
        _ values: BluetoothStream<[UInt8]>, of characteristic: Characteristic, of id: PeripheralID, _ cause: ValueCause
    ) async {
        let handle = characteristic.valueHandle.rawValue
        do {
            for try await bytes in values { received(bytes, of: characteristic, of: id, cause) }
            subscriptionEnded(id, handle, nil)
        } catch {
            subscriptionEnded(id, handle, error)
        }
    }

    private func cause(of kind: SubscriptionKind, _ characteristic: Characteristic) -> ValueCause {
        switch kind {
        case .notifications: .notify
        case .indications: .indicate
        case .any: characteristic.properties.contains(.notify) ? .notify : .indicate
        }
    }

    private func received(
        _ bytes: [UInt8], of characteristic: Characteristic, of id: PeripheralID, _ cause: ValueCause
    ) {
        guard let session = sessions[id] else { return }
        let report = keep(bytes, of: .characteristic(characteristic), in: session, cause)
        act(.receive, session, .characteristic(characteristic), bytes: bytes)
        note(
            .value, report.value.line, device: session.id, handle: report.handle, uuid: characteristic.uuid,
            bytes: bytes)
    }

    /// Handles the end of the link, or the removal of the characteristic by the device.
    private func subscriptionEnded(_ id: PeripheralID, _ handle: UInt32, _ error: BluetoothError?) {
        guard !Task.isCancelled, sessions[id]?.subscriptions.removeValue(forKey: handle) != nil else { return }
        if let error { note(.subscription, error, device: id, handle: handle) }
    }
}
#endif
