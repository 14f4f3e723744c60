import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Testing

@testable import BlueZBackend

/// A channel on a pair of packet sockets, which behave as the kernel's of L2CAP do; the test is the peer.
final class ChannelPair: Sendable {
    let loop = RadioLoop()
    let peer: Int32
    let channel: LoopBound<SocketChannel>
    /// "one", "two", and at last "closed: ...".
    let events: AsyncStream<String>
    private let event: AsyncStream<String>.Continuation

    init() async throws {
        var descriptors: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &descriptors) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        let own = descriptors[0]
        peer = descriptors[1]
        let id = PeripheralID(BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random))
        let loop = loop
        channel = await loop.run {
            LoopBound(confined: SocketChannel(own, psm: 0x80, peer: id, peerMTU: 100, loop: loop), loop: loop)
        }
        (events, event) = AsyncStream<String>.makeStream()
    }

    deinit { close(peer) }

    func attach() async {
        let (channel, event) = (channel, event)
        await loop.run {
            channel.value.attach {
                event.yield(String(decoding: $0.array, as: UTF8.self))
            } closed: {
                event.yield("closed: \($0.map { "\($0)" } ?? "in order")")
                event.finish()
            }
        }
    }

    func consume() async {
        let channel = channel
        await loop.run { channel.value.consumed() }
    }

    func write(_ text: String) async -> Result<Void, RadioError> {
        let channel = channel
        return await withCheckedContinuation { continuation in
            loop.execute { channel.value.write(Array(text.utf8)) { continuation.resume(returning: $0) } }
        }
    }

    /// The peer sends a message.
    func say(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { send(peer, $0.baseAddress, $0.count, 0) } }

    /// Returns the data that the peer has received.
    func heard() -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}

