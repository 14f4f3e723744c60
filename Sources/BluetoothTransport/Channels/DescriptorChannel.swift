import BluetoothModel
import BluetoothRuntime

/// The common base class of all channels on a file descriptor: reading, writing, and the end. Subclasses interpret the
/// data of a read and write packets.
///
/// Reading begins with the first delegate. Data received while there is none is kept for the next, so nothing is lost.
class DescriptorChannel: HCIChannel {
    enum State {
        /// Without a reader or a watch there is no delegate yet and nothing is queued. With a reader, the watch, if
        /// there is one, waits only for room to write.
        case open(watch: FileWatch?, reader: SocketReader?)
        /// The descriptor is closed, and the delegate is about to be notified.
        case failing
        case closed
    }

    let loop: RadioLoop
    let name: String
    let descriptor: Int32
    private var state = State.open(watch: nil, reader: nil)
    private var wasCongested = false
    /// Proof of `unowned`: a delegate removes itself before it is released (``HCIChannel/delegate``). Proof of
    /// `@exclusivity(unchecked)`: it is only loaded and stored as a whole, on the loop. The check would cost time on
    /// every packet.
    @exclusivity(unchecked) final unowned var delegate: (any HCIChannelDelegate)? {
        didSet {
            guard delegate != nil else { return }
            startReading()
            if held != nil { loop.executeNext { [weak self] in self?.handOver() } }
        }
    }

    /// The data received while there was no delegate, kept for the next one, because it cannot be put back.
    private struct Held {
        var reads: [[UInt8]] = []
        var count = 0
        var end: TransportError?
    }

    private var held: Held?

    /// Creates a channel that owns the non-blocking `descriptor`.
    init(descriptor: Int32, name: String, loop: RadioLoop) {
        self.descriptor = descriptor
        self.name = name
        self.loop = loop
    }

    deinit {
        guard case .open(let watch, let reader) = state else { return }
        watch?.cancel()
        reader?.cancel()
        SystemCall.close(descriptor)
    }

    /// True if the state is `open`; stored, because every packet reads it.
    final private(set) var isOpen = true

    // MARK: For the subclasses

    /// True if the descriptor is a socket, which a loop can read by itself.
    var isSocket: Bool { true }

    /// Reads once, or a bounded number of times, and delivers the data; returns false if there was nothing to read.
    func readTurn(_ delegate: any HCIChannelDelegate) -> Bool { false }

    /// Delivers the data of one read to the delegate.
    func received(_ bytes: UnsafeRawBufferPointer, _ delegate: any HCIChannelDelegate) {}

    /// The number of queued bytes. The subclass has the queue; the number is stored here because every packet reads it.
    final var queuedCount = 0

    /// Writes as much of a packet as the system accepts, and queues the rest.
    func transmit(_ packet: ByteView) {}

    /// Queues a whole packet.
    func enqueue(_ packet: ByteView) {}

    /// Writes as much of the queue as the system accepts; returns an `errno` where that failed.
    func flush() -> Int32? { nil }

    /// Removes all queued packets.
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
        loop.executeNext { [weak self] in
            guard let self, case .failing = state else { return }
            state = .closed
            delegate?.channel(self, closed: error)
        }
    }

    /// Ends the channel and notifies the delegate.
    final func fail(_ error: TransportError) {
        guard isOpen else { return }
        release()
        state = .closed
        delegate?.channel(self, closed: error)
    }

    /// Returns the error for an `errno` of a transfer. A subclass may be more specific.
    func error(_ code: Int32, doing operation: String) -> TransportError {
        .transferring(operation, name: name, code: code)
    }

    private func release() {
        guard case .open(let watch, let reader) = state else { return }
        isOpen = false
        watch?.cancel()
        reader?.cancel()
        SystemCall.close(descriptor)
        dropQueue()
        held = nil
    }

    // MARK: Reading

    private func startReading() {
        guard case .open(let watch, nil) = state else { return }
        // Proof of `unowned`, also in `wait(for:)`: the reader and the watch are cancelled before the channel is
        // released, so it exists when their handlers run.
        if isSocket, watch == nil, let reader = loop.read(descriptor, handler: { [unowned self] in handle($0) }) {
            state = .open(watch: nil, reader: reader)
        } else {
            wait(for: .readable)
        }
    }

    /// The reader, which can also send; nil if the loop provides none.
    final var reader: SocketReader? {
        if case .open(_, let reader) = state { reader } else { nil }
    }

    private func handle(_ reader: SocketReader) {
        // Data kept for the next delegate is delivered before data received now.
        let delegate = held == nil ? delegate : nil
        var end: SocketRead?
        reader.takeAll { read in
            switch read {
            case .bytes(let bytes): if let delegate { received(bytes, delegate) } else { hold(bytes) }
            case .unsent(let code): wasNotSent(code)
            case .closed, .failed: end = read
            }
        }
        if let end { readerEnded(end) }
    }

    private func wasNotSent(_ code: Int32) {
        guard SystemCall.isWouldBlock(code) else { return fail(error(code, doing: "write")) }
        reader?.takeHeld { enqueue(ByteView($0)) }
        wait(for: .writable)
    }

    private func readerEnded(_ end: SocketRead) {
        let error =
            if case .failed(let code) = end { self.error(code, doing: "read") } else {
                TransportError.closedByPeer(name)
            }
        if delegate != nil, held == nil { return fail(error) }
        var rest = held ?? Held()
        if rest.end == nil { rest.end = error }
        held = rest
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        var held = held ?? Held()
        if held.end == nil {
            held.reads.append(Array(bytes))
            held.count += bytes.count
            // Without a delegate the data is bounded by the limit of the other direction.
            if held.count > HCIChannelLimits.overflow { held = Held(end: .overflow(name)) }
        }
        self.held = held
    }

    /// Delivers the data received before a new delegate was set.
    private func handOver() {
        guard isOpen, let held, let delegate else { return }
        self.held = nil
        for read in held.reads where isOpen { read.withUnsafeBytes { received($0, delegate) } }
        if let end = held.end { fail(end) }
    }

    /// Stops reading while there is no delegate, so that neither data nor the end is reported again and again.
    private func stopListening() {
        guard case .open(let watch, let reader) = state else { return }
        watch?.cancel()
        reader?.cancel()
        state = .open(watch: nil, reader: nil)
        dropQueue()
    }

    // MARK: Watching

    private func wait(for events: FileEvents) {
        guard case .open(let watch, let reader) = state else { return }
        if let watch {
            watch.interest.formUnion(events)
        } else {
            let watch = loop.watch(descriptor, for: events) { [unowned self] in handle($0) }
            state = .open(watch: watch, reader: reader)
        }
    }

    private func handle(_ events: FileEvents) {
        if events.contains(.writable) { writable() }
        // A reader reports an error by itself.
        guard case .open(_?, nil) = state, !events.isDisjoint(with: [.readable, .failed]) else { return }
        guard let delegate else { return stopListening() }
        // An error is also obtained by reading, after the data received before it.
        if !readTurn(delegate), events.contains(.failed) { fail(.closedByPeer(name)) }
    }

    private func writable() {
        if let code = flush() {
            fail(error(code, doing: "write"))
            return
        }
        guard queuedCount == 0, case .open(let watch?, let reader) = state else { return }
        if reader == nil {
            watch.interest.remove(.writable)
        } else {
            watch.cancel()
            state = .open(watch: nil, reader: reader)
        }
        guard wasCongested else { return }
        wasCongested = false
        delegate?.channelDidDrain(self)
    }
}
