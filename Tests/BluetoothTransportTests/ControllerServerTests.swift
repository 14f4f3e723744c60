import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualTransport

@testable import BluetoothTransport

@Suite(.timeLimit(.minutes(2))) struct ControllerServerTests {
    private let loop = RadioLoop()

    /// An air, its server, and the server's events.
    private final class Bench {
        let air: VirtualAir
        let server: ControllerServer
        let (events, continuation) = AsyncStream.makeStream(of: String.self)

        init(_ loop: RadioLoop) {
            air = VirtualAir(loop: loop)
            server = ControllerServer(air: air)
            server.onEvent = { [continuation] event in
                switch event {
                case .connected: continuation.yield("connected")
                case .disconnected(_, _, let error):
                    continuation.yield("disconnected \(error.map { "\($0)" } ?? "by us")")
                case .refused: continuation.yield("refused")
                }
            }
        }
    }

    private func makeBench() async -> LoopBound<Bench> {
        let loop = loop
        return await loop.run { LoopBound(confined: Bench(loop), loop: loop) }
    }

    private func listen(_ bench: LoopBound<Bench>, _ text: String) async throws -> ListenAddress {
        let address = try ListenAddress(text)
        let result: Result<ListenAddress, TransportError> = await withCheckedContinuation { continuation in
            loop.execute { bench.value.server.listen(on: address) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }

    private func events(_ bench: LoopBound<Bench>) async -> AsyncStream<String>.Iterator {
        await loop.run { bench.value.events }.makeAsyncIterator()
    }

    @Test(arguments: ["tcp", "unix", "seq"])
    func eachHostHasItsOwnControllerUntilItDisconnects(_ scheme: String) async throws {
        let place = try TemporaryPath()
        let bench = await makeBench()
        let address = try await listen(bench, scheme == "tcp" ? "tcp:0" : "\(scheme):\(place.path)")
        var events = await events(bench)
        // Our own channels are the hosts, on another loop, as in another program.
        let one = try await TestChannel.open("\(address)")
        #expect(await events.next() == "connected")
        let two = try await TestChannel.open("\(address)")
        #expect(await events.next() == "connected")
        // Read BD_ADDR
        for host in [one, two] { await host.send([1, 0x09, 0x10, 0]) }
        let addresses = await [one.events.packets(1), two.events.packets(1)].map { $0.first?.suffix(6) }
        #expect(addresses[0]?.count == 6 && addresses[0] != addresses[1])
        #expect(await loop.run { bench.value.air.controllers.count } == 2)

        await one.close()
        #expect(await events.next()?.hasPrefix("disconnected") == true)
        #expect(await loop.run { (bench.value.air.controllers.count, bench.value.server.hostCount) } == (1, 1))

        await loop.run { bench.value.server.close() }
        guard case .closedByPeer = await two.events.end() else {
            Issue.record("the second host was not told")
            return
        }
        #expect(await loop.run { (bench.value.air.controllers.count, bench.value.server.hostCount) } == (0, 0))
        if scheme != "tcp" { #expect(!place.exists) }
        await #expect(throws: TransportError.self) { _ = try await TestChannel.open("\(address)") }
    }

    @Test func aHostThatDoesNotSendHCIIsDisconnected() async throws {
        let bench = await makeBench()
        guard case .tcp(_, let port) = try await listen(bench, "tcp:0") else { return }
        var events = await events(bench)
        let peer = try await PlainSocket.connect(port: port)
        #expect(await events.next() == "connected")
        await peer.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(await events.next()?.contains("the data is not HCI") == true)
        #expect(await peer.read().isEmpty)
        #expect(await loop.run { bench.value.air.controllers.isEmpty })
        await loop.run { bench.value.server.close() }
    }

    @Test func oneServerListensAtSeveralAddresses() async throws {
        let place = try TemporaryPath()
        let bench = await makeBench()
        let first = try await listen(bench, "tcp:0")
        let second = try await listen(bench, "seq:\(place.path)")
        #expect(await loop.run { bench.value.server.addresses } == [first, second])
        let again = await #expect(throws: TransportError.self) { _ = try await listen(bench, "seq:\(place.path)") }
        #expect(again == .addressInUse(place.path))
        for address in [first, second] {
            let host = try await TestChannel.open("\(address)")
            await host.send(Packets.reset)
            #expect(await host.events.packets(1).count == 1)
            await host.close()
        }
        await loop.run { bench.value.server.close() }
    }
}
