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

@Suite(.timeLimit(.minutes(2))) struct ListenTests {
    private let loop = RadioLoop.shared

    /// Listens and closes every connection at once.
    private func listen(_ address: ListenAddress) async -> Result<LoopBound<Listener>, TransportError> {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                Listener.open(address, on: loop) {
                    SystemCall.close($0)
                } completion: { result in
                    continuation.resume(returning: result.map { LoopBound(confined: $0, loop: loop) })
                }
            }
        }
    }

    private func close(_ listener: LoopBound<Listener>) async { await loop.run { listener.value.close() } }

    @Test func aFreePortIsChosenAndReportedOnLoopback() async throws {
        for _ in 0..<10 {
            let listener = try await listen(.tcp(host: nil, port: 0)).get()
            guard case .tcp(nil, let port) = await loop.run({ listener.value.address }) else {
                Issue.record("no port")
                return
            }
            #expect(port != 0)
            let peer = try await PlainSocket.connect(port: port)
            #expect(await peer.read().isEmpty)
            let again = await listen(.tcp(host: nil, port: port))
            #expect(again.failure == .addressInUse("tcp:127.0.0.1:\(port)"))
            await close(listener)
            // Another program may get the port before this one.
            if case .success(let later) = await listen(.tcp(host: nil, port: port)) { return await close(later) }
        }
        Issue.record("a port is not free after its listener was closed")
    }

    @Test func anAddressOfAnotherMachineIsAnError() async throws {
        guard case .unreachable = await listen(.tcp(host: "192.0.2.1", port: 0)).failure else {
            Issue.record("listened at 192.0.2.1")
            return
        }
    }

    @Test(arguments: [false, true])
    func theSocketOfADeadProgramIsReplaced(packets: Bool) async throws {
        let place = try TemporaryPath()
        let address: ListenAddress = packets ? .seq(path: place.path) : .unix(path: place.path)
        do {
            // The file remains when the program ends without removing it.
            _ = try PlainSocket.listen(path: place.path, packets: packets)
        }
        #expect(place.exists)
        let listener = try await listen(address).get()
        let peer = try await PlainSocket.connect(path: place.path, packets: packets)
        #expect(await peer.read().isEmpty)
        await close(listener)
        #expect(!place.exists)
    }

    @Test func theSocketOfARunningProgramIsKept() async throws {
        let place = try TemporaryPath()
        let living = try PlainSocket.listen(path: place.path, packets: true)
        for address in [ListenAddress.seq(path: place.path), .unix(path: place.path)] {
            #expect(await listen(address).failure == .addressInUse(place.path))
        }
        #expect(place.exists)
        _ = living
    }

    @Test func aFileThatIsNotASocketIsKept() async throws {
        let place = try TemporaryPath()
        SystemCall.close(open(place.path, O_CREAT | O_WRONLY, 0o600))
        guard case .invalidPath = await listen(.unix(path: place.path)).failure else {
            Issue.record("the file was replaced")
            return
        }
        #expect(place.exists)
    }

    @Test func aFileThatReplacedTheSocketIsKept() async throws {
        let place = try TemporaryPath()
        let listener = try await listen(.unix(path: place.path)).get()
        unlink(place.path)
        let other = try PlainSocket.listen(path: place.path, packets: false)
        await close(listener)
        #expect(place.exists)
        _ = other
    }

    @Test func aMissingFolderIsAnError() async throws {
        let place = try TemporaryPath()
        guard case .notFound = await listen(.unix(path: place.folder + "/none/socket")).failure else {
            Issue.record("listened in no folder")
            return
        }
    }

    @Test func aTCPServerAcceptsOneControllerAtATime() async throws {
        let loop = loop
        var port: UInt16 = 0
        for round in 0..<3 {
            // The second time, the port that the system chose before.
            let wanted = port
            let (stream, continuation) = AsyncStream.makeStream(of: TestChannel.self)
            let opening = await loop.run {
                let opening = HCITransport.open(.tcpServer(host: nil, port: wanted), on: loop) { result in
                    if case .success(let channel) = result {
                        continuation.yield(TestChannel(confined: channel, on: loop))
                    }
                    continuation.finish()
                }
                return LoopBound(confined: opening, loop: loop)
            }
            while port == 0 || round > 0 {
                if case .tcp(_, let chosen)? = await loop.run({ opening.value.listenAddress }) {
                    port = chosen
                    break
                }
                await Task.yield()
            }
            let controller = try await PlainSocket.connect(port: port)
            var channels = stream.makeAsyncIterator()
            let channel = try #require(await channels.next())
            await channel.send(Packets.reset)
            #expect(await controller.read() == Packets.reset)
            await #expect(throws: (any Error).self) { _ = try await PlainSocket.connect(port: port) }
            // The controller disconnects; opening the adapter again waits for the next one.
            controller.shutDown()
            #expect(await channel.events.end() == .closedByPeer("tcp-server:\(wanted)"))
        }
    }
}

extension Result {
    /// The error, if there is one.
    var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
