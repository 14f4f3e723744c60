import BluetoothModel
import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A channel that wraps another one and also writes its packets to a capture file.
///
/// The records of one turn of the loop are written together at its end. Where the file cannot be written, the capture
/// stops and the traffic continues; ``BtsnoopWriter/error`` is the reason.
package final class CapturingChannel: HCIChannel {
    private let channel: any HCIChannel
    /// The destination of the packets.
    private enum Sink {
        case writer(BtsnoopWriter)
        case tap(CaptureTap)
    }

    private let sink: Sink
    private let started: (instant: RadioInstant, microseconds: Int64)
    /// Conceals keys; nil if they are to be included.
    private var concealment: PacketConcealment?
    private var isFlushScheduled = false
    private var flushSoon: () -> Void = {}

    /// The delegate of the channel. Proof of `unowned`: a delegate removes itself before it is released
    /// (``HCIChannel/delegate``).
    package unowned var delegate: (any HCIChannelDelegate)? {
        didSet { channel.delegate = delegate == nil ? nil : self }
    }

    /// Wraps `channel`, which must not be used directly afterwards. Several channels may share one writer.
    ///
    /// - Parameter includesKeys: true to write keys unchanged; otherwise they are replaced with zeros.
    package convenience init(_ channel: any HCIChannel, writer: BtsnoopWriter, includesKeys: Bool = false) {
        self.init(channel, .writer(writer), includesKeys: includesKeys)
    }

    /// Wraps `channel`, which must not be used directly afterwards; packets are written while `tap` is on.
    package convenience init(_ channel: any HCIChannel, tap: CaptureTap) {
        self.init(channel, .tap(tap), includesKeys: false)
        tap.attach()
    }

    private init(_ channel: any HCIChannel, _ sink: Sink, includesKeys: Bool) {
        concealment = includesKeys ? nil : PacketConcealment()
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

    /// The loop of the wrapped channel.
    package var loop: RadioLoop { channel.loop }

    /// The name of the wrapped channel.
    package var name: String { channel.name }

    /// True if the wrapped channel is congested.
    package var isCongested: Bool { channel.isCongested }

    /// Records and sends one packet.
    package func send(_ packet: ByteView) {
        record(packet, .sent)
        channel.send(packet)
    }

    /// Closes the wrapped channel; the file then has all records.
    package func close() {
        channel.close()
        flushSink()
    }

    private func record(_ packet: ByteView, _ direction: BtsnoopWriter.Direction) {
        // The loop's time, so that a capture on a faster or manual clock shows the time that the stack used.
        let elapsed = (loop.now - started.instant).wholeNanoseconds / 1000
        let time = started.microseconds + elapsed
        if let concealed = concealment?.conceal(packet, direction) {
            concealed.withByteView { write($0, direction, microseconds: time) }
        } else {
            write(packet, direction, microseconds: time)
        }
        // A tap writes when its buffer is full, and on `flush()`.
        guard case .writer = sink, !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.executeNext(flushSoon)
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
    /// Records a packet and forwards it.
    package func channel(_ channel: any HCIChannel, received packet: ByteView) {
        record(packet, .received)
        delegate?.channel(self, received: packet)
    }

    /// Forwards the event.
    package func channelDidDrain(_ channel: any HCIChannel) { delegate?.channelDidDrain(self) }

    /// Completes the file and forwards the event.
    package func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        flushSink()
        delegate?.channel(self, closed: error)
    }
}
