import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

/// An LE credit-based L2CAP channel, between the adapter's loop and two streams.
///
/// Credits are returned when received data was read, so a program that does not read slows the peer down. Data to be
/// sent waits in a buffer of fixed size; the stream has space while the buffer has room.
///
/// Proof of `@unchecked Sendable`: `channel` and the state of sending are accessed on the loop only; all other mutable
/// state is guarded by `condition`.
final class ChannelStreams: @unchecked Sendable {
    /// Capacity of the send buffer, in octets.
    static let outgoingLimit = 65536
    /// The number of messages that the channel has at a time, less than it can queue.
    private static let messagesInFlight = 16
    /// The time that a closed channel has to send data written before.
    private static let closingTime = Duration.seconds(5)

    let input: ChannelInputStream
    let output: ChannelOutputStream
    private let loop: RadioLoop
    private let channel: any BackendChannel
    private let messageLimit: Int
    private let condition = NSCondition()
    private var incoming: [[UInt8]] = []
    private var offset = 0
    private var outgoing = 0
    private var isClosed = false
    private var failure: (any Error)?
    private var openStreams = 2

    // The state of sending.
    /// The messages that the channel has not received yet.
    private var waiting: ArraySlice<[UInt8]> = []
    /// The number of messages that the channel has received and not sent yet.
    private var inFlight = 0
    private var isSending = false
    /// Armed while a closed channel sends the rest.
    private lazy var closing = loop.makeTimer { [weak self] in self?.channel.close() }

    /// To be called on the loop.
    init(_ channel: any BackendChannel, loop: RadioLoop) {
        self.channel = channel
        self.loop = loop
        messageLimit = max(1, channel.peerMTU)
        input = ChannelInputStream()
        output = ChannelOutputStream()
        input.streams = self
        output.streams = self
        channel.attach { [weak self] message in
            self?.received(message.array)
        } closed: { [weak self] error in
            self?.ended(error)
        }
    }

    deinit {
        let (channel, loop) = (Transfer(channel), loop)
        loop.execute { channel.value.close() }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    // MARK: From the loop

    private func received(_ message: [UInt8]) {
        // An empty message adds nothing to a stream.
        guard !message.isEmpty else { return channel.consumed() }
        locked {
            incoming.append(message)
            condition.broadcast()
        }
        input.events.post(.hasBytesAvailable)
    }

    private func ended(_ error: RadioError?) {
        let (event, isRead) = locked { () -> (Stream.Event, Bool) in
            isClosed = true
            switch error {
            case .disconnected, .radio: failure = error?.coreBluetooth
            // A channel that the peer closed ended regularly.
            default: break
            }
            condition.broadcast()
            return (endEvent, incoming.isEmpty)
        }
        // The end of the input comes after its last octet was read.
        if isRead { input.events.post(event) }
        output.events.post(event)
    }

    /// The event of the end of the channel. To be called with the lock.
    private var endEvent: Stream.Event { failure == nil ? .endEncountered : .errorOccurred }

    // MARK: From the streams

    var hasBytes: Bool { locked { !incoming.isEmpty } }
    var hasRoom: Bool { locked { !isClosed && outgoing < Self.outgoingLimit } }
    var error: (any Error)? { locked { failure } }
    /// True if the channel was closed and all received data was read.
    var isAtEnd: Bool { locked { isClosed && incoming.isEmpty } }
    var isOver: Bool { locked { isClosed } }

    /// Reads up to `length` octets and blocks while there are none. Returns their number, 0 at the end, -1 after an
    /// error.
    func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        guard length > 0 else { return 0 }
        condition.lock()
        while incoming.isEmpty, !isClosed { condition.wait() }
        guard let message = incoming.first else {
            defer { condition.unlock() }
            return failure == nil ? 0 : -1
        }
        let count = min(length, message.count - offset)
        message.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress, count > 0 { buffer.update(from: base + offset, count: count) }
        }
        offset += count
        let isRead = offset >= message.count
        if isRead {
            incoming.removeFirst()
            offset = 0
        }
        let next: Stream.Event? = incoming.isEmpty ? (isClosed ? endEvent : nil) : .hasBytesAvailable
        condition.unlock()
        if isRead { loop.execute { self.channel.consumed() } }
        if let next { input.events.post(next) }
        return count
    }

    /// Takes up to `length` octets and blocks while there is no room. Returns the number of octets taken, -1 when the
    /// channel has ended.
    func write(_ buffer: UnsafePointer<UInt8>, _ length: Int) -> Int {
        guard length > 0 else { return 0 }
        condition.lock()
        while outgoing >= Self.outgoingLimit, !isClosed { condition.wait() }
        guard !isClosed else {
            condition.unlock()
            return -1
        }
        let count = min(length, Self.outgoingLimit - outgoing)
        outgoing += count
        condition.unlock()
        let bytes = [UInt8](UnsafeBufferPointer(start: buffer, count: count))
        loop.execute { self.send(bytes) }
        return count
    }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            waiting.append(Array(rest.prefix(messageLimit)))
            rest = rest.dropFirst(messageLimit)
        }
        sendWaiting()
    }

    private func sendWaiting() {
        // If a write completes at once, the loop that wrote it sends the next message.
        guard !isSending else { return }
        isSending = true
        while inFlight < Self.messagesInFlight, let message = waiting.popFirst() {
            inFlight += 1
            channel.write(message) { [self] _ in sent(message) }
        }
        isSending = false
    }

    private func sent(_ message: [UInt8]) {
        inFlight -= 1
        locked {
            outgoing -= message.count
            condition.broadcast()
        }
        output.events.post(.hasSpaceAvailable)
        sendWaiting()
        if isAllSent, closing.isArmed {
            closing.disarm()
            channel.close()
        }
    }

    private var isAllSent: Bool { waiting.isEmpty && inFlight == 0 }

    /// Counts a closed stream; closes the channel when both streams are closed.
    func closedStream() {
        let isLast = locked {
            openStreams -= 1
            return openStreams == 0
        }
        if isLast { close() }
    }

    /// Closes the channel; data written before is still sent.
    func close() {
        loop.execute { [self] in
            guard !isOver else { return }
            if isAllSent { channel.close() } else { closing.arm(at: loop.now + Self.closingTime) }
        }
    }
}
