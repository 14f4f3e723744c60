import BluetoothModel
import BluetoothRuntime

/// Notifications and indications of the local server. Each link has its own queues, so that a slow peer does not delay
/// others.
extension ATTBearer {
    /// The minimum time without progress after which a subscriber counts as stalled, in nanoseconds: 1 s. Two
    /// connection intervals apply if longer.
    private static let shortestPatience: Int64 = 1_000_000_000
    private var subscriberPatience: Duration {
        max(.nanoseconds(Self.shortestPatience), channel.connectionInterval * 2)
    }

    /// Returns true if a peer counts as stalled.
    private func isStalled(_ progress: SubscriberProgress) -> Bool {
        // The minimum is compared first: every value asks, and arithmetic with `Duration` takes hundreds of
        // instructions.
        let now = channel.now
        return progress.isWaiting(since: RadioInstant(nanoseconds: now.nanoseconds - Self.shortestPatience))
            && progress.isStalled(at: now, after: subscriberPatience)
    }

    // MARK: Notifications

    /// Sends or queues a notification. Completes when the link has accepted it, or with an error when a newer one
    /// replaced it in a full queue.
    func notify(
        handle: UInt16, _ value: ByteView, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        writer.reset()
        writer.uint8(ATTOpcode.handleValueNotification.rawValue)
        writer.uint16(handle)
        writer.append(value.prefix(mtu - 3))
        notifyWritten(handle: handle, completion: completion)
    }

    /// Sends the notification in `writer`, immediately or when the link has room.
    func notifyWritten(handle: UInt16, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if notifications.isEmpty, channel.hasRoom {
            writer.withUncountedView { channel.sendValue($0) }
            return completion(.success(()))
        }
        let item = ATTNotificationQueue.Item(handle: handle, packet: writer.bytes, completion: completion)
        let overflowing = notifications.append(item)
        notificationProgress.began(at: channel.now)
        if let overflowing {
            server?.valueDropped()
            overflowing(.failure(ATTNotificationQueue.overflow))
        }
    }

    /// Sends the next queued notification; returns false if the queue is empty.
    func sendNextNotification() -> Bool {
        guard let item = notifications.popFirst() else { return false }
        item.packet.withByteView { channel.sendValue($0) }
        notificationProgress.progressed(at: channel.now, isIdle: notifications.isEmpty)
        item.completion(.success(()))
        return true
    }

    // MARK: Indications

    /// Sends or queues an indication. Completes with the confirmation, or immediately with an error when
    /// ``ATTIndicationQueue/capacity`` indications are queued already.
    /// - Parameter usesReserve: true for an indication that is not a value of the application. It may use the
    ///   controller's reserved buffers, so that peers that have vanished do not delay it.
    func indicate(
        handle: UInt16, _ value: ByteView, id: LinkOperationID, usesReserve: Bool = false,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        guard !indications.isFull else {
            server?.valueDropped()
            return completion(
                .failure(
                    .limit(
                        "\(ATTIndicationQueue.capacity) indications are queued for this subscriber without confirmation"
                    )))
        }
        writer.reset()
        writer.uint8(ATTOpcode.handleValueIndication.rawValue)
        writer.uint16(handle)
        writer.append(value.prefix(mtu - 3))
        indications.append(
            ATTIndicationQueue.Item(
                id: id, packet: writer.bytes, usesReserve: usesReserve, completion: completion))
        indicationProgress.began(at: channel.now)
        sendNextIndication()
    }

    /// Sends the next indication if none is in flight and the link has room for a value, or none is needed.
    func sendNextIndication() {
        guard isOpen, indications.hasNext, indications.nextUsesReserve || channel.hasRoom,
            let item = indications.next()
        else { return }
        indicationTimer.arm(at: RadioInstant(nanoseconds: channel.now.nanoseconds &+ Self.transactionTimeout))
        item.packet.withByteView { item.usesReserve ? channel.send($0) : channel.sendValue($0) }
    }

    func receiveConfirmation(_ packet: ByteView) {
        guard packet.count == 1 else { return faults.add(.malformedAttribute, packet) }
        guard let completion = indications.confirm() else { return faults.add(.unexpectedResponse, packet) }
        indicationTimer.disarm()
        indicationProgress.progressed(at: channel.now, isIdle: indications.isEmpty)
        completion?(.success(()))
        if isOpen { sendNextIndication() }
        if isOpen { tellRoom() }
    }

    // MARK: Room

    /// The number of notifications of a value that still fit into the queue; unlimited for a stalled peer, because
    /// senders do not wait for it.
    func notificationRoom(for handle: UInt16) -> Int {
        isNotificationStalled ? .max : notifications.room(for: handle)
    }

    /// The number of indications that still fit into the queue; unlimited for a stalled peer.
    var indicationRoom: Int { stalledIndicationRoom == nil ? indications.room : .max }

    /// The number of notifications of a value that fit into the queue of a stalled peer; nil for a live one.
    func stalledNotificationRoom(for handle: UInt16) -> Int? {
        isNotificationStalled ? notifications.room(for: handle) : nil
    }

    /// The number of indications that fit into the queue of a stalled peer; nil for a live one.
    var stalledIndicationRoom: Int? {
        isStalled(indicationProgress) ? indications.room : nil
    }

    /// True when queued notifications have made no progress for so long that the peer counts as stalled.
    var isNotificationStalled: Bool { isStalled(notificationProgress) }

    /// Returns true if a notification would be sent immediately. After false, the server is notified when there is room
    /// or when the peer counts as stalled.
    func canNotifyAtOnce() -> Bool {
        guard isOpen else { return false }
        if notifications.isEmpty, channel.hasRoom { return true }
        notificationProgress.began(at: channel.now)
        askForRoom()
        return false
    }

    /// Registers the server to be notified when the queues have room or the peer counts as stalled.
    func askForRoom() {
        roomWaiters.insert(.server)
        watchForStall()
    }

    private func watchForStall() {
        // If the timer fires early, the senders that still have to wait arm it again.
        guard !stallTimer.isArmed else { return }
        let patience = subscriberPatience
        var next: RadioInstant?
        if let moment = notificationProgress.stalls(after: patience), moment > channel.now { next = moment }
        if let moment = indicationProgress.stalls(after: patience), moment > channel.now {
            next = min(next ?? moment, moment)
        }
        if let next { stallTimer.arm(at: next) }
    }

    /// Reports room to the server, because senders do not wait for a stalled peer.
    func stallTimerFired() {
        guard isOpen, roomWaiters.contains(.server) else { return }
        roomWaiters.remove(.server)
        server?.bearerHasRoom()
    }

    /// Notifies the server of room once half of each queue is free.
    func tellRoom() {
        guard roomWaiters.contains(.server), indications.room >= ATTIndicationQueue.capacity / 2,
            notifications.leastRoom >= ATTNotificationQueue.capacity / 2
        else { return }
        roomWaiters.remove(.server)
        server?.bearerHasRoom()
    }
}
