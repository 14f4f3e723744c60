import Foundation

/// The stream of data to be sent on an L2CAP channel.
final class ChannelOutputStream: OutputStream {
    let events = StreamEvents()
    /// The channel's state, which retains its streams and is retained by the `CBL2CAPChannel`.
    weak var streams: ChannelStreams?

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
    override var streamStatus: Stream.Status { events.status(of: streams, isOver: \.isOver) }
    override var streamError: (any Error)? { streams?.error }
    override var hasSpaceAvailable: Bool { streams?.hasRoom ?? false }

    override func open() { events.open(.openCompleted, .hasSpaceAvailable) }
    override func close() { if events.close() { streams?.closedStream() } }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard events.isOpen, let streams else { return -1 }
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
