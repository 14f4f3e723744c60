import Foundation

/// The stream of data received on an L2CAP channel.
final class ChannelInputStream: InputStream {
    let events = StreamEvents()
    /// The channel's state, which retains its streams and is retained by the `CBL2CAPChannel`.
    weak var streams: ChannelStreams?

    init() {
        super.init(data: Data())
        events.stream = self
    }

    override var delegate: (any StreamDelegate)? {
        get { events.delegate }
        set { events.delegate = newValue }
    }
    override var streamStatus: Stream.Status { events.status(of: streams, isOver: \.isAtEnd) }
    override var streamError: (any Error)? { streams?.error }
    override var hasBytesAvailable: Bool { streams?.hasBytes ?? false }

    override func open() { events.open(.openCompleted) }
    override func close() { if events.close() { streams?.closedStream() } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard events.isOpen, let streams else { return -1 }
        return streams.read(buffer, len)
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        events.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        events.remove(from: aRunLoop, forMode: mode)
    }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
