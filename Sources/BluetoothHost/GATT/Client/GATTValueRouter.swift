import BluetoothModel

/// Brings the values that a server sends to those who want to hear them, by handle.
final class GATTValueRouter {
    /// Somebody who listens; not called any more once `isActive` is false, even in the middle of a round.
    final class Handler {
        let id: ATTOperationID
        let receive: (ByteView) -> Void
        var isActive = true

        init(id: ATTOperationID, receive: @escaping (ByteView) -> Void) {
            self.id = id
            self.receive = receive
        }
    }

    private var handlers: [UInt16: [Handler]] = [:]
    private var places: [ATTOperationID: UInt16] = [:]

    func add(_ handler: Handler, for handle: UInt16) {
        handlers[handle, default: []].append(handler)
        places[handler.id] = handle
    }

    func remove(_ id: ATTOperationID) {
        guard let handle = places.removeValue(forKey: id), var list = handlers[handle],
            let index = list.firstIndex(where: { $0.id == id })
        else { return }
        list.remove(at: index).isActive = false
        handlers[handle] = list.isEmpty ? nil : list
    }

    func removeAll() {
        for list in handlers.values { for handler in list { handler.isActive = false } }
        handlers = [:]
        places = [:]
    }

    /// False where nobody listens.
    func deliver(_ value: ByteView, of handle: UInt16) -> Bool {
        guard let list = handlers[handle] else { return false }
        for handler in list where handler.isActive { handler.receive(value) }
        return true
    }
}

extension GATTClient {
    /// Hears the values that the server sends for `handle` without being asked, whoever subscribed to them.
    public func addValueHandler(for handle: UInt16, receive: @escaping (ByteView) -> Void) -> ATTOperationID {
        let id = bearer.makeOperationID()
        if isOpen { values.add(GATTValueRouter.Handler(id: id, receive: receive), for: handle) }
        return id
    }

    /// Hears no more.
    public func removeValueHandler(_ handler: ATTOperationID) { values.remove(handler) }
}
