import Foundation

/// What comes in over an L2CAP channel.
final class ChannelInputStream: InputStream {
    let events = StreamEvents()
    /// The channel keeps its streams, and is kept by whoever holds the `CBL2CAPChannel`.
    weak var streams: ChannelStreams?
    private var status = Stream.Status.notOpen

    init() {
        super.init(data: Data())
        events.stream = self
    }

    override var delegate: (any StreamDelegate)? {
        get { events.delegate }
        set { events.delegate = newValue }
    }
    override var streamStatus: Stream.Status {
        guard PropertyLock.read({ status }) == .open else { return PropertyLock.read { status } }
        guard let streams else { return .closed }
        if !streams.isAtEnd { return .open }
        return streams.error == nil ? .atEnd : .error
    }
    override var streamError: (any Error)? { streams?.error }
    override var hasBytesAvailable: Bool { streams?.hasBytes ?? false }

    override func open() {
        guard PropertyLock.read({ status }) == .notOpen else { return }
        PropertyLock.replace(Stream.Status.open) { swap(&status, &$0) }
        events.post(.openCompleted)
    }

    override func close() {
        guard PropertyLock.read({ status }) != .closed else { return }
        PropertyLock.replace(Stream.Status.closed) { swap(&status, &$0) }
        events.close()
        streams?.closedStream()
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard PropertyLock.read({ status }) == .open, let streams else { return -1 }
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
