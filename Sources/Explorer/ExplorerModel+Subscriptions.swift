import BluetoothBackend
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
        let subscription = session.subscriptions[handle] ?? begin(kind, characteristic, in: session, for: viewer)
        let isFirst = subscription.viewers.isEmpty
        let acquisition = subscription.viewers.acquire(by: viewer)
        do {
            try await subscription.ready?.value
            guard subscription.viewers.establish(acquisition) else { throw BluetoothError.cancelled }
        } catch {
            subscription.viewers.release(acquisition)
            if subscription.viewers.isEmpty { end(subscription, handle, in: session) }
            let error = error as? BluetoothError ?? .cancelled
            act(.subscribe, session, .characteristic(characteristic), error: error)
            note(.subscription, error, device: id, handle: handle, uuid: characteristic.uuid)
            throw error
        }
        if isFirst { act(.subscribe, session, .characteristic(characteristic)) }
        return subscription.viewers.holders.count
    }

    /// Begins a subscription, which receives values once the device has acknowledged it.
    private func begin(
        _ kind: SubscriptionKind, _ characteristic: Characteristic, in session: DeviceSession, for viewer: ViewerID
    ) -> DeviceSession.Subscription {
        let handle = characteristic.valueHandle.rawValue
        let subscription = DeviceSession.Subscription(kind: kind)
        session.subscriptions[handle] = subscription
        subscription.ready = Task {
            try await self.run(session, for: viewer) { () async throws(BluetoothError) in
                let values = try await characteristic.subscribe(kind)
                // All viewers have unsubscribed meanwhile.
                if subscription.viewers.isEmpty { throw .cancelled }
                self.note(.subscription, "subscribed", device: session.id, handle: handle, uuid: characteristic.uuid)
                let cause = self.cause(of: kind, characteristic)
                subscription.task = Task {
                    await self.receive(values, of: characteristic, in: session, subscription, cause)
                }
            }
        }
        return subscription
    }

    /// Ends a viewer's subscription. The device is notified when the last viewer unsubscribes.
    /// - Returns: the number of viewers that are still subscribed.
    /// - Throws: `notFound` if the device is unknown.
    @discardableResult
    package func unsubscribe(
        _ id: PeripheralID, handle: UInt32, for viewer: ViewerID
    ) async throws(BluetoothError) -> Int {
        let session = try await session(id)
        if session.subscriptions[handle]?.viewers.holders == [viewer],
            let attribute = attributes(of: session).first(where: { $0.handle == handle })
        {
            act(.unsubscribe, session, attribute)
        }
        unsubscribe(session, handle, viewer)
        return session.subscriptions[handle]?.viewers.holders.count ?? 0
    }

    func unsubscribe(_ session: DeviceSession, _ handle: UInt32, _ viewer: ViewerID) {
        guard let subscription = session.subscriptions[handle], subscription.viewers.releaseAll(of: viewer) else {
            return
        }
        note(.subscription, "unsubscribed", device: session.id, handle: handle)
        if subscription.viewers.isEmpty { end(subscription, handle, in: session) }
    }

    func endSubscriptions(of session: DeviceSession) {
        for (handle, subscription) in session.subscriptions { end(subscription, handle, in: session) }
    }

    /// Ends a subscription, which may have been replaced by another one before.
    private func end(_ subscription: DeviceSession.Subscription, _ handle: UInt32, in session: DeviceSession) {
        subscription.ready?.cancel()
        subscription.task?.cancel()
        subscription.viewers = Acquisitions()
        if session.subscriptions[handle] === subscription { session.subscriptions[handle] = nil }
    }

    /// Runs on the loop throughout, so that a value reaches the observers without a change of threads.
    private func receive(
        _ values: BluetoothStream<[UInt8]>, of characteristic: Characteristic, in session: DeviceSession,
        _ subscription: DeviceSession.Subscription, _ cause: ValueCause
    ) async {
        let handle = characteristic.valueHandle.rawValue
        var reason: BluetoothError?
        do {
            for try await bytes in values { received(bytes, of: characteristic, of: session.id, cause) }
        } catch {
            reason = error
        }
        // The link ended, or the device has removed the characteristic.
        guard !Task.isCancelled, session.subscriptions[handle] === subscription else { return }
        if let reason { note(.subscription, reason, device: session.id, handle: handle) }
        end(subscription, handle, in: session)
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
            .value, report.line, device: session.id, handle: report.handle, uuid: characteristic.uuid,
            bytes: bytes)
    }
}
