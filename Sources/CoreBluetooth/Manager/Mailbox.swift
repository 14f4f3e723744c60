import Foundation
import Synchronization

/// Runs the deliveries of managers in place of their dispatch queues, in simulated worlds, which have one thread.
package enum MailboxExecutor {
    package typealias Execute = @Sendable (@escaping @Sendable () -> Void) -> Void
    /// The function that runs a delivery later; nil for dispatch queues. It applies to managers created afterwards.
    package static let current = Mutex<Execute?>(nil)
}

/// The queue of events from the adapter's loop to the manager's dispatch queue, delivered in order and one at a time.
///
/// One work item is enqueued again and again, and delivers all events that are pending: an event costs an element of an
/// array, and no allocation of its own.
///
/// Proof of `@unchecked Sendable`: all mutable state is guarded by `lock` except `running`, which only the work item
/// accesses, and at most one is enqueued or runs at a time.
final class Mailbox: @unchecked Sendable {
    enum Event {
        /// A device sent a value.
        case value(CBCharacteristic, Data, RemoteDevice)
        /// A request to a device is finished.
        case request(PeripheralRequest)
        /// Any other call.
        case call(() -> Void)
    }

    /// Limit of pending events above which events that a peer can cause without limit are dropped and counted. All
    /// others are answers to calls of the program, changes of the adapter, or ends of what was reported before: their
    /// number is limited by what the program began.
    static let limit = 65536

    private let queue: DispatchQueue
    private let lock = NSLock()
    /// Proof of `@exclusivity(unchecked)`: accesses from several threads do not overlap, because of the lock, and none
    /// spans a call that leads back here. Every event would pay for several checks.
    @exclusivity(unchecked) private var waiting: [Event] = []
    private var running: [Event] = []
    private var isScheduled = false
    private var isClosed = false
    private var dropped = 0
    private var currentLimit = limit
    private var block: DispatchWorkItem?
    private let execute: MailboxExecutor.Execute?

    init(queue: DispatchQueue) {
        self.queue = queue
        execute = MailboxExecutor.current.withLock { $0 }
        block = DispatchWorkItem { [weak self] in self?.deliver() }
    }

    /// Enqueues an event; callable from any thread. The event is never delivered inside this call.
    func post(_ event: Event) { enqueue(event, isLimited: false) }

    /// Enqueues an event that a peer causes, unless the limit is reached; otherwise counts it as dropped.
    /// - Returns: false if it was dropped.
    @discardableResult
    func postWithinLimit(_ event: Event) -> Bool { enqueue(event, isLimited: true) }

    @discardableResult
    private func enqueue(_ event: Event, isLimited: Bool) -> Bool {
        lock.lock()
        if isClosed {
            lock.unlock()
            return false
        }
        if isLimited, waiting.count >= currentLimit {
            dropped += 1
            let isFirst = dropped == 1
            lock.unlock()
            if isFirst {
                Misuse.notice(
                    "the dispatch queue of a manager is too slow: \(Self.limit) events wait for it, and further ones "
                        + "are dropped")
            }
            return false
        }
        waiting.append(event)
        let schedules = !isScheduled
        isScheduled = true
        let block = block
        lock.unlock()
        if schedules, let block { schedule(block) }
        return true
    }

    /// Sets another limit, for tests.
    func setLimit(_ limit: Int) {
        lock.lock()
        currentLimit = limit
        lock.unlock()
    }

    /// The number of events that were dropped since the queue last received all that waited.
    var droppedCount: Int {
        lock.lock()
        defer { lock.unlock() }
        return dropped
    }

    private func schedule(_ block: DispatchWorkItem) {
        guard let execute else { return queue.async(execute: block) }
        execute { [weak self] in self?.deliver() }
    }

    func post(_ call: @escaping () -> Void) { post(.call(call)) }

    /// Discards pending events; none is delivered afterwards.
    func close() {
        lock.lock()
        isClosed = true
        let rest = waiting
        waiting = []
        block = nil
        lock.unlock()
        withExtendedLifetime(rest) {}
    }

    private func deliver() {
        lock.lock()
        swap(&waiting, &running)
        lock.unlock()
        for index in running.indices {
            switch running[index] {
            case .value(let characteristic, let data, let device):
                device.peripheral?.received(data, of: characteristic)
            case .request(let request): request.deliver()
            case .call(let call): call()
            }
        }
        running.removeAll(keepingCapacity: true)
        lock.lock()
        let hasMore = !waiting.isEmpty
        isScheduled = hasMore
        let lost = hasMore ? 0 : dropped
        dropped -= lost
        let block = block
        lock.unlock()
        if lost > 0 { Misuse.notice("the dispatch queue of a manager was too slow: \(lost) events were dropped") }
        // Enqueued again instead of looping, so that other users of the queue get their turn.
        if hasMore, let block { schedule(block) }
    }
}
