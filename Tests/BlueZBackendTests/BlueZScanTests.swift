import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BlueZBackend

/// Scans over a fake `bluetoothd` that reports nothing, for a different reason in each test.
@Suite(.enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized)
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

    @Test("A report that was lost before BlueZ listened is heard when the discovery is begun anew, after 3 s")
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

    @Test("Where nothing is heard the pauses get longer")
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

    @Test("A discovery that BlueZ ends, because another program's end came on top of its beginning, is begun anew")
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

    @Test("A device that another session hears already is shown, though BlueZ says nothing more of it")
    func showsWhatIsHeard() async {
        let stream = await scan { fake in fake.addDevice() }
        #expect(await stream.first { _ in true }?.rssi == -44)
    }

    @Test("No pattern of another program's hides what a scan wants to hear")
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
        // Where BlueZ does not support the last one, the first one applies.
        #expect(all.map { $0["Pattern"]?.text } == [nil, ""])
        #expect(all.allSatisfy { $0["Transport"]?.text == "le" && $0["DuplicateData"]?.bool == true })
        withExtendedLifetime((stream, fake)) {}
    }

    @Test("A device that is looked for is not waited for where BlueZ refuses to discover; the next one is")
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

    @Test("A device that BlueZ forgets between two attempts is looked for, though the scans of others rest")
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
