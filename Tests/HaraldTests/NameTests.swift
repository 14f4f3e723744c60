import Harald
import Testing
import VirtualTransport

@Suite(.timeLimit(.minutes(3))) struct NameTests {
    /// A device that does not advertise its name, connected.
    private func withNameless(_ body: (Peripheral) async throws -> Void) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Silent Sam")
        try await device.publish(
            ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [87])]))
        try await device.advertise(AdvertisingData(serviceUUIDs: ["180F"], flags: .standard))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        for try await found in central.scan(for: ["180F"]) {
            try await found.peripheral.withConnection { try await body(found.peripheral) }
            break
        }
        await central.close()
        await device.close()
    }

    /// Legacy advertising shortens a name that does not fit.
    @Test func aLongNameIsShortenedInLegacyAdvertising() async throws {
        let radio = VirtualRadio()
        var legacy = VirtualControllerConfiguration()
        legacy.features.remove(.extendedAdvertising)
        let name = "A thermometer with a name of more than thirty-one characters"
        let device = try await LocalPeripheral(
            adapter: radio.adapter(named: "device", configuration: legacy), name: name)
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        for try await found in central.scan() {
            let heard = try #require(found.peripheral.name)
            #expect(name.hasPrefix(heard) && heard.count > 20 && heard.count < 30, "\(heard)")
            break
        }
        await central.close()
        await device.close()
    }

    @Test func nameThatIsNotAdvertisedIsReadWithTheServices() async throws {
        try await withNameless { peripheral in
            #expect(peripheral.name == nil)
            // A discovery of one service reads nothing else.
            try await peripheral.discoverServices(["180F"])
            #expect(peripheral.name == nil)
            let services = try await peripheral.discoverServices()
            #expect(peripheral.name == "Silent Sam")
            #expect("\(peripheral)".contains("Silent Sam"))
            // The characteristics read for the name do not count as discovered by the user.
            #expect(services.allSatisfy { $0.characteristics.isEmpty })
        }
    }

    @Test func theNameIsKnownAfterACompleteDiscovery() async throws {
        try await withNameless { peripheral in
            try await peripheral.discoverAll()
            #expect(peripheral.name == "Silent Sam")
            #expect(peripheral["1800"]?.characteristics.count == 3)
        }
    }
}
