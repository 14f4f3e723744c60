import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import SystemBus
import Testing

@testable import BlueZBackend

/// Scans over a fake `bluetoothd` that reports nothing, for a different reason in each test.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZScanTests {
    let clock = RadioClock.manual()
    let world: FakeWorld

    init() async throws { world = try await FakeWorld(loop: RadioLoop(clock: clock)) }

    /// Starts a scan whose reports go to the returned stream.
    private func scan(_ prepare: @escaping @Sendable (FakeBlueZ) -> Void) async -> AsyncStream<ScanReport> {
        let (stream, continuation) = AsyncStream<ScanReport>.makeStream()
        let (fake, radio) = (world.fake, world.radio)
        await world.loop.run {
            prepare(fake.value)
            _ = radio.value.scan(ScanRequest()) {
                continuation.yield($0)
            } ended: { _ in
                continuation.finish()
            }
        }
        return stream
    }

    @Test("A lost first report is received after the discovery restarts at 3 s")
    func beginsAnew() async {
        let stream = await scan { fake in
            // The controller reports each device once per session, and the first report is lost.
            fake.when("StartDiscovery", 2) { fake.addDevice() }
        }
        await world.called("StartDiscovery", 1)
        // Its answer has been received when another call is answered.
        await world.settle()
        await clock.advance(by: .milliseconds(2900))
        await world.settle()
        #expect(await world.calls("StopDiscovery") == 0)
        await clock.advance(by: .milliseconds(200))
        let report = await stream.first { _ in true }
        #expect(report?.rssi == -44)
        #expect(await world.calls("StopDiscovery") == 1)
    }

    @Test("Without reports the restart interval grows")
    func waitsLonger() async {
        let stream = await scan { _ in }
        for (count, seconds) in [3, 6, 12].enumerated() {
            await world.called("StartDiscovery", count + 1)
            await world.settle()
            await clock.advance(by: .seconds(seconds) - .milliseconds(1))
            await world.settle()
            #expect(await world.calls("StopDiscovery") == count)
            await clock.advance(by: .milliseconds(1))
            await world.called("StopDiscovery", count + 1)
        }
        withExtendedLifetime(stream) {}
    }

    @Test("A discovery that another program's stop has ended is restarted")
    func outlivesOthers() async {
        let stream = await scan { fake in
            fake.answers["StartDiscovery"] = { call in
                call.respond(.success([]))
                fake.change(call.path, BlueZ.adapter, ["Discovering": .bool(fake.count("StartDiscovery") > 1)])
            }
            fake.when("StartDiscovery", 2) { fake.addDevice() }
        }
        #expect(await stream.first { _ in true }?.rssi == -44)
    }

    @Test("A device that BlueZ already knows from another session is reported")
    func showsWhatIsHeard() async {
        let stream = await scan { fake in fake.addDevice() }
        #expect(await stream.first { _ in true }?.rssi == -44)
    }

    @Test("A discovery pattern of another program hides no device")
    func asksForEverything() async {
        let (fake, loop) = (world.fake, world.loop)
        let filters = LoopBound<[[String: BusValue]]>([], loop: loop)
        let stream = await scan { fake in
            fake.answers["SetDiscoveryFilter"] = { call in
                filters.value.append(call.arguments.first?.properties ?? [:])
                call.respond(.success([]))
            }
        }
        await world.called("StartDiscovery", 1)
        let all = await loop.run { filters.value }
        // If BlueZ does not support the last one, the first one applies.
        #expect(all.map { $0["Pattern"]?.text } == [nil, ""])
        #expect(all.allSatisfy { $0["Transport"]?.text == "le" && $0["DuplicateData"]?.bool == true })
        withExtendedLifetime((stream, fake)) {}
    }

    @Test("A connect fails at once if BlueZ refuses the discovery; the next one succeeds")
    func refusesToLook() async {
        let (fake, radio) = (world.fake, world.radio)
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<RadioError?, Never>) in
            world.loop.execute {
                fake.value.answers["StartDiscovery"] = {
                    $0.respond(.failure(BusError("org.bluez.Error.Failed", "no way")))
                }
                _ = radio.value.connect(FakeWorld.id, ConnectRequest(timeout: nil)) {
                    continuation.resume(returning: $0.failure)
                }
            }
        }
        #expect(error != nil)
        let isConnected = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            world.loop.execute {
                let fake = fake.value
                fake.answers["StartDiscovery"] = nil
                fake.when("StartDiscovery", 2) { fake.addDevice() }
                _ = radio.value.connect(FakeWorld.id, ConnectRequest(timeout: nil)) { result in
                    continuation.resume(returning: (try? result.get())?.isConnected ?? false)
                }
            }
        }
        #expect(isConnected)
    }

    @Test("A device removed between two attempts is scanned for before the next one")
    func looksForWhatWasForgotten() async {
        let (fake, radio) = (world.fake, world.radio)
        await world.loop.run { fake.value.addDevice() }
        await world.settle()
        let isConnected = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            world.loop.execute {
                let fake = fake.value
                fake.answers["Connect"] = { call in
                    fake.answers["Connect"] = nil
                    call.respond(.failure(FakeBlueZ.abort))
                    fake.remove(FakeBlueZ.devicePath)
                }
                fake.when("StartDiscovery") { fake.addDevice() }
                _ = radio.value.connect(FakeWorld.id, ConnectRequest(timeout: nil)) { result in
                    continuation.resume(returning: (try? result.get())?.isConnected ?? false)
                }
            }
            Task { [clock, world] in
                await world.called("Connect", 1)
                await world.settle()
                await clock.advance(by: .seconds(1))
            }
        }
        #expect(isConnected)
    }
}
