import Harald
import Testing
import VirtualTransport

/// A central that was closed, and its peripherals.
@Suite(.closesRigs, .timeLimit(.minutes(2))) struct ClosingTests {
    @Test(arguments: RigStack.centrals) func theStreamsOfPeripheralsEnd(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        let (states, securities, changes) = (peripheral.states, peripheral.securityChanges, peripheral.serviceChanges)
        await rig.close()
        var seen: [ConnectionState] = []
        for try await state in states { seen.append(state) }
        #expect(seen == [.connected, .disconnecting, .disconnected(nil)])
        for try await _ in securities {}
        for try await _ in changes {}
        // A stream that is requested later has the current value alone.
        var later: [ConnectionState] = []
        for try await state in peripheral.states { later.append(state) }
        #expect(later == [.disconnected(nil)])
        for try await _ in peripheral.securityChanges {}
        for try await _ in peripheral.serviceChanges {}
    }

    @Test func aPeripheralThatIsFoundAfterwardsHasNoStreams() async throws {
        let radio = VirtualRadio()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Bench")
        let address = try #require(await device.address)
        await central.close()
        if let peripheral = await central.peripheral(address: address) {
            for try await _ in peripheral.states {}
            for try await _ in peripheral.serviceChanges {}
        }
        await device.close()
    }

    /// The adapter stays open for another central.
    @Test(arguments: [true, false]) func nothingConnectsAfterwards(isShared: Bool) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Bench")
        try await device.advertise()
        let adapter = radio.adapter(named: "central")
        let central = try await Central(adapter: adapter)
        let other: Central? = if isShared { try await Central(adapter: adapter) } else { nil }
        let peripheral = try await central.peripheral(of: device)
        await central.close()
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect(timeout: nil) }
        #expect(error?.code == .radio(.unsupported), "\(error as Any)")
        #expect(error?.reason == "the central was closed", "\(error as Any)")
        #expect(!peripheral.isConnected)
        if let other {
            let usable = try await other.peripheral(of: device)
            try await usable.connect()
            #expect(usable.isConnected)
            await other.close()
        }
        await device.close()
    }
}
