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

    /// The handlers of one handle.
    private final class Route {
        let handle: UInt16
        var handlers: [Handler] = []

        init(handle: UInt16) { self.handle = handle }
    }

    private var routes: [UInt16: Route] = [:]
    private var places: [LinkOperationID: UInt16] = [:]
    /// The route of the last value, which most likely is that of the next one too.
    private var last: Route?

    func add(_ handler: Handler, for handle: UInt16) {
        let route = routes[handle] ?? Route(handle: handle)
        route.handlers.append(handler)
        routes[handle] = route
        places[handler.id] = handle
    }

    func remove(_ id: LinkOperationID) {
        guard let handle = places.removeValue(forKey: id), let route = routes[handle],
            let index = route.handlers.firstIndex(where: { $0.id == id })
        else { return }
        route.handlers.remove(at: index).isActive = false
        if route.handlers.isEmpty {
            routes[handle] = nil
            last = nil
        }
    }

    func removeAll() {
        for route in routes.values { for handler in route.handlers { handler.isActive = false } }
        routes = [:]
        places = [:]
        last = nil
    }

    /// Calls the handlers of a handle; returns false if there are none.
    func deliver(_ value: ByteView, of handle: UInt16) -> Bool {
        let route: Route
        if let last, last.handle == handle {
            route = last
        } else if let found = routes[handle] {
            route = found
            last = found
        } else {
            return false
        }
        for handler in route.handlers where handler.isActive { handler.receive(value) }
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
