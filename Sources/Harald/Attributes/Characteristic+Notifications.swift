import BluetoothBackend
import BluetoothRuntime

/// A value that a device sent in a notification or an indication.
public struct CharacteristicUpdate: Sendable {
    /// The characteristic that the value belongs to.
    public let characteristic: Characteristic
    /// The value.
    public let value: [UInt8]
    /// The confirmation that the device waits for; nil if it was sent already, or the value needs none.
    package var confirmation: HeldConfirmation?
}

/// The confirmation of an indication, held back until the receiver has processed the value: a device may delete a
/// confirmed value. A device that receives no confirmation for 30 s ends the link.
package final class HeldConfirmation: Sendable {
    private let send: LoopBound<(() -> Void)?>

    fileprivate init(_ send: @escaping () -> Void, loop: RadioLoop) {
        self.send = LoopBound(confined: send, loop: loop)
    }

    /// Sends the confirmation to the device. Only the first call has an effect.
    package func confirm() {
        let send = send
        send.loop.execute {
            send.value?()
            send.value = nil
        }
    }
}

extension Characteristic {
    /// Returns a new stream of the values that the device notifies or indicates.
    ///
    /// The stream is attached before the device is asked to send, so the first value is never lost. All streams of a
    /// characteristic share one subscription on the device, which ends with the last stream. A subscription that fails
    /// ends the stream with the error. The stream continues after a reconnection where the peripheral reconnects by
    /// itself; otherwise it ends with the link's error, or without an error after ``Peripheral/disconnect()``.
    /// - Parameters:
    ///   - kind: notifications or indications; by default notifications where both are offered.
    ///   - policy: the values that a full buffer drops; ``BluetoothStream/droppedCount`` counts them.
    public func notifications(
        _ kind: SubscriptionKind = .any, buffering policy: BufferingPolicy = .newest(256)
    ) -> BluetoothStream<[UInt8]> {
        BluetoothStream(policy: policy, onDrop: dropHandler) { buffer in
            subscribe(kind, to: buffer) { value, _ in value }
        }
    }

    /// Subscribes, and returns the stream of values once the device has acknowledged.
    ///
    /// The values are those of ``notifications(_:buffering:)``; a subscription that fails is thrown here.
    /// - Parameters:
    ///   - kind: notifications or indications; by default notifications where both are offered.
    ///   - policy: the values that a full buffer drops.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the characteristic does not offer `kind`,
    ///   `notConnected` without a link, `cancelled`, or the error with which the subscription ended.
    public func subscribe(
        _ kind: SubscriptionKind = .any, buffering policy: BufferingPolicy = .newest(256)
    ) async throws(BluetoothError) -> BluetoothStream<[UInt8]> {
        let stream = BluetoothStream<[UInt8]>(policy: policy, onDrop: dropHandler) { _ in }
        let (buffer, characteristic) = (stream.buffer, self)
        let outcome: Result<BluetoothError?, RadioError> = await LoopOperation.run(on: peripheral.radio.loop) {
            operation in
            operation.onCancel {
                buffer.terminate()
                operation.complete(.failure(.cancelled))
            }
            characteristic.subscribe(kind, to: buffer, { value, _ in value }) { operation.complete(.success($0)) }
        }
        switch outcome {
        case .success(nil): return stream
        case .success(let error?): throw error
        case .failure: throw .cancelled
        }
    }

    static func merged(
        _ characteristics: [Characteristic], policy: BufferingPolicy, holdsConfirmations: Bool = false
    ) -> BluetoothStream<CharacteristicUpdate> {
        BluetoothStream(policy: policy, onDrop: characteristics.first?.dropHandler) { buffer in
            for characteristic in characteristics {
                characteristic.subscribe(.any, to: buffer, holdsConfirmations: holdsConfirmations) {
                    CharacteristicUpdate(characteristic: characteristic, value: $0, confirmation: $1)
                }
            }
        }
    }

    /// Counts and logs the values that a stream drops.
    private var dropHandler: StreamDropHandler {
        peripheral.radio.usage.drops(\.droppedValues, of: "values of \(self)", peer: peripheral.store.label)
    }

    /// - Parameter settled: called on the loop with nil once the device has acknowledged, or with the error that ended
    ///   the subscription. Calls after the first report that the subscription ended.
    private func subscribe<Element: Sendable>(
        _ kind: SubscriptionKind, to buffer: StreamBuffer<Element>, holdsConfirmations: Bool = false,
        _ element: @escaping @Sendable ([UInt8], HeldConfirmation?) -> Element,
        settled: @escaping @Sendable (BluetoothError?) -> Void = { _ in }
    ) {
        let operation = "subscribe to \(description) of \(peripheral.store.label)"
        if let error = refusal(of: kind, operation) {
            buffer.finish(error)
            return settled(error)
        }
        let (session, loop, id) = (peripheral.session, peripheral.radio.loop, record.id)
        // The stream retains the peripheral, so a caller that holds only the stream keeps the link.
        let peripheral = peripheral
        let receiving = "receive values of \(description) of \(peripheral.store.label)"
        let subscription = StreamSubscription(id, kind: kind) { [weak buffer] value in
            guard let buffer else { return }
            let held = holdsConfirmations ? (try? session.value.link())?.holdConfirmation() : nil
            buffer.push(element(value.array, held.map { HeldConfirmation($0, loop: loop) }))
        } changed: { [weak buffer] error, wasAcknowledged in
            let error = error.map { BluetoothError($0, wasAcknowledged ? receiving : operation) }
            if let error { buffer?.finish(error.code == .cancelled ? nil : error) }
            settled(error)
        }
        let start: @Sendable () -> Void = { [weak buffer] in
            if let link = try? session.value.link() { return session.value.subscriptions.add(subscription, on: link) }
            let error = BluetoothError(.notConnected, operation)
            buffer?.finish(error)
            settled(error)
        }
        buffer.onTermination {
            loop.execute {
                session.value.subscriptions.remove(subscription)
                withExtendedLifetime(peripheral) {}
            }
        }
        // Operations of a task on the loop begin at once, so they would overtake a subscription that is enqueued.
        if loop.isOnLoop { start() } else { loop.execute(start) }
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
            advice: "its properties are " + (offered.isEmpty ? "empty" : offered))
    }
}
