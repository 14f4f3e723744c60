import Forwarding
import Foundation
import HealthHub
import Synchronization

/// Delivers the messages of the outboxes. Each receiver has a task of its own, so that an unreachable receiver delays
/// no other. A task delivers several lanes concurrently; each keeps the order of a person's messages. When one ends,
/// the next is claimed.
package final class Forwarder: Sendable {
    /// The maximum number of lanes of one receiver that are delivered concurrently.
    private static let lanes = 4
    /// The number of messages of a lane before other lanes get their turn.
    private static let turn = 20
    /// The maximum time between two checks of the outboxes. Other hubs add messages to those of a shared store.
    private var longestWait: Duration { store.isShared ? .seconds(5) : .seconds(30) }

    private let store: HubStore
    private let client: @Sendable (Receiver) -> any ReceiverClient
    private let wakes = Wakes()

    init(store: HubStore, client: @escaping @Sendable (Receiver) -> any ReceiverClient) {
        (self.store, self.client) = (store, client)
    }

    /// Wakes the forwarder after a message was queued, or a receiver was added, changed, removed or is to be retried.
    package func wake() { wakes.wake() }

    /// Delivers messages until the task is cancelled.
    package func run() async {
        try? await store.perform { try $0.resetLeases() }
        await withTaskGroup(of: Void.self) { group in
            var running: [Receiver: Task<Void, Never>] = [:]
            while !Task.isCancelled {
                let seen = wakes.count
                if let receivers = try? await store.perform({ try $0.receivers() }) {
                    for (receiver, task) in running where !receivers.contains(receiver) {
                        task.cancel()
                        running[receiver] = nil
                    }
                    for receiver in receivers where running[receiver] == nil {
                        let task = Task { await self.serve(receiver) }
                        running[receiver] = task
                        group.addTask {
                            await withTaskCancellationHandler {
                                await task.value
                            } onCancel: {
                                task.cancel()
                            }
                        }
                    }
                }
                await wakes.wait(after: seen, atMost: longestWait)
            }
            group.cancelAll()
        }
    }

    /// Delivers to one receiver until the task is cancelled.
    private func serve(_ receiver: Receiver) async {
        let client = client(receiver)
        let running = RunningLanes()
        let connections = client.connections
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let seen = (wakes: wakes.count, ends: running.ends.count, connections: connections.count)
                let people = running.people
                await client.clean(except: people)
                do {
                    var limit = longestWait
                    if people.count < Self.lanes {
                        let lanes = try await store.claimLanes(of: receiver.id, limit: Self.lanes - people.count)
                        for lane in lanes {
                            // The delivery of the lane is about to end, or its lease has expired.
                            guard running.begin(lane.person) else {
                                try await store.release(lane, pause: 1, error: nil)
                                continue
                            }
                            group.addTask {
                                await self.deliver(lane, by: client)
                                running.end(lane.person)
                            }
                        }
                        let now = Date().timeIntervalSince1970
                        let next = try await store.nextAttempt(of: receiver.id).map { max(0.05, Double($0) - now) }
                        limit = next.map { min(.seconds($0), longestWait) } ?? longestWait
                    }
                    if running.people.count >= Self.lanes {
                        await Wakes.wait(
                            for: [(running.ends, seen.ends), (connections, seen.connections)], atMost: longestWait)
                    } else {
                        await Wakes.wait(
                            for: [(wakes, seen.wakes), (running.ends, seen.ends), (connections, seen.connections)],
                            atMost: limit)
                    }
                } catch {
                    // The disk may be full, for instance. The leases expire.
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
        // A receiver whose token was changed goes on, with another client.
        if let receivers = try? await store.perform({ try $0.receivers() }),
            !receivers.contains(where: { $0.id == receiver.id && $0.url == receiver.url })
        {
            await client.retire()
        } else {
            await client.close()
        }
    }

    private func deliver(_ lane: Lane, by client: any ReceiverClient) async {
        var lane = lane
        do {
            for _ in 0..<Self.turn {
                guard !Task.isCancelled else { break }
                guard let message = try await store.firstMessage(of: lane) else { return }
                switch await client.deliver(message) {
                case .delivered:
                    try await store.delivered(message, lane)
                    lane.attempts = 0
                case .refused(let reason): try await store.park(message, lane, error: reason)
                case .failed(let reason, let after):
                    guard !Task.isCancelled else { break }
                    let pause = Delivery.pause(after: lane.attempts, requested: after)
                    return try await store.release(lane, pause: pause, error: reason)
                }
            }
            try await store.release(lane, pause: 0, error: nil)
        } catch {
            // The lease expires.
        }
    }
}

/// The lanes of one receiver that are being delivered, by their people.
private final class RunningLanes: Sendable {
    private let state = Mutex<Set<Int64>>([])
    /// Woken when the delivery of a lane ends.
    let ends = Wakes()

    var people: Set<Int64> { state.withLock { $0 } }

    /// - Returns: false if the lane is being delivered.
    func begin(_ person: Int64) -> Bool { state.withLock { $0.insert(person).inserted } }

    func end(_ person: Int64) {
        state.withLock { _ = $0.remove(person) }
        ends.wake()
    }
}
