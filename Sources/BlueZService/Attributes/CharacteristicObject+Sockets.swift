import BluetoothBackend
import BluetoothModel
import SystemBus

/// The sockets of a characteristic: one for its values, one for writes. Each has one client at a time.
extension CharacteristicObject {
    func acquireNotify(_ call: BusCall) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        guard notifySocket == nil else { throw .notPermitted("Notify acquired") }
        guard !hasSessions else { throw .inProgress }
        guard found.properties.contains(.notify) else { throw .notSupported }
        let (socket, descriptor) = try ValueSocket.makePair(on: device.loop)
        let acquired = AcquiredNotifications(client: call.sender, socket: socket)
        notifySocket = acquired
        socket.onEnd = { [weak self, weak acquired] in
            if let self, let acquired, notifySocket === acquired { releaseNotify() }
        }
        acquired.subscription = link.subscribe(found.id, kind: .any, timeout: nil) { [weak socket] in
            socket?.send($0)
        } completion: { [weak self, weak acquired] result in
            guard let self, let acquired, notifySocket === acquired else {
                return call.respond(.failure(.failed("Operation failed")))
            }
            if case .failure(let error) = result {
                releaseNotify()
                return call.respond(.failure(.attribute(error)))
            }
            changed(.gattCharacteristic, ["NotifyAcquired"])
            call.respond(.success([.descriptor(descriptor), .uint16(UInt16(clamping: link.mtu))]))
        }
        return .later
    }

    func acquireWrite(_ call: BusCall) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        guard writeSocket == nil else { throw .notPermitted("Write acquired") }
        guard found.properties.contains(.writeWithoutResponse) else { throw .notSupported }
        let (socket, descriptor) = try ValueSocket.makePair(on: device.loop)
        writeSocket = AcquiredWrites(client: call.sender, socket: socket)
        socket.onEnd = { [weak self, weak socket] in
            if let self, let socket, writeSocket?.socket === socket { releaseWrite() }
        }
        let id = found.id
        socket.onValue = { [weak link, weak socket] value in
            // The next value is read when the radio has taken this one: the client waits meanwhile.
            link?.writeWithoutResponse(value, to: id, timeout: nil) { _ in socket?.resume() }
        }
        changed(.gattCharacteristic, ["WriteAcquired"])
        return .values([.descriptor(descriptor), .uint16(UInt16(clamping: link.mtu))])
    }

    func releaseNotify() {
        guard let acquired = notifySocket else { return }
        notifySocket = nil
        acquired.socket.close()
        if let subscription = acquired.subscription {
            device.current?.unsubscribe(subscription, timeout: nil) { _ in }
        }
        changed(.gattCharacteristic, ["NotifyAcquired"])
    }

    func releaseWrite() {
        guard let acquired = writeSocket else { return }
        writeSocket = nil
        acquired.socket.close()
        changed(.gattCharacteristic, ["WriteAcquired"])
    }
}

/// The socket for a characteristic's values.
final class AcquiredNotifications {
    let client: String
    let socket: ValueSocket
    var subscription: OperationID?

    init(client: String, socket: ValueSocket) {
        self.client = client
        self.socket = socket
    }
}

/// The socket for writes to a characteristic.
struct AcquiredWrites {
    let client: String
    let socket: ValueSocket
}
