import BluetoothModel
import BluetoothRuntime

/// Values received from the peer's server, and commands sent to it.
extension ATTBearer {
    // MARK: Receiving

    func receiveNotification(_ opcode: ATTOpcode, _ packet: ByteView) {
        if opcode == .handleValueNotification {
            guard packet.count >= 3 else { return faults.add(.malformedAttribute, packet) }
            // Proof: the caller of `receive(_:)` retains the link, which retains the client.
            uncountedClient?._withUnsafeGuaranteedRef {
                $0.received(packet.dropFirst(3), of: packet.uint16(at: 1))
            }
            return
        }
        var reader = ByteReader(packet.dropFirst(1))
        // Entries before the malformed one are delivered.
        while !reader.isAtEnd {
            guard let handle = reader.uint16(), let length = reader.uint16(), let value = reader.bytes(Int(length))
            else { return faults.add(.malformedAttribute, packet) }
            client?.received(value, of: handle)
        }
    }

    /// Delivers an indication before confirming it, because a device may delete a value once it is confirmed. The
    /// confirmation is sent after the delivery, or later if a receiver holds it.
    func receiveIndication(_ packet: ByteView) {
        guard packet.count >= 3 else { return faults.add(.malformedAttribute, packet) }
        isHandingOverIndication = true
        client?.received(packet.dropFirst(3), of: packet.uint16(at: 1))
        isHandingOverIndication = false
        guard let held = heldConfirmation else { return confirm() }
        heldConfirmation = nil
        held.release()
    }

    /// Holds back the confirmation of the indication that is being delivered.
    /// - Returns: A closure that releases the confirmation, to be called once; nil if no indication is being delivered.
    func holdConfirmation() -> (() -> Void)? {
        guard isHandingOverIndication else { return nil }
        let held = heldConfirmation ?? HeldATTConfirmation(self)
        heldConfirmation = held
        held.hold()
        return { held.release() }
    }

    func confirm() {
        guard isOpen else { return }
        writer.reset()
        writer.uint8(ATTOpcode.handleValueConfirmation.rawValue)
        writer.withByteView { channel.send($0) }
    }

    // MARK: Sending

    /// Returns true if a command would be sent immediately. After false, the client is notified when there is room.
    func canSendAtOnce() -> Bool {
        guard isOpen else { return false }
        if outbox.isEmpty, channel.hasRoom { return true }
        roomWaiters.insert(.client)
        return false
    }

    /// Sends a command with a handle and a value, which is truncated to the MTU. Completes when the link has accepted
    /// it.
    func send(
        _ opcode: ATTOpcode, handle: UInt16, _ value: ByteView, for operation: ATTOperation,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        writer.reset()
        writer.uint8(opcode.rawValue)
        writer.uint16(handle)
        writer.append(value.prefix(mtu - 3))
        sendWritten(for: operation, completion: completion)
    }

    /// Sends the contents of `writer`, immediately or when the link has room.
    func sendWritten(for operation: ATTOperation, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if outbox.isEmpty, channel.hasRoom {
            writer.withUncountedView { channel.sendValue($0) }
            return completion(.success(()))
        }
        guard !outbox.isFull else {
            return completion(.failure(.limit("\(ATTOutbox.capacity) packets are already queued for the link")))
        }
        outbox.append(ATTOutbox.Item(operation: operation, packet: writer.bytes, completion: completion))
        watch(operation.deadline)
    }

    /// Sends queued packets while the link has room: indications first, then commands and notifications alternately.
    func sendWaiting() {
        sendNextIndication()
        while isOpen, !outbox.isEmpty || !notifications.isEmpty, channel.hasRoom {
            if let item = outbox.popFirst() {
                item.packet.withByteView { channel.sendValue($0) }
                item.completion(.success(()))
                guard isOpen, !notifications.isEmpty, channel.hasRoom else { continue }
            }
            _ = sendNextNotification()
        }
    }
}
