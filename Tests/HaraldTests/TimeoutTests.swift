import Harald
import TestSupport
import Testing

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct TimeoutTests {
    @Test(arguments: RigStack.centrals) func anAbsentDeviceEndsTheConnectWithItsTimeout(_ stack: RigStack) async throws
    {
        let rig = try await Rig(stack, manualClock: true)
        let address = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
        let absent = try #require(await rig.central.device(at: address))
        let states = absent.states
        let connecting = Task { try await absent.connect(timeout: .seconds(5)) }
        _ = try await states.first { $0 == .connecting }
        await rig.clock.advance(by: .seconds(6))
        let error = await #expect(throws: BluetoothError.self) { try await connecting.value }
        #expect(error?.code == .timeout)
        #expect(error?.description.contains("no answer in 5 s") == true)
    }

    @Test(arguments: RigStack.centrals) func aCancelledConnectEnds(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let address = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
        let absent = try #require(await rig.central.device(at: address))
        let states = absent.states
        let task = Task { try await absent.connect(timeout: nil) }
        _ = try await states.first { $0 == .connecting }
        task.cancel()
        let error = await #expect(throws: BluetoothError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: RigStack.centrals) func anUnansweredReadEndsWithTheCallersTimeoutAndTheLinkStays(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack, manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        let reading = Task { try await never.read(timeout: .seconds(3)) }
        for await _ in rig.asked { break }
        await rig.clock.advance(by: .seconds(4))
        let error = await #expect(throws: BluetoothError.self) { _ = try await reading.value }
        #expect(error?.code == .timeout)
        #expect(peripheral.isConnected)
    }

    @Test func anUnansweredDiscoveryEndsWithTheDefaultTimeout() async throws {
        let rig = try await Rig(manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        await rig.radio.injectFaults(adapterNamed: "peripheral") { $0.delay = .seconds(100) }
        let isOver = Locked(false)
        let ticking = Task { [clock = rig.clock] in while !isOver.value { await clock.advance(by: .seconds(1)) } }
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.discoverSecondaryServices() }
        isOver.with { $0 = true }
        await ticking.value
        #expect(error?.description.contains("no answer in 30 s") == true, "\(error as Any)")
    }

    @Test(arguments: RigStack.centrals) func anUnansweredRequestOfTheServersUserEndsWithUnlikelyError(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack, manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        let reading = Task { try await never.read(timeout: nil) }
        for await _ in rig.asked { break }
        await rig.clock.advance(by: .seconds(29))
        let error = await #expect(throws: BluetoothError.self) { _ = try await reading.value }
        #expect(error?.code == .att(.unlikelyError))
    }
}

extension Rig {
    /// Connects on a manual clock, which is advanced, because advertising needs time.
    func manuallyConnected() async throws -> Peripheral {
        let address = try #require(await device.address)
        let peripheral = try #require(await central.device(at: address))
        // However late the connection gets under way, its time passes.
        let isConnected = Locked(false)
        let ticking = Task { [clock] in
            while !isConnected.value { await clock.advance(by: .milliseconds(100)) }
        }
        defer { isConnected.with { $0 = true } }
        try await peripheral.connect(timeout: nil)
        isConnected.with { $0 = true }
        await ticking.value
        return peripheral
    }
}
