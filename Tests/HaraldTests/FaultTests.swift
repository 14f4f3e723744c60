import TestSupport
import Testing

@testable import Harald
@testable import VirtualBluetooth

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct FaultTests {
    /// Changes the faults of a controller of the rig.
    private func fault(_ rig: Rig, _ name: String, _ change: @escaping @Sendable (inout ControllerFaults) -> Void) async
    {
        await rig.radio.injectFaults(adapterNamed: name, change)
    }

    @Test(arguments: RigStack.centrals) func aConnectionThatFailsToBeEstablishedIsRetried(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.find()
        await fault(rig, "peripheral") { $0.failedEstablishments = 2 }
        try await peripheral.connect()
        #expect(peripheral.isConnected)
    }

    @Test(arguments: RigStack.centrals) func aConnectionThatIsNeverEstablishedFailsWithTheReason(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.find()
        await fault(rig, "peripheral") { $0.failedEstablishments = 100 }
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        #expect(error?.code == .disconnected(.failedToEstablish))
    }

    @Test func aPolicyAllowsAsManyAttemptsAsItHas() {
        let policy = ReconnectPolicy(attempts: 2)
        let allowed = (1...3).map { policy.allows(attempt: $0, after: .disconnected(.connectionTimeout)) }
        #expect(allowed == [true, true, false])
    }

    /// The events of a link's start and of its end may arrive in one turn of the loop.
    @Test func aLinkThatEndsInTheTurnOfItsStartIsEstablishedAgain() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.find()
        let (backend, loop) = (peripheral.radio.backend, peripheral.radio.loop)
        let isFirst = Locked(true)
        let watcher = LinkWatcher {
            guard isFirst.value else { return }
            isFirst.with { $0 = false }
            // Runs before the connection is completed.
            loop.executeNext {
                guard let host = rig.radio.host(ofAdapterNamed: "central"), let link = host.allLinks.first else {
                    return
                }
                for link in rig.radio.controller(named: "central")?.links ?? [] { link.cut() }
                let handle = [UInt8(link.handle & 0xFF), UInt8(link.handle >> 8)]
                ([4, 5, 4, 0] + handle + [0x3E]).withByteView { host.receive($0, now: loop.now) }
            }
        }
        await loop.run { backend.value.addObserver(watcher) }
        try await peripheral.connect()
        #expect(await rig.central.diagnostics.connectionRetries == 1)
        withExtendedLifetime(watcher) {}
    }

    @Test(arguments: RigStack.centrals) func anUnresponsivePeerEndsTheLinkBySupervisionTimeout(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack, manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        let states = peripheral.states
        await fault(rig, "peripheral") { $0.isSilent = true }
        await rig.clock.advance(by: .seconds(10))
        for try await state in states {
            guard case .disconnected(let error) = state else { continue }
            #expect(error?.code == .disconnected(.connectionTimeout))
            break
        }
    }

    @Test(arguments: RigStack.centrals) func anUnresponsiveControllerEndsPendingOperations(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack, manualClock: true)
        let peripheral = try await rig.manuallyConnected()
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        let reading = Task { try await never.read(timeout: nil) }
        for await _ in rig.asked { break }
        await fault(rig, "central") { $0.answersCommands = false }
        let isOver = Locked(false)
        // A command for a link, such as reading its signal strength, may remain unanswered; a scan may not.
        let scanning = Task {
            defer { isOver.with { $0 = true } }
            for try await _ in rig.central.scan() {}
        }
        // The 5 s of the command elapse, even if it begins late.
        while !isOver.value { await rig.clock.advance(by: .milliseconds(100)) }
        let scanError = await #expect(throws: BluetoothError.self) { try await scanning.value }
        #expect(scanError?.code == .radio(.poweredOff))
        let readError = await #expect(throws: BluetoothError.self) { _ = try await reading.value }
        #expect(readError?.code == .radio(.poweredOff))
        #expect(rig.central.state == .poweredOff)
        #expect(!peripheral.isConnected)
    }

    @Test(arguments: RigStack.centrals) func aHardwareErrorRestartsTheAdapter(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let states = rig.central.states
        await rig.radio.failHardware(adapterNamed: "central")
        var seen: [RadioState] = []
        for try await state in states {
            seen.append(state)
            if seen.contains(.resetting), state == .poweredOn { break }
        }
        #expect(!peripheral.isConnected)
        try await peripheral.connect(timeout: .seconds(20))
        #expect(peripheral.isConnected)
    }

    #if os(Linux)
    /// Apple's systems, and our CoreBluetooth as they do, leave that to the user.
    @Test func anAdapterThatCannotBeSwitchedIsAnError() async throws {
        let rig = try await Rig(.appleCentral)
        #expect(!rig.central.canSetPower)
        let error = await #expect(throws: BluetoothError.self) { try await rig.central.setPowered(false) }
        #expect(error?.code == .unsupported && rig.central.state == .poweredOn)
    }
    #endif

    /// The loss of the adapter ends a wait without a time limit for an absent device.
    @Test(arguments: RigStack.centrals, [RadioState.resetting, .poweredOff])
    func aPendingConnectionEndsWhenTheAdapterIsSwitchedOff(_ stack: RigStack, _ state: RadioState) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.find()
        await rig.device.stopAdvertising()
        let states = peripheral.states
        let connecting = Task { try await peripheral.connect(timeout: nil) }
        for try await state in states { if state == .connecting { break } }
        if state == .resetting {
            await rig.radio.failHardware(adapterNamed: "central")
        } else {
            await rig.radio.setPowered(false, adapterNamed: "central")
        }
        let error = await #expect(throws: BluetoothError.self) { try await connecting.value }
        #expect(error?.code == .radio(state), "\(String(describing: error))")
        await rig.radio.setPowered(true, adapterNamed: "central")
        // After switching on, the state remains off until the adapter is ready.
        while rig.central.state != .poweredOn { try await Task.pause() }
        try await rig.device.advertise()
        try await peripheral.connect()
        #expect(peripheral.isConnected)
    }

    /// The controller loses the advertisement; the device keeps it and its services.
    @Test(arguments: [RadioState.resetting, .poweredOff])
    func aDeviceAdvertisesAgainAfterItsAdapterWasOff(_ state: RadioState) async throws {
        let rig = try await Rig()
        if state == .resetting {
            await rig.radio.failHardware(adapterNamed: "peripheral")
        } else {
            await rig.radio.setPowered(false, adapterNamed: "peripheral")
            let error = await #expect(throws: BluetoothError.self) { try await rig.device.advertise() }
            #expect(error?.code == .radio(.poweredOff))
            await rig.radio.setPowered(true, adapterNamed: "peripheral")
        }
        while true {
            do {
                try await rig.device.advertise()
                break
            } catch {
                // Repeats until the adapter is ready; any other error fails the test.
                guard case .radio = error.code else { throw error }
                try await Task.pause()
            }
        }
        let peripheral = try await rig.connected()
        let stored = try await peripheral.characteristic(.init(Rig.service), .init(Rig.stored))
        #expect(try await stored.read() == [1])
    }

    /// After the adapter is ready again, its earlier problem is not reported as a reason.
    @Test(arguments: RigStack.centrals) func errorsNameTheAdapterOnlyWhileItIsOff(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        await rig.radio.setPowered(false, adapterNamed: "central")
        while rig.central.state != .poweredOff || peripheral.isConnected { try await Task.pause() }
        let off = await #expect(throws: BluetoothError.self) { try await peripheral.readRSSI() }
        #expect(off?.code == .radio(.poweredOff))
        await rig.radio.setPowered(true, adapterNamed: "central")
        while rig.central.state != .poweredOn { try await Task.pause() }
        let on = await #expect(throws: BluetoothError.self) { try await peripheral.readRSSI() }
        #expect(on?.code == .notConnected)
    }

    /// A caller that waits for a reconnection receives the adapter's state, not a timeout of the device.
    @Test func waitingForALostLinkFailsWithTheStateOfTheAdapter() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected(reconnect: .always)
        await rig.radio.setPowered(false, adapterNamed: "central")
        while rig.central.state != .poweredOff || peripheral.isConnected { try await Task.pause() }
        // The adapter is off between two attempts, or during one, which ends at once.
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect(timeout: .seconds(2)) }
        #expect(error?.code == .radio(.poweredOff), "\(String(describing: error))")
    }

    /// Switching the adapter on ends the pause between two attempts, and a waiting caller soon has the link.
    @Test func aReconnectionResumesWhenTheAdapterIsSwitchedOn() async throws {
        let rig = try await Rig(manualClock: true)
        let isOver = Locked(false)
        let isTicking = Locked(true)
        let ticking = Task {
            while !isOver.value {
                if isTicking.value { await rig.clock.advance(by: .milliseconds(50)) } else { try await Task.pause() }
            }
        }
        let peripheral = try await rig.connected(reconnect: .always)
        let states = peripheral.states
        await rig.radio.setPowered(false, adapterNamed: "central")
        // The pauses before the attempts double: that before the 8th is 30 s.
        for try await state in states { if case .reconnecting(attempt: 8, _) = state { break } }
        isTicking.with { $0 = false }
        await rig.radio.setPowered(true, adapterNamed: "central")
        while rig.central.state != .poweredOn { try await Task.pause() }
        let waiting = Task { try await peripheral.connect(timeout: .seconds(5)) }
        for try await state in states { if case .reconnecting(attempt: 1, _) = state { break } }
        isTicking.with { $0 = true }
        await #expect(throws: Never.self) { try await waiting.value }
        #expect(peripheral.isConnected)
        isOver.with { $0 = true }
        try await ticking.value
    }

    /// Forgetting a device without a bond has no effect: its link continues, and the discovered attributes stay valid.
    @Test(arguments: RigStack.centrals) func forgettingWithoutABondKeepsTheAttributes(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let stored = try await peripheral.characteristic(.init(Rig.service), .init(Rig.stored))
        #expect(await peripheral.forgetBond() == false)
        #expect(try await stored.read() == [1])
        #expect(try await stored.discoverDescriptors().map(\.uuid) == [0x2901])
        let fixed = try await peripheral.characteristic(.init(Rig.service), .init(Rig.fixed))
        #expect(try await fixed.read() == Array(0..<20))
    }

    /// A reestablished link is used after its attributes were validated. Earlier operations fail because there is no
    /// link, not because the attributes changed.
    @Test func aLinkBeingValidatedReceivesNoRequests() async throws {
        let rig = try await Rig(manualClock: true)
        let isOver = Locked(false)
        let ticking = Task { while !isOver.value { await rig.clock.advance(by: .milliseconds(20)) } }
        let peripheral = try await rig.connected(reconnect: .always)
        let fixed = try await peripheral.characteristic(.init(Rig.service), .init(Rig.fixed))
        await fault(rig, "peripheral") { $0.delay = .milliseconds(300) }
        await rig.radio.disconnect(adapterNamed: "central")
        while peripheral.isConnected { try await Task.pause() }
        var codes: Set<BluetoothError.Code> = []
        while true {
            do throws(BluetoothError) {
                _ = try await fixed.discoverDescriptors()
                break
            } catch {
                codes.insert(error.code)
                if error.code != .notConnected { break }
                try await Task.pause()
            }
        }
        #expect(codes == [.notConnected])
        isOver.with { $0 = true }
        await ticking.value
    }

    /// If a device stops responding during the validation of its attributes, the link is replaced by a new one.
    @Test func aLinkWhoseAttributesCannotBeValidatedIsDisconnected() async throws {
        let rig = try await Rig(manualClock: true)
        let isOver = Locked(false)
        let isTicking = Locked(true)
        let ticking = Task {
            while !isOver.value {
                if isTicking.value { await rig.clock.advance(by: .milliseconds(20)) } else { try await Task.pause() }
            }
        }
        let peripheral = try await rig.connected(reconnect: .always)
        let fixed = try await peripheral.characteristic(.init(Rig.service), .init(Rig.fixed))
        isTicking.with { $0 = false }
        // The exchange of the MTU takes 600 ms; after that nothing arrives in time.
        await fault(rig, "peripheral") { $0.delay = .milliseconds(300) }
        await rig.radio.disconnect(adapterNamed: "central")
        await rig.clock.advance(by: .milliseconds(900))
        await fault(rig, "peripheral") { $0.delay = .seconds(12) }
        await rig.clock.advance(by: .seconds(13))
        await fault(rig, "peripheral") { $0.delay = .zero }
        isTicking.with { $0 = true }
        var codes: Set<BluetoothError.Code> = []
        while true {
            do throws(BluetoothError) {
                #expect(try await fixed.read() == Array(0..<20))
                break
            } catch {
                codes.insert(error.code)
                if error.code != .notConnected { break }
                try await Task.pause()
            }
        }
        #expect(codes.isSubset(of: [.notConnected]), "\(codes)")
        isOver.with { $0 = true }
        try await ticking.value
    }

    #if os(Linux)
    @Test func aPeripheralOnCoreBluetoothCannotDisconnectACentral() async throws {
        let rig = try await Rig(.applePeripheral)
        let peripheral = try await rig.connected()
        _ = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.computed)).read()
        let central = try #require(await rig.device.centrals.first)
        let error = await #expect(throws: BluetoothError.self) { try await rig.device.disconnect(central) }
        #expect(error?.code == .unsupported)
        #expect(peripheral.isConnected)
    }
    #endif

    @Test(arguments: RigStack.centrals) func lostAdvertisementsOnlyDelayADiscovery(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        await fault(rig, "peripheral") { $0.advertisingLoss = 0.7 }
        let peripheral = try await rig.find()
        #expect(peripheral.name == "Bench")
    }

    @Test(arguments: RigStack.centrals) func theSignalStrengthDependsOnTheDistance(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        await rig.radio.place(adapterNamed: "peripheral", at: AirPosition(x: 10))
        let peripheral = try await rig.connected()
        let far = try await peripheral.readRSSI()
        await rig.radio.place(adapterNamed: "peripheral", at: AirPosition(x: 1))
        #expect(try await peripheral.readRSSI() > far)
        // Until the supervision timeout: what a receiver cannot hear, it cannot measure.
        await rig.radio.place(adapterNamed: "peripheral", at: AirPosition(x: 1_000_000))
        #expect(try await peripheral.readRSSI() == -100)
    }
}
