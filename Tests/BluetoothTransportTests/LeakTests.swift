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

@Suite(.timeLimit(.minutes(2))) struct LeakTests {
    @Test func fiveHundredConnectionsLeakNoDescriptor() async throws {
        let place = try TemporaryPath()
        let path = place.path
        let loop = RadioLoop.shared
        let accepted = SharedCount()
        let listener: LoopBound<Listener> = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                Listener.open(.seq(path: path), on: loop) { descriptor in
                    accepted.add()
                    SystemCall.close(descriptor)
                } completion: { result in
                    continuation.resume(with: result.map { LoopBound(confined: $0, loop: loop) })
                }
            }
        }
        let before = socketCount(family: AF_UNIX, type: SystemCall.packetSocket)
        for round in 0..<500 {
            let channel = try await TestChannel.open("seq:\(path)")
            // One half is closed by us, one half by the other side.
            if round % 2 == 0 { await channel.close() } else { _ = await channel.events.end() }
        }
        #expect(socketCount(family: AF_UNIX, type: SystemCall.packetSocket) < before + 100)
        #expect(accepted.count == 500)
        await loop.run { listener.value.close() }
    }

    @Test func fiveHundredFailuresLeakNoDescriptor() async throws {
        let place = try TemporaryPath()
        let before = socketCount(family: AF_UNIX, type: SystemCall.streamSocket)
        for _ in 0..<500 {
            await #expect(throws: TransportError.self) { _ = try await TestChannel.open("unix:\(place.path)") }
        }
        #expect(socketCount(family: AF_UNIX, type: SystemCall.streamSocket) < before + 100)
    }
}
