import BluetoothBackend
import Testing

@testable import Harald

/// Operations of a link of the backend.
@Suite("Operations of a link", .closesRigs, .timeLimit(.minutes(1))) struct LinkOperationTests {
    private final class Held {}

    /// Proof of `@unchecked Sendable`: accessed on the loop only.
    private final class Witness: @unchecked Sendable {
        weak var held: Held?
    }

    @Test("An operation with a timeout is released after its end")
    func nothingIsKept() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let (session, loop) = (peripheral.session, peripheral.radio.loop)
        let witness = Witness()
        await withCheckedContinuation { continuation in
            loop.execute {
                let held = Held()
                witness.held = held
                _ = try? session.value.link().readRSSI(timeout: .seconds(5)) { _ in
                    withExtendedLifetime(held) { continuation.resume() }
                }
            }
        }
        #expect(await loop.run { witness.held == nil })
    }
}
