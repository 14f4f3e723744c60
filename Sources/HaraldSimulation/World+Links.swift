import BluetoothRuntime
import Harald

/// Further links and subscriptions of a central.
extension World {
    /// Connects to the second device of a host, often beside a link to the first one, reads its value and disconnects.
    func visit(_ step: Step, _ host: SimulatedHost, _ central: Central) -> Bool {
        let target = hosts[step.target]
        // Another visit would end with this one, because they share the peripheral.
        let isThere = running.contains {
            $0.step.verb == .visit && $0.step.host == step.host && $0.step.target == step.target
        }
        guard target.isTwinShown, target.isOn, !isThere else { return false }
        operate(step, limit: .seconds(130)) { [self] operation in
            guard let peripheral = await central.peripheral(address: target.twinAddress) else { return }
            do {
                try await peripheral.withConnection { [self] in
                    let characteristic = try await peripheral.characteristic(
                        .init(Place.service), .init(Place.stored.uuid))
                    let value = try await characteristic.read()
                    if value != target.twinValue {
                        fail(.read, "'\(step)' read \(value), which the second device did not have")
                    }
                }
            } catch let error as BluetoothError {
                throw error
            }
        }
        return true
    }

    /// Subscribes to everything that a device sends, and confirms each indication after some milliseconds.
    func hold(_ step: Step, _ host: SimulatedHost, _ peripheral: Peripheral) {
        let places = [Place.notifying, .indicating, .both]
        let listeners = places.map { place in
            Listener(host: host.index, target: step.target, place: place, stays: false)
        }
        operate(step, limit: .seconds(program.isCalm ? 65 : 600)) { [self] operation in
            let service = try await peripheral.service(.init(Place.service))
            for listener in listeners { listener.breaks = breaks(of: listener) }
            let stream = try await service.notifications(buffering: .newest(4096), holdsConfirmations: true)
            guard operation.life == host.life else { return }
            for listener in listeners {
                listener.isSlow = true
                listener.state = { [weak peripheral] in peripheral.map { "\($0.state)" } ?? "gone" }
                listener.isConnected = { [weak peripheral] in peripheral?.isConnected ?? false }
            }
            host.listeners += listeners
            let reading = task { [self] in
                do throws(BluetoothError) {
                    for try await notification in stream {
                        let uuid = notification.characteristic.uuid
                        guard let listener = listeners.first(where: { $0.place.uuid == uuid }) else { continue }
                        heard(notification.value, by: listener, dropped: stream.droppedCount)
                        guard let confirmation = notification.confirmation else { continue }
                        await scheduler.sleep(.milliseconds(step.amount))
                        confirmation.confirm()
                    }
                } catch {
                    trace.add(now.nanoseconds, Array("\(error.code)".utf8), "h\(host.index) holds no more: \(error)")
                }
                for listener in listeners { listener.isOver = true }
                host.listeners.removeAll { $0.isOver }
            }
            for listener in listeners { listener.task = reading }
        }
    }
}
