import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import SystemBus
import Testing

@testable import BlueZBackend

/// A fixed passkey that the agent enters: each failed attempt reveals a part of it to the device.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZPasskeyTests {
    let world: FakeWorld

    init() async throws { world = try await FakeWorld() }

    /// The outcome of a series of pairings.
    private struct Outcome: Sendable {
        /// For each request of BlueZ, true if it received the passkey.
        var answers: [Bool] = []
        var blocked = 0
    }

    /// Pairs once for each element, which is true if the device accepts the passkey; the adapter's user allows the
    /// passkey again before the attempt with the index `allowed`.
    private func pair(_ accepts: [Bool], allowedBefore allowed: Int? = nil) async -> Outcome {
        await world.onLoop { fake, radio, done in
            // Touched on the loop only.
            nonisolated(unsafe) var outcome = Outcome()
            nonisolated(unsafe) var held: (any PeripheralLink)?
            let handler = FixedPasskeyHandler()
            let user = RadioUser(pairingHandler: handler)
            radio.limitPasskeys(by: CountingLimiter())
            radio.addUser(user)
            fake.addDevice()
            fake.answers["Pair"] = { call in
                let agent = fake.senders["RegisterAgent"] ?? ""
                let isAccepted = accepts[outcome.answers.count]
                fake.bus.call(
                    agent, PairingAgent.path, BlueZ.agent, "RequestPasskey", [.path(FakeBlueZ.devicePath)]
                ) { result in
                    let isGiven = result.failure == nil
                    outcome.answers.append(isGiven)
                    call.respond(
                        isGiven && isAccepted
                            ? .success([])
                            : .failure(BusError("org.bluez.Error.AuthenticationFailed", "Authentication Failed")))
                }
            }
            func next(_ link: any PeripheralLink) {
                guard outcome.answers.count < accepts.count else {
                    outcome.blocked = handler.blocked
                    withExtendedLifetime(held) {}
                    return done(outcome)
                }
                if outcome.answers.count == allowed { try? radio.allowPasskey(FixedPasskeyHandler.number) }
                _ = link.pair(to: .encrypted, timeout: nil) { _ in radio.loop.executeNext { next(link) } }
            }
            _ = radio.connect(FakeWorld.id, ConnectRequest(timeout: nil), for: user) { result in
                guard let link = try? result.get() else { return done(outcome) }
                held = link
                next(link)
            }
        }
    }

    @Test("A fixed passkey is refused after three failed attempts, which is reported")
    func isRefused() async {
        let outcome = await pair([false, false, false, false, false])
        #expect(outcome.answers == [true, true, true, false, false])
        #expect(outcome.blocked == 3)
    }

    @Test("A success does not reset the count of failures")
    func successes() async {
        let outcome = await pair([false, false, true, false, true])
        #expect(outcome.answers == [true, true, true, true, false])
    }

    @Test("The program can accept the passkey again")
    func isAllowed() async {
        let outcome = await pair([false, false, false, false, true], allowedBefore: 4)
        #expect(outcome.answers == [true, true, true, false, true])
        #expect(outcome.blocked == 2)
    }
}

/// Three attempts, as the store of the host backend counts them.
private final class CountingLimiter: PasskeyLimiter {
    private var failures = 0
    func allows(_ passkey: UInt32) -> Bool { failures < Self.failureLimit }
    func begin(_ passkey: UInt32) -> Bool {
        guard allows(passkey) else { return false }
        failures += 1
        return true
    }
    func succeed(_ passkey: UInt32) { failures -= 1 }
    func reset(_ passkey: UInt32) { failures = 0 }
}

/// Proof of `@unchecked Sendable`: accessed on the loop only.
private final class FixedPasskeyHandler: PairingHandler, @unchecked Sendable {
    static let number: UInt32 = 654_321
    let capability = PairingCapability.keyboardOnly
    let passkey: UInt32? = FixedPasskeyHandler.number
    private(set) var blocked = 0

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) { answer(question == .enterPasskey ? .passkey(Self.number) : .refuse) }
    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {}
    func passkeyBlocked() { blocked += 1 }
}
