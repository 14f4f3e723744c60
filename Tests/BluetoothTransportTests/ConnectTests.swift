import BluetoothRuntime
import Testing

@testable import BluetoothTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct ConnectTests {
    /// Returns the error of opening a channel that cannot be opened.
    private func failure(_ uri: String) async -> TransportError? {
        do {
            let channel = try await TestChannel.open(uri)
            await channel.close()
            Issue.record("\(uri) was opened")
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @Test func tcpCarriesPacketsBothWays() async throws {
        let (listener, port) = try PlainSocket.listen()
        async let accepted = listener.accept()
        let channel = try await TestChannel.open("tcp:127.0.0.1:\(port)")
        let peer = await accepted
        await channel.send(Packets.reset)
        #expect(await peer.read(exactly: Packets.reset.count) == Packets.reset)
        async let received = channel.events.packets(Packets.mixed.count)
        await peer.write(Packets.mixed.flatMap { $0 })
        #expect(await received == Packets.mixed)
        let noDelay = await channel.loop.run {
            option((channel.channel.value as? StreamChannel)?.descriptor ?? -1, Int32(IPPROTO_TCP), TCP_NODELAY)
        }
        #expect(noDelay != 0)
        await channel.close()
        #expect(await peer.read().isEmpty)
    }

    @Test func aHostNameIsResolved() async throws {
        let (listener, port) = try PlainSocket.listen()
        async let accepted = listener.accept()
        // "localhost" may be ::1 first, where there is no listener; the next address is tried then.
        let channel = try await TestChannel.open("tcp:localhost:\(port)")
        _ = await accepted
        await channel.close()
    }

    @Test(arguments: [false, true])
    func unixSocketsCarryPacketsBothWays(packets: Bool) async throws {
        let place = try TemporaryPath()
        let listener = try PlainSocket.listen(path: place.path, packets: packets)
        async let accepted = listener.accept()
        let channel = try await TestChannel.open("\(packets ? "seq" : "unix"):\(place.path)")
        let peer = await accepted
        await channel.send(Packets.reset)
        #expect(await peer.read() == Packets.reset)
        await peer.write(Packets.reset)
        #expect(await channel.events.packets(1) == [Packets.reset])
        await channel.close()
    }

    @Test func aPortWithoutListenerIsAnError() async throws {
        let port: UInt16
        do {
            let (listener, free) = try PlainSocket.listen()
            port = free
            _ = listener
        }
        #expect(await failure("tcp:127.0.0.1:\(port)") == .refused("tcp:127.0.0.1:\(port)"))
    }

    @Test func aHostWithoutAddressIsAnError() async throws {
        let error = await failure("tcp:no-such-host.invalid:9001")
        guard case .hostNotFound("no-such-host.invalid", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aPathWithoutSocketIsAnError() async throws {
        let place = try TemporaryPath()
        for scheme in ["unix", "seq"] {
            guard case .notFound = await failure("\(scheme):\(place.path)") else {
                Issue.record("no error for a missing socket")
                continue
            }
        }
    }

    @Test func aSocketOfTheOtherTypeIsAnErrorWithTheRightScheme() async throws {
        let place = try TemporaryPath()
        let listener = try PlainSocket.listen(path: place.path, packets: false)
        let error = await failure("seq:\(place.path)")
        #expect(error.map { "\($0)".contains("'unix:'") } == true)
        _ = listener
    }

    @Test func aPathThatIsTooLongIsAnErrorWithTheLimit() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let error = await failure("unix:\(path)")
        #expect(error.map { "\($0)".contains("205 bytes") && "\($0)".contains("\(SocketAddress.longestPath)") } == true)
    }

    @Test(arguments: ["auto", "virtual:", "bluez:hci0"])
    func aURIThatIsNotATransportIsAnError(_ uri: String) async throws {
        guard case .unsupported(uri, _) = await failure(uri) else {
            Issue.record("\(uri) gave another error")
            return
        }
    }

    @Test func connectingWaitsForAFullListenQueue() async throws {
        let place = try TemporaryPath()
        let listener = try PlainSocket.listen(path: place.path, packets: true)
        // More than the queue of 8 takes at once.
        try await withThrowingTaskGroup(of: TestChannel.self) { group in
            for _ in 0..<24 { group.addTask { try await TestChannel.open("seq:\(place.path)") } }
            await blocking { [descriptor = listener.descriptor] in
                for _ in 0..<24 { _ = PlainSocket(Glibc.accept(descriptor, nil, nil)) }
            }
            for try await channel in group { await channel.close() }
        }
    }

    @Test func openingCanBeCancelled() async throws {
        let loop = RadioLoop.shared
        let error: TransportError? = await withCheckedContinuation { continuation in
            loop.execute {
                let opening = HCITransport.open(.tcpServer(host: nil, port: 0), on: loop) { result in
                    if case .failure(let error) = result { continuation.resume(returning: error) }
                }
                opening.cancel()
                opening.cancel()
            }
        }
        #expect(error == .cancelled("tcp-server:0"))
    }

    private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, level, name, &value, &length)
        return value
    }
}
