import BluetoothModel
import BluetoothRuntime

@testable import BluetoothTransport

/// The events of a channel, as a sequence that a test awaits.
struct ChannelEvents: Sendable {
    enum Event: Equatable, Sendable {
        case packet([UInt8])
        case drained
        case closed(TransportError?)
    }

    private let stream: AsyncStream<Event>
    fileprivate let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Event.self) }

    func makeIterator() -> AsyncStream<Event>.Iterator { stream.makeAsyncIterator() }

    /// Returns the next `count` packets, regardless of other events between them.
    func packets(_ count: Int) async -> [[UInt8]] {
        var packets: [[UInt8]] = []
        guard count > 0 else { return [] }
        for await event in stream {
            switch event {
            case .packet(let bytes): packets.append(bytes)
            case .closed: return packets
            case .drained: continue
            }
            if packets.count == count { break }
        }
        return packets
    }

    /// Awaits the end, and returns its reason.
    func end() async -> TransportError? {
        for await event in stream {
            if case .closed(let error) = event { return error }
        }
        return nil
    }

    /// Awaits that the queue has drained.
    func drain() async {
        for await event in stream where event == .drained { return }
    }
}

/// A delegate that forwards every event to a test.
final class Recorder: HCIChannelDelegate {
    private let events: ChannelEvents
    var onPacket: ((any HCIChannel, [UInt8]) -> Void)?
    weak var channel: (any HCIChannel)?
    /// The times of the loop's turns in which packets were received.
    private(set) var turns: Set<RadioInstant> = []

    deinit { channel?.delegate = nil }

    init(_ events: ChannelEvents) { self.events = events }

    func channel(_ channel: any HCIChannel, received packet: ByteView) {
        channel.loop.preconditionOnLoop()
        turns.insert(channel.loop.now)
        events.continuation.yield(.packet(packet.array))
        onPacket?(channel, packet.array)
    }

    func channelDidDrain(_ channel: any HCIChannel) { events.continuation.yield(.drained) }
    func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        events.continuation.yield(.closed(error))
    }
}

/// A channel and its delegate, held for a test.
struct TestChannel: Sendable {
    let loop: RadioLoop
    let events: ChannelEvents
    let channel: LoopBound<any HCIChannel>
    private let recorder: LoopBound<Recorder>

    /// Opens an adapter.
    static func open(_ uri: String, on loop: RadioLoop = .shared) async throws -> TestChannel {
        let adapter = try AdapterURI(uri)
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                HCITransport.open(adapter, on: loop) { result in
                    continuation.resume(with: result.map { TestChannel(confined: $0, on: loop) })
                }
            }
        }
    }

    /// Makes a channel on the loop.
    static func make(
        on loop: RadioLoop = .shared, _ body: @escaping @Sendable (RadioLoop) -> any HCIChannel
    ) async -> TestChannel {
        await loop.run { TestChannel(confined: body(loop), on: loop) }
    }

    /// Only on the loop.
    init(confined channel: any HCIChannel, on loop: RadioLoop) {
        self.loop = loop
        events = ChannelEvents()
        let recorder = Recorder(events)
        self.recorder = LoopBound(confined: recorder, loop: loop)
        self.channel = LoopBound(confined: channel, loop: loop)
        recorder.channel = channel
        channel.delegate = recorder
    }

    func send(_ packet: [UInt8]) async {
        await loop.run { packet.withByteView { channel.value.send($0) } }
    }

    func onPacket(_ body: @escaping @Sendable (any HCIChannel, [UInt8]) -> Void) async {
        await loop.run { recorder.value.onPacket = body }
    }

    /// Returns the number of turns of the loop in which packets were received.
    func turns() async -> Int { await loop.run { recorder.value.turns.count } }

    /// Removes the channel's delegate, until ``listenAgain()``.
    func stopListening() async { await loop.run { channel.value.delegate = nil } }

    func listenAgain() async { await loop.run { channel.value.delegate = recorder.value } }

    func close() async { await loop.run { channel.value.close() } }
}
