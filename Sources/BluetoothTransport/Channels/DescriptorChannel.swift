import BluetoothModel
import BluetoothRuntime

/// What all channels on a file descriptor share: when to read and write, and how they end. Its subclasses know what a
/// read brings and how a packet is written.
///
/// Reading begins with the first delegate, so nothing that comes in before is lost.
class DescriptorChannel: HCIChannel {
    enum State {
        /// Without a watch nobody listens yet and nothing is queued.
        case open(FileWatch?)
        /// The descriptor is closed, and the delegate is about to be told.
        case failing
        case closed
    }

    let loop: RadioLoop
    let name: String
    let descriptor: Int32
    private(set) var state = State.open(nil)
    private var wasCongested = false

    weak var delegate: (any HCIChannelDelegate)? {
        didSet { if isOpen, delegate != nil { wait(for: .readable) } }
    }

    /// A channel that owns `descriptor`, which does not block.
    init(descriptor: Int32, name: String, loop: RadioLoop) {
        self.descriptor = descriptor
        self.name = name
        self.loop = loop
    }

    deinit {
        guard case .open(let watch) = state else { return }
        watch?.cancel()
        SystemCall.close(descriptor)
    }

    var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    // MARK: For the subclasses

    /// Reads once, or a bounded number of times, and tells the delegate; false where there was nothing to read.
    func readTurn(_ delegate: any HCIChannelDelegate) -> Bool { false }

    /// How many bytes are queued. The subclass has the queue; the number is kept here because every packet asks for it.
    final var queuedCount = 0

    /// Writes what is not queued yet, as far as the system takes it, and queues the rest.
    func transmit(_ packet: ByteView) {}

    /// Queues a whole packet.
    func enqueue(_ packet: ByteView) {}

    /// Writes what is queued, as far as the system takes it; an `errno` where that failed.
    func flush() -> Int32? { nil }

    /// Forgets what is queued.
    func dropQueue() { queuedCount = 0 }

    // MARK: HCIChannel

    final var isCongested: Bool { queuedCount > HCIChannelLimits.congestion }

    final func send(_ packet: ByteView) {
        guard isOpen else { return }
        if queuedCount == 0 {
            transmit(packet)
            guard queuedCount > 0, isOpen else { return }
            wait(for: .writable)
        } else if queuedCount + packet.count > HCIChannelLimits.overflow {
            failLater(.overflow(name))
            return
        } else {
            enqueue(packet)
        }
        if isCongested { wasCongested = true }
    }

    final func close() {
        release()
        state = .closed
    }

    // MARK: The end

    /// Ends the channel from inside `send`, where the delegate must not be called.
    final func failLater(_ error: TransportError) {
        guard isOpen else { return }
        release()
        state = .failing
        loop.later { [weak self] in
            guard let self, case .failing = state else { return }
            state = .closed
            delegate?.channel(self, closed: error)
        }
    }

    /// Ends the channel and tells the delegate.
    final func fail(_ error: TransportError) {
        guard isOpen else { return }
        release()
        state = .closed
        delegate?.channel(self, closed: error)
    }

    /// What an `errno` of a transfer means. A subclass knows the device better.
    func error(_ code: Int32, doing operation: String) -> TransportError {
        .transferring(operation, name: name, code: code)
    }

    private func release() {
        guard case .open(let watch) = state else { return }
        watch?.cancel()
        SystemCall.close(descriptor)
        dropQueue()
    }

    // MARK: Events

    private func wait(for events: FileEvents) {
        guard case .open(let watch) = state else { return }
        if let watch {
            watch.interest.formUnion(events)
        } else {
            // The watch goes when the channel does, so the channel is there when the handler runs.
            state = .open(loop.watch(descriptor, for: events) { [unowned self] in handle($0) })
        }
    }

    private func handle(_ events: FileEvents) {
        if events.contains(.writable) { writable() }
        guard case .open(let watch) = state, !events.isDisjoint(with: [.readable, .failed]) else { return }
        guard let delegate else {
            // Nobody listens: neither data nor the end may be reported again and again until somebody does.
            watch?.cancel()
            state = .open(nil)
            dropQueue()
            return
        }
        // An error, too, is learned by reading, after what came in before it.
        if !readTurn(delegate), events.contains(.failed) { fail(.closedByPeer(name)) }
    }

    private func writable() {
        if let code = flush() {
            fail(error(code, doing: "write"))
            return
        }
        guard queuedCount == 0, case .open(let watch) = state else { return }
        watch?.interest.remove(.writable)
        guard wasCongested else { return }
        wasCongested = false
        delegate?.channelDidDrain(self)
    }
}
