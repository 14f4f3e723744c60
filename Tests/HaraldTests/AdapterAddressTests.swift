import Harald
import Testing
import VirtualTransport

/// The address that an adapter is opened with.
@Suite(.timeLimit(.minutes(3))) struct AdapterAddressTests {
    private let own = BluetoothAddress(value: 0xC3_00_00_00_00_01, kind: .random)

    @Test func aRandomStaticAddressServesBothRoles() async throws {
        let radio = VirtualRadio()
        let options = AdapterOptions(address: .randomStatic(own))
        let device = try await LocalPeripheral(
            adapter: radio.adapter(named: "device"), name: "Device", options: options)
        #expect(await device.address == own)
        try await device.publish(ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [87])]))
        try await device.advertise()
        let mine = BluetoothAddress(value: 0xC3_00_00_00_00_02, kind: .random)
        let central = try await Central(
            adapter: radio.adapter(named: "central"), options: AdapterOptions(address: .randomStatic(mine)))
        for try await found in central.scan() {
            #expect(found.peripheral.address == own)
            let events = device.events
            try await found.peripheral.connect()
            let connected = try await events.first { if case .connected = $0 { true } else { false } }
            guard case .connected(let id)? = connected else { break }
            #expect(await central.peripheral(address: mine)?.id == id)
            #expect(try await found.peripheral.characteristic("180F", "2A19").read() == [87])
            break
        }
        await central.close()
        await device.close()
    }

    @Test func aPublicAddressCannotBeUsedBesideARandomOne() async throws {
        let adapter = VirtualRadio().adapter()
        let error = await #expect(throws: BluetoothError.self) {
            _ = try await LocalPeripheral(
                adapter: adapter, name: "Device", address: .public,
                options: AdapterOptions(address: .randomStatic(own)))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func anAddressThatIsNotStaticRandomIsRefused() async throws {
        let wrong = BluetoothAddress(value: 0x03_00_00_00_00_01, kind: .random)
        let central = try await Central(
            adapter: VirtualRadio().adapter(), options: AdapterOptions(address: .randomStatic(wrong)))
        let error = await #expect(throws: BluetoothError.self) { try await central.waitUntilPoweredOn() }
        #expect(error?.reason.contains("static random") == true)
        await central.close()
    }
}
