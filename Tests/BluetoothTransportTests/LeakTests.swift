import BluetoothRuntime
import Testing

@testable import BluetoothTransport

/// Each in a process of its own, where no other test opens anything.
@Suite struct LeakTests {
    @Test func fiveHundredConnectionsLeaveNoDescriptorBehind() async {
        await #expect(processExitsWith: .success) { try await LeakTests.makeConnections() }
    }

    @Test func fiveHundredFailuresLeaveNoDescriptorBehind() async {
        await #expect(processExitsWith: .success) { try await LeakTests.failToConnect() }
    }

    private static func makeConnections() async throws {
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
        let before = descriptorCount()
        for round in 0..<500 {
            let channel = try await TestChannel.open("seq:\(path)")
            // One half is closed by us, one half by the other side.
            if round % 2 == 0 { await channel.close() } else { _ = await channel.events.end() }
        }
        #expect(descriptorCount() < before + 20)
        #expect(accepted.count == 500)
        await loop.run { listener.value.close() }
    }

    private static func failToConnect() async throws {
        let place = try TemporaryPath()
        let before = descriptorCount()
        for _ in 0..<500 {
            await #expect(throws: TransportError.self) { _ = try await TestChannel.open("unix:\(place.path)") }
        }
        #expect(descriptorCount() < before + 20)
    }
}
