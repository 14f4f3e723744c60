import BluetoothModel

/// Notifications and indications to this client.
extension GATTServerSession {
    /// Sends a value according to the client's subscription; succeeds immediately if there is none of this kind. While
    /// the client does not know that the attributes have changed, the value is dropped (Core 6.0, Vol 3, Part G,
    /// 2.5.2.1).
    func send(
        _ bytes: [UInt8], for valueHandle: UInt16, kind: SubscriptionKind,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let asked = subscription(to: valueHandle)
        let isNotified = asked.contains(.notifications) && kind != .indications
        guard isNotified || asked.contains(.indications) && kind != .notifications, isSecure(for: valueHandle) else {
            return completion(.success(()))
        }
        guard !isKeptFromValues else {
            valueDropped()
            return completion(.failure(.limit("the subscriber does not know yet that the attributes have changed")))
        }
        if isNotified {
            bytes.withByteView {
                bearer.notify(handle: valueHandle, $0.prefix(maximumUpdateLength), completion: completion)
            }
        } else {
            bytes.withByteView {
                bearer.indicate(
                    handle: valueHandle, $0.prefix(maximumUpdateLength), id: bearer.makeOperationID(),
                    completion: completion)
            }
        }
    }

    private func mayHear(_ valueHandle: UInt16) -> Bool { !isKeptFromValues && isSecure(for: valueHandle) }

    /// True if the link is secure enough for a value.
    private func isSecure(for valueHandle: UInt16) -> Bool {
        guard bearer.channel.security.level == .none else { return true }
        let demand: CharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
        return server.table[valueHandle]?.properties?.isDisjoint(with: demand) ?? false
    }

    /// Sends those of several values to whose notifications the client has subscribed.
    func sendMultiple(
        _ values: [(handle: UInt16, bytes: [UInt8])], completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let wanted = values.filter { subscription(to: $0.handle).contains(.notifications) && mayHear($0.handle) }
        var packets: [ArraySlice<(handle: UInt16, bytes: [UInt8])>] = []
        var start = 0, length = 1
        for (index, value) in wanted.enumerated() {
            let size = 4 + value.bytes.count
            if index > start, !takesMultipleNotifications || length + size > bearer.mtu {
                packets.append(wanted[start..<index])
                (start, length) = (index, 1)
            }
            length += size
        }
        if start < wanted.count { packets.append(wanted[start...]) }
        guard let last = packets.popLast() else { return completion(.success(())) }
        // Packets of one client are sent in order, so the last completion covers all; a disconnection fails the last
        // one too.
        for packet in packets { send(packet) { _ in } }
        send(last, completion: completion)
    }

    /// Sends one value as a plain notification, several in one packet (Core 6.0, Vol 3, Part F, 3.4.7.4).
    private func send(
        _ values: ArraySlice<(handle: UInt16, bytes: [UInt8])>,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        if values.count == 1, let value = values.first {
            return value.bytes.withByteView {
                bearer.notify(handle: value.handle, $0.prefix(maximumUpdateLength), completion: completion)
            }
        }
        bearer.beginResponse(.multipleHandleValueNotification)
        for value in values {
            bearer.writer.uint16(value.handle)
            bearer.writer.uint16(UInt16(value.bytes.count))
            value.bytes.withByteView { bearer.writer.append($0) }
        }
        bearer.notifyWritten(handle: 0, completion: completion)
    }
}
