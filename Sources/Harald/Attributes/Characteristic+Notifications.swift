import BluetoothBackend

/// A value that a device sent by itself.
public struct Notification: Sendable {
    /// Which characteristic it belongs to.
    public let characteristic: Characteristic
    /// The value.
    public let value: [UInt8]
}

extension Characteristic {
    /// The values that the device sends by itself, a stream of its own each time.
    ///
    /// The stream is attached before the device is told, so the first value is never lost. The device is told once for
    /// all streams of a characteristic, and again when the last one ends. What cannot be subscribed to ends the stream
    /// with the reason. The stream goes on after a reconnection where the peripheral reconnects by itself; else it ends
    /// with the link's error, or simply ends after ``Peripheral/disconnect()``.
    /// - Parameters:
    ///   - kind: how to hear of it; by default notifications where both are offered.
    ///   - policy: what a full buffer drops; ``BluetoothStream/droppedCount`` counts it.
    public func notifications(
        _ kind: SubscriptionKind = .any, buffering policy: BufferingPolicy = .newest(256)
    ) -> BluetoothStream<[UInt8]> {
        BluetoothStream(policy: policy) { buffer in
            subscribe(kind, to: buffer) { $0 }
        }
    }

    static func merged(
        _ characteristics: [Characteristic], policy: BufferingPolicy
    ) -> BluetoothStream<Notification> {
        BluetoothStream(policy: policy) { buffer in
            for characteristic in characteristics {
                characteristic.subscribe(.any, to: buffer) { Notification(characteristic: characteristic, value: $0) }
            }
        }
    }

    private func subscribe<Element: Sendable>(
        _ kind: SubscriptionKind, to buffer: StreamBuffer<Element>, _ element: @escaping @Sendable ([UInt8]) -> Element
    ) {
        let operation = "subscribe to \(description) of \(peripheral.store.label)"
        if let error = refusal(of: kind, operation) { return buffer.finish(error) }
        let (session, loop, id) = (peripheral.session, peripheral.radio.loop, record.id)
        // The stream keeps the peripheral, so that a caller who holds only the stream keeps the link.
        let peripheral = peripheral
        let subscription = FeedKey()
        let start: @Sendable () -> Void = { [weak buffer] in
            guard let link = try? session.value.link() else {
                buffer?.finish(BluetoothError(.notConnected, operation))
                return
            }
            subscription.key = session.value.feeds.add(id, kind: kind, link: link) { [weak buffer] value in
                buffer?.push(element(value.array))
            } end: { [weak buffer] error in
                buffer?.finish(error == .cancelled ? nil : BluetoothError(error, operation))
            }
        }
        buffer.onTermination {
            loop.execute {
                if let key = subscription.key { session.value.feeds.remove(key) }
                withExtendedLifetime(peripheral) {}
            }
        }
        loop.execute(start)
    }

    private func refusal(of kind: SubscriptionKind, _ operation: String) -> BluetoothError? {
        let needed: CharacteristicProperties =
            switch kind {
            case .any: [.notify, .indicate]
            case .notifications: .notify
            case .indications: .indicate
            }
        guard properties.isDisjoint(with: needed) else { return nil }
        let offered = properties.names.joined(separator: ", ")
        return BluetoothError(
            .unsupported, operation: operation,
            reason: kind == .indications ? "it does not indicate" : "it does not notify",
            advice: "it offers " + (offered.isEmpty ? "nothing" : offered))
    }
}

/// Where the key of a feed is kept between its start and its end.
///
/// `@unchecked Sendable`: touched on the loop only.
private final class FeedKey: @unchecked Sendable {
    var key: Int?
}
