import BluetoothModel

/// Delivers the values that a server sends to the handlers of their handle.
final class GATTValueRouter {
    /// A handler of values. It is not called once `isActive` is false, even while a value is being delivered.
    final class Handler {
        let id: LinkOperationID
        let receive: (ByteView) -> Void
        var isActive = true

        init(id: LinkOperationID, receive: @escaping (ByteView) -> Void) {
            self.id = id
            self.receive = receive
        }
    }

    private var routes: [UInt16: [Handler]] = [:]
    private var places: [LinkOperationID: UInt16] = [:]
    /// The handle of the last value, which most likely is that of the next one too, and its handlers; empty if they
    /// have changed since.
    private var lastHandle: UInt16 = 0
    private var lastHandlers: [Handler] = []

    func add(_ handler: Handler, for handle: UInt16) {
        routes[handle, default: []].append(handler)
        places[handler.id] = handle
        lastHandlers = []
    }

    func remove(_ id: LinkOperationID) {
        guard let handle = places.removeValue(forKey: id), var handlers = routes[handle],
            let index = handlers.firstIndex(where: { $0.id == id })
        else { return }
        handlers.remove(at: index).isActive = false
        routes[handle] = handlers.isEmpty ? nil : handlers
        lastHandlers = []
    }

    func removeAll() {
        for handlers in routes.values { for handler in handlers { handler.isActive = false } }
        routes = [:]
        places = [:]
        lastHandlers = []
    }

    /// Calls the handlers of a handle; returns false if there are none.
    func deliver(_ value: ByteView, of handle: UInt16) -> Bool {
        if handle != lastHandle || lastHandlers.isEmpty {
            guard let handlers = routes[handle] else { return false }
            (lastHandle, lastHandlers) = (handle, handlers)
        }
        // Proof: this copy of the array retains the handlers, and they their closures, which never change.
        let handlers = lastHandlers
        withExtendedLifetime(handlers) {
            for index in handlers.indices {
                Unmanaged.passUnretained(handlers[index])._withUnsafeGuaranteedRef { handler in
                    if handler.isActive { handler.receive(value) }
                }
            }
        }
        return true
    }
}

extension GATTClient {
    /// Registers a handler for all notifications and indications of `handle`, independent of subscriptions.
    package func addValueHandler(for handle: UInt16, receive: @escaping (ByteView) -> Void) -> LinkOperationID {
        let id = bearer.makeOperationID()
        if isOpen { values.add(GATTValueRouter.Handler(id: id, receive: receive), for: handle) }
        return id
    }

    /// Removes a handler.
    package func removeValueHandler(_ handler: LinkOperationID) { values.remove(handler) }
}
