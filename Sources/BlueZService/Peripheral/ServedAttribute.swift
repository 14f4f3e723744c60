import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// An attribute that a client answers for: with calls of its methods, or with sockets that it gives (`AcquireWrite`,
/// `AcquireNotify`). Confined to the loop.
final class ServedAttribute {
    let objects: ClientObjects
    let path: String
    let interface: String
    /// The centrals that subscribed, and how.
    var subscribers: [PeripheralID: SubscriptionKind] = [:]
    /// The socket for writes; nil before the first.
    private var writes: ValueSocket?
    /// The writes that wait for the socket.
    private var waiting: [(Result<ValueSocket, BusError>) -> Void] = []
    /// The socket from which updates come while somebody is subscribed.
    private var updates: ValueSocket?

    init(_ objects: ClientObjects, _ path: String, _ interface: String) {
        self.objects = objects
        self.path = path
        self.interface = interface
    }

    /// Calls a method of the client's object.
    func call(
        _ member: String, _ arguments: [BusValue] = [],
        completion: ((Result<[BusValue], BusError>) -> Void)? = nil
    ) { objects.call(path, interface, member, arguments, completion: completion) }

    // MARK: Sockets

    /// True if the client gives a socket for writes.
    var takesWritesFromSocket: Bool { offers("WriteAcquired") }

    /// A client has the property if it has the method that gives the socket.
    private func offers(_ property: String) -> Bool { objects.all[path]?[interface]?[property] != nil }

    /// Passes the socket for writes to `body`; the first call asks the client for it.
    func withWriteSocket(
        on loop: RadioLoop, _ options: BusValue, _ body: @escaping (Result<ValueSocket, BusError>) -> Void
    ) {
        if let writes { return body(.success(writes)) }
        waiting.append(body)
        guard waiting.count == 1 else { return }
        acquire("AcquireWrite", on: loop, options) { [weak self] result in
            guard let self else { return }
            writes = try? result.get()
            writes?.onEnd = { [weak self] in self?.writes = nil }
            let bodies = waiting
            waiting = []
            for body in bodies { body(result) }
        }
    }

    /// Tells the client that somebody is subscribed.
    /// - Parameter update: called with the next value of the client's socket, and with what continues to read it.
    func startUpdates(
        on loop: RadioLoop, _ options: BusValue, _ update: @escaping ([UInt8], _ then: @escaping () -> Void) -> Void
    ) {
        guard offers("NotifyAcquired") else { return call("StartNotify") }
        acquire("AcquireNotify", on: loop, options) { [weak self] result in
            guard let self, let socket = try? result.get(), !subscribers.isEmpty else { return }
            updates = socket
            socket.onValue = { [weak socket] value in update(value) { socket?.resume() } }
        }
    }

    /// Tells the client that nobody is subscribed any more.
    func stopUpdates() {
        guard offers("NotifyAcquired") else { return call("StopNotify") }
        updates?.close()
        updates = nil
    }

    private func acquire(
        _ member: String, on loop: RadioLoop, _ options: BusValue,
        _ completion: @escaping (Result<ValueSocket, BusError>) -> Void
    ) {
        call(member, [options]) { result in
            completion(
                result.flatMap { values in
                    guard case .descriptor(let descriptor)? = values.first, let number = descriptor.takeSocket() else {
                        return .failure(.failed("\(member) returned no socket"))
                    }
                    return .success(ValueSocket(number, loop))
                })
        }
    }
}