@Suite(.timeLimit(.minutes(3))) struct SocketChannelTests {
    @Test func messageBoundariesArePreservedInBothDirections() async throws {
        let pair = try await ChannelPair()
        pair.say("one")
        pair.say("")
        pair.say("three")
        await pair.attach()
        var events = pair.events.makeAsyncIterator()
        #expect(await events.next() == "one")
        #expect(await events.next() == "")
        #expect(await events.next() == "three")
        #expect(try await pair.write("four").get() == ())
        #expect(try await pair.write("five").get() == ())
        #expect(pair.heard() == "four")
        #expect(pair.heard() == "five")
    }

    @Test func aSlowReaderLeavesTheRemainingMessagesInTheKernel() async throws {
        let pair = try await ChannelPair()
        for number in 0..<12 { pair.say("\(number)") }
        await pair.attach()
        var events = pair.events.makeAsyncIterator()
        for number in 0..<8 { #expect(await events.next() == "\(number)") }
        // Consuming one message makes room for one more: the ninth is received, and the tenth stays in the socket.
        await pair.consume()
        #expect(await events.next() == "8")
        for _ in 0..<8 { await pair.consume() }
        for number in 9..<12 { #expect(await events.next() == "\(number)") }
    }

    @Test func thePeerClosesTheChannel() async throws {
        let pair = try await ChannelPair()
        pair.say("last")
        shutdown(pair.peer, Int32(SHUT_RDWR))
        await pair.attach()
        #expect(await pair.events.reduce(into: []) { $0.append($1) } == ["last", "closed: in order"])
        guard case .failure(.notConnected) = await pair.write("late") else {
            Issue.record("a closed channel has taken a message")
            return
        }
    }

    @Test func theEndOfTheLinkIsReportedAsDisconnection() async throws {
        let pair = try await ChannelPair()
        await pair.attach()
        pair.say("last")
        shutdown(pair.peer, Int32(SHUT_RDWR))
        let channel = pair.channel
        await pair.loop.run { channel.value.linkEnded(.disconnected(.connectionTimeout)) }
        let error = "\(RadioError.disconnected(.connectionTimeout))"
        #expect(await pair.events.reduce(into: []) { $0.append($1) } == ["last", "closed: \(error)"])
    }

    @Test func aMessageLongerThanThePeersMTUIsRefused() async throws {
        let pair = try await ChannelPair()
        guard case .failure(.invalidArgument) = await pair.write(String(repeating: "x", count: 101)) else {
            Issue.record("101 octets where the peer takes 100")
            return
        }
    }

    @Test func aFullSocketSlowsTheSenderAndClosingFailsQueuedMessages() async throws {
        let pair = try await ChannelPair()
        let channel = pair.channel
        let (results, result) = AsyncStream<String>.makeStream()
        await pair.loop.run {
            for _ in 0..<2000 {
                channel.value.write([UInt8](repeating: 1, count: 100)) { outcome in
                    switch outcome {
                    case .success: result.yield("sent")
                    case .failure(.limit): result.yield("too many")
                    case .failure(.disconnected): result.yield("ended")
                    case .failure(let error): result.yield("\(error)")
                    }
                }
            }
            channel.value.close()
            result.finish()
        }
        var counts: [String: Int] = [:]
        for await outcome in results { counts[outcome, default: 0] += 1 }
        #expect(counts["ended"] == 64)
        #expect((counts["sent"] ?? 0) > 0)
        #expect(counts.values.reduce(0, +) == 2000 && counts.keys.count == 3)
    }

    @Test func socketAddressesRoundTrip() {
        let address = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)
        let bytes = L2CAPSocket.address(address, psm: 0x00C1)
        #expect(bytes.dropFirst(2) == [0xC1, 0, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 0, 0, 2, 0])
        let parsed = bytes.withByteView { L2CAPSocket.parse($0) }
        #expect(parsed?.psm == 0x00C1 && parsed?.address == address)
        for count in 0..<13 { #expect(bytes.withByteView { L2CAPSocket.parse($0.prefix(count)) } == nil) }
    }
}

/// Requests to the kernel's management interface, and its replies.
@Suite(.timeLimit(.minutes(3))) struct ConnectionInformationTests {
    private static let peer = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)
    private static let place: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2]

    private func answer(_ bytes: [UInt8]) -> ConnectionInformationRequest.Answer? {
        bytes.withByteView { ConnectionInformationRequest.answer($0, adapter: 1, peer: Self.peer) }
    }

    @Test func theSignalStrengthIsRequestedAndParsed() {
        #expect(
            ConnectionInformationRequest.question(adapter: 1, peer: Self.peer) == [0x31, 0, 1, 0, 7, 0] + Self.place)
        let head: [UInt8] = [1, 0, 1, 0, 13, 0, 0x31, 0, 0]
        #expect(answer(head + Self.place + [0xC4, 0, 10]) == .strength(-60))
        #expect(answer(head + Self.place + [127, 127, 127]) == ConnectionInformationRequest.Answer.none)
    }

    @Test func refusalsAreDistinguished() {
        #expect(answer([2, 0, 1, 0, 3, 0, 0x31, 0, 0x14]) == .denied)
        #expect(answer([1, 0, 1, 0, 10, 0, 0x31, 0, 0x02] + Self.place) == .notConnected)
        #expect(answer([2, 0, 1, 0, 3, 0, 0x31, 0, 0x11]) == ConnectionInformationRequest.Answer.none)
    }

    @Test func anUnrelatedReplyIsIgnored() {
        // Replies for another adapter and to another command, an event, and a truncated reply.
        #expect(answer([1, 0, 2, 0, 13, 0, 0x31, 0, 0] + Self.place + [0xC4, 0, 10]) == nil)
        #expect(answer([1, 0, 1, 0, 13, 0, 0x32, 0, 0] + Self.place + [0xC4, 0, 10]) == nil)
        #expect(answer([0x0B, 0, 1, 0, 13, 0, 0x31, 0, 0] + Self.place + [0xC4, 0, 10]) == nil)
        #expect(answer([1, 0, 1, 0, 3, 0, 0x31]) == nil)
    }
}
