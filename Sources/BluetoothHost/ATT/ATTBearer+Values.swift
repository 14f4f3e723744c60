import BluetoothModel
import BluetoothRuntime

/// Values from the peer's server, and commands to it.
extension ATTBearer {
    // MARK: Receiving

    func receiveNotification(_ opcode: ATTOpcode, _ packet: ByteView) {
        if opcode == .handleValueNotification {
            guard packet.count >= 3 else { return faults.add(.malformedAttribute) }
            client?.received(packet.dropFirst(3), of: packet.uint16(at: 1))
            return
        }
        var reader = ByteReader(packet.dropFirst(1))
        // A list that breaks off is heard as far as it is whole.
        while !reader.isAtEnd {
            guard let handle = reader.uint16(), let length = reader.uint16(), let value = reader.bytes(Int(length))
            else { return faults.add(.malformedAttribute) }
            client?.received(value, of: handle)
        }
    }

    /// The value is handed over before the confirmation goes out: a device may delete what was confirmed. It goes out when
    /// the value was handed over, or later where a receiver holds it.
    func receiveIndication(_ packet: ByteView) {
        guard packet.count >= 3 else { return faults.add(.malformedAttribute) }
        isHandingOverIndication = true
        client?.received(packet.dropFirst(3), of: packet.uint16(at: 1))
        isHandingOverIndication = false
        guard let held = heldConfirmation else { return confirm() }
        heldConfirmation = nil
        held.release()
    }

    /// Holds back the confirmation of the indication that is being handed over.
    /// - Returns: the action that lets it go, for one call; nil where no indication is being handed over.
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

    /// Whether a command would go out at once; a client that is told no hears when it would.
    func canSendAtOnce() -> Bool {
        guard isOpen else { return false }
        if outbox.isEmpty, channel.hasRoom { return true }
        roomWaiters.insert(.client)
        return false
    }

    /// Sends a command: a handle and a value, of which what does not fit is cut off. Completes when
    /// the link has taken it.
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

    /// Sends what stands in `writer`, now or when there is room.
    func sendWritten(for operation: ATTOperation, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        if outbox.isEmpty, channel.hasRoom {
            writer.withByteView { channel.sendValue($0) }
            return completion(.success(()))
        }
        guard !outbox.isFull else {
            return completion(.failure(.limit("\(ATTOutbox.capacity) packets wait for the link already")))
        }
        outbox.append(ATTOutbox.Item(operation: operation, packet: writer.bytes, completion: completion))
        watch(operation.deadline)
    }

    /// Sends what waits as long as there is room: indications first, then commands and notifications in turn.
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
