import BluetoothRuntime
import SystemBus

/// The turns of clients with the attributes of a device: the link has a few operations of each client at a time, so
/// that a client with thousands does not hold up another. Confined to the loop.
final class ClientTurns {
    /// Starts an operation, which calls `done` when it has ended.
    typealias Start = (_ done: @escaping () -> Void) -> Void

    private struct Client {
        var running = 0
        var waiting: ArraySlice<Start> = []
    }

    /// The operations of a client that the link has at a time.
    static let limit = 16
    /// The operations of a client that may wait; a bus lets it wait for fewer replies.
    private static let waitingLimit = 8192

    private let loop: RadioLoop
    private var clients: [String: Client] = [:]

    init(loop: RadioLoop) { self.loop = loop }

    /// Starts an operation of a client, at once or after its earlier ones.
    /// - Throws: `InProgress` if too many wait.
    func take(_ client: String, _ start: @escaping Start) throws(BusError) {
        if clients[client, default: Client()].running < Self.limit {
            clients[client, default: Client()].running += 1
            return start { [weak self] in self?.next(client) }
        }
        if clients[client]?.waiting.count ?? 0 >= Self.waitingLimit { throw .inProgress }
        clients[client]?.waiting.append(start)
    }

    /// Drops the operations that a client waits for, when it has left the bus.
    func drop(_ client: String) { clients[client]?.waiting = [] }

    private func next(_ client: String) {
        guard let start = clients[client]?.waiting.popFirst() else {
            clients[client]?.running -= 1
            if clients[client]?.running == 0 { clients[client] = nil }
            return
        }
        // An operation on a link that has ended may end at once.
        loop.executeNext { start { [weak self] in self?.next(client) } }
    }
}
