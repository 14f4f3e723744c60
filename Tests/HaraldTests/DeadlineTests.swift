import BluetoothRuntime
import TestSupport
import Testing
import VirtualTransport

@testable import Harald

/// A timeout covers all steps of an operation. The clock is stepped, so that the elapsed time is exact.
@Suite(.closesRigs, .timeLimit(.minutes(2))) struct DeadlineTests {
    /// Steps the loop's clock until `body` ends. Runs on the loop, so that each step waits for the work of the previous
    /// one.
    private static func stepping<Value: Sendable>(
        _ loop: RadioLoop, _ body: @escaping @Sendable () async -> Value
    ) async -> (value: Value, elapsed: Duration) {
        let isOver = Locked(false)
        let clock = loop.clock
        let start = clock.now
        let task = Task(executorPreference: loop) {
            let value = await body()
            let end = clock.now
            isOver.with { $0 = true }
            return (value, end - start)
        }
        while !isOver.value { await clock.advance(by: .milliseconds(50)) }
        return await task.value
    }

    private static func code(_ body: () async throws -> Void) async -> BluetoothError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? BluetoothError)?.code
        }
    }

    /// A device whose user never answers, so that it stops responding during pairing.
    private static func silentPairing(
        _ body: @escaping @Sendable (Peripheral, RadioClock) async throws -> Void
    ) async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let user = PairingUser { _ in
            let (never, continuation) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            withExtendedLifetime(continuation) {}
            return .refuse
        }
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Lock", pairing: user)
        try await device.publish(
            ServiceDefinition(
                "FFE0",
                [
                    CharacteristicDefinition(
                        "FFE1", [.read, .write], value: [1],
                        permissions: [
                            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
                        ])
                ]))
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"), pairing: PairingUser())
        let address = try #require(await device.address)
        let peripheral = try #require(await central.peripheral(address: address))
        _ = await stepping(radio.loop) { await code { try await peripheral.connect() } }
        let result: (value: (any Error)?, elapsed: Duration) = await stepping(radio.loop) {
            do {
                try await body(peripheral, clock)
                return nil
            } catch {
                return error
            }
        }
        if let error = result.value { Issue.record("\(error)") }
        _ = await stepping(radio.loop) {
            await central.close()
            await device.close()
        }
    }

    @Test func aReadThatPairsEndsAtItsTimeout() async throws {
        try await Self.silentPairing { peripheral, clock in
            let locked = try await peripheral.characteristic("FFE0", "FFE1")
            let start = clock.now
            let code = await Self.code { _ = try await locked.read(timeout: .seconds(3)) }
            #expect(code == .timeout && clock.now - start < .seconds(6), "\(code as Any)")
            // No state remains: the link is usable as before.
            #expect(peripheral.isConnected)
        }
    }

    @Test func aWriteThatPairsEndsAtItsTimeout() async throws {
        try await Self.silentPairing { peripheral, clock in
            let locked = try await peripheral.characteristic("FFE0", "FFE1")
            let start = clock.now
            let code = await Self.code { try await locked.write([1], timeout: .seconds(3)) }
            #expect(code == .timeout && clock.now - start < .seconds(6), "\(code as Any)")
        }
    }

    @Test func pairEndsAtItsTimeout() async throws {
        try await Self.silentPairing { peripheral, clock in
            let start = clock.now
            let code = await Self.code { try await peripheral.pair(timeout: .seconds(3)) }
            #expect(code == .timeout && clock.now - start < .seconds(6), "\(code as Any)")
        }
    }

    /// The error contains the time of the wait, without superfluous digits.
    @Test(arguments: [(Duration.seconds(2), "2 s"), (.milliseconds(1500), "1.5 s"), (.milliseconds(1), "0.001 s")])
    func theErrorOfATimeoutNamesTheTime(_ duration: Duration, _ text: String) async throws {
        let rig = try await Rig(manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        let result = await Self.stepping(rig.radio.loop) {
            do throws(BluetoothError) {
                try await peripheral.withTimeout(duration, "wait") { () async throws(BluetoothError) in
                    // Outlasts the timeout on the stepped clock; the timeout cancels it.
                    try? await peripheral.clock.sleep(for: .seconds(60))
                }
                return "no error"
            } catch {
                return error.reason
            }
        }
        #expect(result.value == "no answer in \(text)")
    }

    /// Packets are delayed so that no single request times out, but all of them together do.
    @Test func theStepsOfADiscoveryShareOneDeadline() async throws {
        let rig = try await Rig(manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        await rig.radio.injectLinkFaults(adapterNamed: "peripheral") { $0.delay = .milliseconds(400) }
        let all = await Self.stepping(rig.radio.loop) {
            await Self.code { try await peripheral.discoverAll(timeout: .seconds(2)) }
        }
        #expect(all.value == .timeout && all.elapsed < .seconds(4), "\(all)")
        let one = await Self.stepping(rig.radio.loop) {
            await Self.code { _ = try await peripheral.characteristic("180F", "2A00", timeout: .seconds(2)) }
        }
        #expect(one.elapsed < .seconds(4), "\(one)")
    }

    /// The validation of discovered attributes counts for the timeout of the connection.
    @Test func connectEndsAtItsTimeoutIfTheDeviceIsSlow() async throws {
        let rig = try await Rig(manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        _ = await Self.stepping(rig.radio.loop) { await Self.code { try await peripheral.discoverAll() } }
        _ = await Self.stepping(rig.radio.loop) { await peripheral.disconnect() }
        await rig.radio.injectFaults(adapterNamed: "peripheral") { $0.link.delay = .milliseconds(1500) }
        let result = await Self.stepping(rig.radio.loop) {
            await Self.code { try await peripheral.connect(timeout: .seconds(2)) }
        }
        #expect(result.value == .timeout && result.elapsed < .seconds(4), "\(result)")
    }

    /// A second caller waits for a reconnecting device no longer than its own timeout.
    @Test func connectEndsAtItsTimeoutDuringAnotherAttempt() async throws {
        let rig = try await Rig(manualClock: true)
        let address = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
        let absent = try #require(await rig.central.device(at: address))
        let first = Task { await Self.code { try await absent.connect(timeout: nil) } }
        for try await state in absent.states where state == .connecting { break }
        let second = await Self.stepping(rig.radio.loop) {
            await Self.code { try await absent.connect(timeout: .seconds(2)) }
        }
        #expect(second.value == .timeout && second.elapsed < .seconds(4), "\(second)")
        first.cancel()
        #expect(await first.value == .cancelled)
    }
}
