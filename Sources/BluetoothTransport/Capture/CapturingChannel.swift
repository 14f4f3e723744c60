import BluetoothModel
import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A tap on another channel: everything that passes is written to a capture file as well.
///
/// The records of one round of the loop are written together at its end. Where the file cannot be written any more the
/// capture stops and the traffic goes on; ``captureError`` says so.
public final class CapturingChannel: HCIChannel {
    private let channel: any HCIChannel
    /// Where the packets go.
    private enum Sink {
        case writer(BtsnoopWriter)
        case tap(CaptureTap)
    }

    private let sink: Sink
    private let started: (instant: RadioInstant, microseconds: Int64)
    /// Takes keys out; nil where they are wanted.
    private var concealment: KeyConcealment?
    private var isFlushScheduled = false
    private var flushSoon: () -> Void = {}

    /// Whom the channel tells.
    public unowned var delegate: (any HCIChannelDelegate)? {
        didSet { channel.delegate = delegate == nil ? nil : self }
    }

    /// Taps `channel`, which belongs to the tap from now on. Several channels may share one writer.
    ///
    /// - Parameter includesKeys: whether keys are written as they are; otherwise zeros stand in their place.
    public convenience init(_ channel: any HCIChannel, writer: BtsnoopWriter, includesKeys: Bool = false) {
        self.init(channel, .writer(writer), includesKeys: includesKeys)
    }

    /// Taps `channel`, which belongs to the tap from now on; packets are written while `tap` is on.
    public convenience init(_ channel: any HCIChannel, tap: CaptureTap) {
        self.init(channel, .tap(tap), includesKeys: false)
        tap.attach()
    }

    private init(_ channel: any HCIChannel, _ sink: Sink, includesKeys: Bool) {
        concealment = includesKeys ? nil : KeyConcealment()
        self.channel = channel
        self.sink = sink
        started = (channel.loop.now, Self.wallClockMicroseconds())
        flushSoon = { [weak self] in self?.flush() }
    }

    deinit {
        channel.delegate = nil
        flushSink()
    }

    private func flushSink() {
        if case .writer(let writer) = sink { writer.flush() }
    }

    /// Why the capture stopped early.
    public var captureError: TransportError? {
        if case .writer(let writer) = sink { writer.error } else { nil }
    }

    /// The loop of the tapped channel.
    public var loop: RadioLoop { channel.loop }

    /// The name of the tapped channel.
    public var name: String { channel.name }

    /// Whether the tapped channel is congested.
    public var isCongested: Bool { channel.isCongested }

    /// Records and sends one packet.
    public func send(_ packet: ByteView) {
        record(packet, .sent)
        channel.send(packet)
    }

    /// Closes the tapped channel; the file has all records then.
    public func close() {
        channel.close()
        flushSink()
    }

    private func record(_ packet: ByteView, _ direction: BtsnoopWriter.Direction) {
        // The loop's own time, so that a capture on a faster or stepped clock shows what the stack went by.
        let elapsed = (loop.now - started.instant).wholeNanoseconds / 1000
        let time = started.microseconds + elapsed
        if let concealed = concealment?.conceal(packet, direction) {
            concealed.withByteView { write($0, direction, microseconds: time) }
        } else {
            write(packet, direction, microseconds: time)
        }
        // A tap writes when its buffer is full, and when somebody reads the file.
        guard case .writer = sink, !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.later(flushSoon)
    }

    private func write(_ packet: ByteView, _ direction: BtsnoopWriter.Direction, microseconds: Int64) {
        switch sink {
        case .writer(let writer): writer.record(packet, direction, microseconds: microseconds)
        case .tap(let tap): tap.record(packet, direction, microseconds: microseconds)
        }
    }

    private func flush() {
        isFlushScheduled = false
        flushSink()
    }

    private static func wallClockMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

extension CapturingChannel: HCIChannelDelegate {
    /// Records a packet and passes it on.
    public func channel(_ channel: any HCIChannel, received packet: ByteView) {
        record(packet, .received)
        delegate?.channel(self, received: packet)
    }

    /// Passes it on.
    public func channelDidFinishRead(_ channel: any HCIChannel) { delegate?.channelDidFinishRead(self) }

    /// Passes it on.
    public func channelDidDrain(_ channel: any HCIChannel) { delegate?.channelDidDrain(self) }

    /// Completes the file and passes it on.
    public func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        flushSink()
        delegate?.channel(self, closed: error)
    }
}
