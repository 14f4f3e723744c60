import Foundation

/// What goes out over an L2CAP channel.
final class ChannelOutputStream: OutputStream {
    let events = StreamEvents()
    /// The channel keeps its streams, and is kept by whoever holds the `CBL2CAPChannel`.
    weak var streams: ChannelStreams?
    private var status = Stream.Status.notOpen

    init() {
        super.init(toMemory: ())
        events.stream = self
    }

    required init(toMemory: ()) {
        super.init(toMemory: ())
        events.stream = self
    }

    override var delegate: (any StreamDelegate)? {
        get { events.delegate }
        set { events.delegate = newValue }
    }
    override var streamStatus: Stream.Status {
        guard PropertyLock.read({ status }) == .open else { return PropertyLock.read { status } }
        guard let streams else { return .closed }
        if !streams.isOver { return .open }
        return streams.error == nil ? .atEnd : .error
    }
    override var streamError: (any Error)? { streams?.error }
    override var hasSpaceAvailable: Bool { streams?.hasRoom ?? false }

    override func open() {
        guard PropertyLock.read({ status }) == .notOpen else { return }
        PropertyLock.replace(Stream.Status.open) { swap(&status, &$0) }
        events.post(.openCompleted)
        events.post(.hasSpaceAvailable)
    }

    override func close() {
        guard PropertyLock.read({ status }) != .closed else { return }
        PropertyLock.replace(Stream.Status.closed) { swap(&status, &$0) }
        events.close()
        streams?.closedStream()
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard PropertyLock.read({ status }) == .open, let streams else { return -1 }
        return streams.write(buffer, len)
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        events.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        events.remove(from: aRunLoop, forMode: mode)
    }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
