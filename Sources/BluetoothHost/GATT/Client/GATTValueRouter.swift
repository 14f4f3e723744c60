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

    /// Who listens to one handle.
    private final class Route {
        let handle: UInt16
        var handlers: [Handler] = []

        init(handle: UInt16) { self.handle = handle }
    }

    private var routes: [UInt16: Route] = [:]
    private var places: [ATTOperationID: UInt16] = [:]
    /// Where the last value went: the next one mostly goes there too.
    private var last: Route?

    func add(_ handler: Handler, for handle: UInt16) {
        let route = routes[handle] ?? Route(handle: handle)
        route.handlers.append(handler)
        routes[handle] = route
        places[handler.id] = handle
    }

    func remove(_ id: ATTOperationID) {
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

    /// False where nobody listens.
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
    /// Hears the values that the server sends for `handle` without being asked, whoever subscribed to them.
    public func addValueHandler(for handle: UInt16, receive: @escaping (ByteView) -> Void) -> ATTOperationID {
        let id = bearer.makeOperationID()
        if isOpen { values.add(GATTValueRouter.Handler(id: id, receive: receive), for: handle) }
        return id
    }

    /// Hears no more.
    public func removeValueHandler(_ handler: ATTOperationID) { values.remove(handler) }
}
