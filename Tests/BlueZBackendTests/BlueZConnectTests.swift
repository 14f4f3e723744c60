import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import SystemBus
import Testing

@testable import BlueZBackend

/// Attempts to connect over a fake `bluetoothd`, on a stepped clock.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZConnectTests {
    let clock = RadioClock.manual()
    let world: FakeWorld

    init() async throws { world = try await FakeWorld(loop: RadioLoop(clock: clock)) }

    @Test("An attempt that BlueZ does not answer is aborted after 20 s, and repeated")
    func repeatsASilentAttempt() async throws {
        let connecting = Task {
            await world.onLoop { fake, radio, done in
                fake.addDevice()
                // Proof of `unsafe`: the fake runs on the loop, as this closure does.
                nonisolated(unsafe) var pending: BusCall?
                fake.answers["Connect"] = { call in
                    guard fake.count("Connect") > 1 else { return pending = call }
                    fake.change(call.path, BlueZ.device, ["Connected": .bool(true)])
                    call.respond(.success([]))
                }
                fake.answers["Disconnect"] = { call in
                    call.respond(.success([]))
                    pending?.respond(.failure(FakeBlueZ.abort))
                }
                _ = radio.connect(FakeWorld.id, ConnectRequest()) { done($0.map { _ in }) }
            } as Result<Void, RadioError>
        }
        await world.called("Connect", 1)
        await clock.advance(by: .milliseconds(19_900))
        await world.settle()
        #expect(await world.calls("Disconnect") == 0)
        await clock.advance(by: .milliseconds(200))
        await world.called("Disconnect", 1)
        await world.settle()
        await clock.advance(by: .milliseconds(300))
        try await connecting.value.get()
        #expect(await world.calls("Connect") == 2)
        let counters = await world.loop.run { [radio = world.radio] in radio.value.diagnostics.connections }
        #expect(counters.attempts == 1 && counters.established == 1 && counters.retries == 0)
    }
}
