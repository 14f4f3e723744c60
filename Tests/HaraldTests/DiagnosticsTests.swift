import BluetoothRuntime
import Harald
import Testing
import VirtualBluetooth
import VirtualTransport

/// The counters of an adapter and of its central.
@Suite(.closesRigs, .timeLimit(.minutes(3))) struct DiagnosticsTests {
    @Test(arguments: RigStack.centrals) func connectionsAreCountedByTheirResult(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        #expect(
            try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.fixed)).read().count == 20)
        let open = await rig.central.diagnostics
        #expect(open.connectionAttempts == 1 && open.establishedConnections == 1 && open.connectionFailures.isEmpty)
        #expect(open.links.map(\.peripheral) == [peripheral.id] && open.links.first?.isIncoming == false)
        let served = await rig.device.diagnostics
        #expect(served.links.count == 1 && served.links.first?.isIncoming == true && served.connectionAttempts == 0)
        await peripheral.disconnect()

        await rig.device.stopAdvertising()
        let error = await #expect(throws: BluetoothError.self) {
            try await peripheral.connect(timeout: .milliseconds(200))
        }
        #expect(error?.code == .timeout)
        let ended = await rig.central.diagnostics
        #expect(ended.connectionAttempts == 2 && ended.establishedConnections == 1 && ended.links.isEmpty)
        #expect(ended.connectionFailures.count == 1 && ended.connectionFailures.values.first == 1)
        #expect(ended.endedLinks.values.reduce(0, +) == 1)
    }

    @Test func packetsAndValuesAreCountedWhereTheyAreSeen() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let characteristic = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.notifying))
        let values = try await characteristic.subscribe(buffering: .oldest(2))
        let before = try #require(await rig.central.diagnostics.packets)
        for number in 0..<5 as Range<UInt8> { try await rig.published[Rig.notifying]?.update([number]) }
        // Its response follows the values.
        _ = try await characteristic.read()
        let diagnostics = await rig.central.diagnostics
        let after = try #require(diagnostics.packets)
        #expect(after.values - before.values == 5)
        #expect(after.received - before.received >= 6 && after.sent > before.sent)
        #expect(diagnostics.droppedValues == values.droppedCount && diagnostics.droppedValues >= 3)
        #expect(diagnostics.links.first?.packets == after)
        #expect(diagnostics.links.first?.mtu == peripheral.mtu)
        #expect(try #require(diagnostics.advertisements) > 0)

        await peripheral.disconnect()
        // The packets of a link stay counted when it has ended.
        #expect(try #require(await rig.central.diagnostics.packets).received >= after.received)
    }

    @Test func aPlatformWithoutPacketsCountsNone() async throws {
        #if os(Linux)
        let rig = try await Rig(.appleCentral)
        _ = try await rig.connected()
        let diagnostics = await rig.central.diagnostics
        #expect(diagnostics.packets == nil && diagnostics.droppedPackets == nil && diagnostics.refusedCommands == nil)
        #expect(diagnostics.advertisements == nil && diagnostics.links.first?.packets == nil)
        #expect(!diagnostics.counters.contains { $0.name == "received packets" })
        #expect(diagnostics.description.contains("connection attempts 1"))
        #endif
    }

    @Test func retriesAndFailuresToEstablishAreCounted() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.find()
        await fault(rig) { $0.failedEstablishments = 100 }
        await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        let diagnostics = await rig.central.diagnostics
        #expect(diagnostics.connectionFailures == [.disconnected(.failedToEstablish): 1])
        #expect(diagnostics.connectionRetries == 3 && diagnostics.connectionAttempts == 1)
    }

    @Test func anAdapterWithoutRoomForALinkCountsTheRefusedCommand() async throws {
        let rig = try await Rig()
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 1
        let central = try await Central(adapter: rig.radio.adapter(named: "full", configuration: configuration))
        let first = try await central.peripheral(of: rig.device)
        try await first.connect()
        let nobody = try #require(BluetoothAddress("C0:00:00:00:00:0D"))
        let peripheral = try #require(await central.device(at: nobody))
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        #expect(error?.code == .controller(.connectionLimitExceeded))
        let diagnostics = await central.diagnostics
        #expect(diagnostics.connectionFailures == [.controller(.connectionLimitExceeded): 1])
        let refused = try #require(diagnostics.refusedCommands)
        #expect(refused.values.reduce(0, +) == 1 && refused.keys.first?.contains("0x09") == true, "\(refused)")
        await central.close()
    }

    @Test func pairingsAndLostBondsAreCounted() async throws {
        let rig = try await PairingRig(central: PairingUser(), keepsBonds: true)
        let first = try await rig.connected()
        try await first.pair()
        #expect(await rig.central.diagnostics.pairings == 1)
        for bond in await rig.device.bonds { await rig.device.forgetBond(bond.id) }
        for try await state in first.states { if case .disconnected = state { break } }
        await #expect(throws: BluetoothError.self) { try await first.connect() }
        let diagnostics = await rig.central.diagnostics
        #expect(diagnostics.lostBonds == 1 && diagnostics.connectionFailures == [.bondLost: 1])
        #expect(diagnostics.pairingFailures.isEmpty)
    }

    @Test func failedOperationsOfACentralAreCountedByCode() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let refusing = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.refusing))
        let never = try await peripheral.characteristic(AttributeKey(Rig.service), AttributeKey(Rig.never))
        await #expect(throws: BluetoothError.self) { try await refusing.read() }
        await #expect(throws: BluetoothError.self) { try await never.read(timeout: .milliseconds(50)) }
        let diagnostics = await rig.central.diagnostics
        #expect(diagnostics.failedOperations == [.att(.insufficientAuthorization): 1, .timeout: 1])
        // One counter for each reason, in alphabetical order.
        let counters = diagnostics.counters.filter { $0.name == "failed operations" }
        #expect(counters.map(\.reason) == ["device: insufficient authorization (0x08)", "timeout"])
        #expect(counters.map(\.value) == [1, 1])
    }

    private func fault(_ rig: Rig, _ change: @escaping @Sendable (inout ControllerFaults) -> Void) async {
        await rig.radio.loop.run { rig.radio.controller(named: "peripheral").map { change(&$0.faults) } }
    }
}
