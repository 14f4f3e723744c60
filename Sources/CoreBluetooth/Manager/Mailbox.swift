import Foundation

/// What happened, on its way from the adapter's loop to the manager's queue, in order and one at a time.
///
/// One block is put on the queue again and again, and delivers everything that has come until then: an event costs a
/// place in an array, and no memory of its own.
///
/// `@unchecked Sendable`: all that changes is behind `lock` but `running`, which is touched by the block
/// alone, of which one is on the queue at a time. For the same reasons there is no check for overlapping access, which
/// every event would pay for several times: who changes a property calls nothing meanwhile that leads back here.
final class Mailbox: @unchecked Sendable {
    enum Event {
        /// A device sent a value.
        case value(CBCharacteristic, Data, RemoteDevice)
        /// What a device was asked for is done.
        case request(PeripheralRequest)
        /// Anything else.
        case call(() -> Void)
    }

    /// Above so many values that nobody has taken, further ones are dropped and counted.
    private static let valueLimit = 65536

    private let queue: DispatchQueue
    private let lock = NSLock()
    @exclusivity(unchecked) private var waiting: [Event] = []
    @exclusivity(unchecked) private var running: [Event] = []
    @exclusivity(unchecked) private var isScheduled = false
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var dropped = 0
    @exclusivity(unchecked) private var block: DispatchWorkItem?

    init(queue: DispatchQueue) {
        self.queue = queue
        block = DispatchWorkItem { [weak self] in self?.deliver() }
    }

    /// From anywhere; never inside this call.
    func post(_ event: Event) {
        lock.lock()
        if isClosed { return lock.unlock() }
        if waiting.count >= Self.valueLimit, case .value = event {
            dropped += 1
            let isFirst = dropped == 1
            lock.unlock()
            if isFirst { Misuse.notice("the queue of a manager is too slow: values are dropped") }
            return
        }
        waiting.append(event)
        let schedules = !isScheduled
        isScheduled = true
        let block = block
        lock.unlock()
        if schedules, let block { queue.async(execute: block) }
    }

    func post(_ call: @escaping () -> Void) { post(.call(call)) }

    /// Nothing more is delivered.
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
        let goesOn = !waiting.isEmpty
        isScheduled = goesOn
        let block = block
        lock.unlock()
        // Others who use the queue get their turn.
        if goesOn, let block { queue.async(execute: block) }
    }
}
