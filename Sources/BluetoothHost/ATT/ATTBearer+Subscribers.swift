import BluetoothModel
import BluetoothRuntime

/// Notifications and indications of our server: each link has queues of its own, so that a peer that takes nothing
/// keeps no other one waiting.
extension ATTBearer {
    /// How long a subscriber may take nothing before it counts as stalled: 1 s, or two connection intervals.
    private static let shortestPatience = Duration.seconds(1)
    private var subscriberPatience: Duration { max(Self.shortestPatience, channel.connectionInterval * 2) }

    // MARK: Notifications

    /// Sends a notification, or queues it. Completes when the link has taken it, or when a newer one took its place in a
    /// full queue.
    func notify(
        handle: UInt16, _ value: ByteView, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        writer.reset()
        writer.uint8(ATTOpcode.handleValueNotification.rawValue)
        writer.uint16(handle)
        writer.append(value.prefix(mtu - 3))
        notifyWritten(handle: handle, completion: completion)
    }

    /// Sends the notification that stands in `writer`, now or when there is room.
    func notifyWritten(handle: UInt16, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if notifications.isEmpty, channel.hasRoom {
            writer.withByteView { channel.sendValue($0) }
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

    /// Sends the next notification that waits; false where there is none.
    func sendNextNotification() -> Bool {
        guard let item = notifications.popFirst() else { return false }
        item.packet.withByteView { channel.sendValue($0) }
        notificationProgress.progressed(at: channel.now, isIdle: notifications.isEmpty)
        item.completion(.success(()))
        return true
    }

    // MARK: Indications

    /// Sends an indication, or queues it; completes with the confirmation, or at once with an error where
    /// ``ATTIndicationQueue/capacity`` wait already.
    func indicate(
        handle: UInt16, _ value: ByteView, id: ATTOperationID,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        guard !indications.isFull else {
            server?.valueDropped()
            return completion(
                .failure(
                    .limit(
                        "\(ATTIndicationQueue.capacity) indications wait for this subscriber, which does not confirm")))
        }
        writer.reset()
        writer.uint8(ATTOpcode.handleValueIndication.rawValue)
        writer.uint16(handle)
        writer.append(value.prefix(mtu - 3))
        indications.append(ATTIndicationQueue.Item(id: id, packet: writer.bytes, completion: completion))
        indicationProgress.began(at: channel.now)
        sendNextIndication()
    }

    /// Sends the next indication, where none is on the air and the link has room for a value.
    func sendNextIndication() {
        guard isOpen, indications.hasNext, channel.hasRoom, let item = indications.next() else { return }
        indicationTimer.arm(at: RadioInstant(nanoseconds: channel.now.nanoseconds &+ Self.transactionTimeout))
        item.packet.withByteView { channel.sendValue($0) }
    }

    func receiveConfirmation(_ packet: ByteView) {
        guard packet.count == 1 else { return faults.add(.malformedAttribute) }
        guard let completion = indications.confirm() else { return faults.add(.unexpectedResponse) }
        indicationTimer.disarm()
        indicationProgress.progressed(at: channel.now, isIdle: indications.isEmpty)
        completion?(.success(()))
        if isOpen { sendNextIndication() }
        if isOpen { tellRoom() }
    }

    // MARK: Room

    /// How many more notifications of a value fit into the queue; no limit where the peer is stalled, because nobody
    /// waits for it.
    func notificationRoom(for handle: UInt16) -> Int {
        isNotificationStalled ? .max : notifications.room(for: handle)
    }

    /// The same for indications.
    var indicationRoom: Int {
        indicationProgress.isStalled(at: channel.now, after: subscriberPatience) ? .max : indications.room
    }

    /// Whether notifications wait, or could not go out, for so long that the peer counts as stalled.
    var isNotificationStalled: Bool {
        notificationProgress.isStalled(at: channel.now, after: subscriberPatience)
    }

    /// Whether a notification would go out at once. Where not, the server hears when it would, and when the peer turns out
    /// to be stalled.
    func canNotifyAtOnce() -> Bool {
        guard isOpen else { return false }
        if notifications.isEmpty, channel.hasRoom { return true }
        notificationProgress.began(at: channel.now)
        askForRoom()
        return false
    }

    /// The server is told of room in the queues, or that the peer is stalled.
    func askForRoom() {
        roomWaiters.insert(.server)
        watchForStall()
    }

    private func watchForStall() {
        // Fired early, it is armed again by whoever still has to wait.
        guard !stallTimer.isArmed else { return }
        let patience = subscriberPatience
        var next: RadioInstant?
        if let moment = notificationProgress.stalls(after: patience), moment > channel.now { next = moment }
        if let moment = indicationProgress.stalls(after: patience), moment > channel.now {
            next = min(next ?? moment, moment)
        }
        if let next { stallTimer.arm(at: next) }
    }

    /// The peer may have stalled: nobody has to wait for it any longer.
    func stallTimerFired() {
        guard isOpen, roomWaiters.contains(.server) else { return }
        roomWaiters.remove(.server)
        server?.bearerHasRoom()
    }

    /// Tells the server of room once half of each queue is free.
    func tellRoom() {
        guard roomWaiters.contains(.server), indications.room >= ATTIndicationQueue.capacity / 2,
            notifications.leastRoom >= ATTNotificationQueue.capacity / 2
        else { return }
        roomWaiters.remove(.server)
        server?.bearerHasRoom()
    }
}
