import Foundation
import Harald
import Testing
import VirtualTransport

@Suite(.closesRigs, .timeLimit(.minutes(3))) struct DatabaseTests {
    @Test(arguments: RigStack.centrals) func aChangeOfTheDatabaseIsAnnouncedAndDiscoveredAgain(_ stack: RigStack)
        async throws
    {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        try await peripheral.discoverServices()
        let changes = peripheral.serviceChanges
        // Discovery subscribes to Service Changed. The response to a later read shows that the subscription is
        // complete.
        let level = try await peripheral.characteristic("180F", "2A19")
        for _ in 0..<5 { _ = try await level.read() }
        let added = try await rig.device.publish(
            ServiceDefinition("180A", [CharacteristicDefinition("2A29", .read, value: Array("Harald".utf8))]))
        _ = try await changes.first { _ in true }
        let maker = try await peripheral.characteristic("180A", "2A29")
        #expect(try await maker.read() == Array("Harald".utf8))
        await rig.device.unpublish(added)
        #expect(try await changes.first { _ in true } == ["180A"])
        #expect(peripheral["180A"] == nil)
    }

    #if os(Linux)
    /// CoreBluetooth provides the services 1800 and 1801 itself and assigns the handles. Definitions that contradict
    /// this are an error with the reason; all others are published.
    @Test func aCompleteDatabaseOnAPlatformWithItsOwnServices() async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: RigStack.applePeripheral.device(on: radio), name: "Bench")
        let battery = ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [87])])
        let error = await #expect(throws: BluetoothError.self) {
            try await device.publish([battery], addsGenericServices: false)
        }
        #expect(error?.code == .unsupported && error?.reason.contains("1800") == true)
        let own = await #expect(throws: BluetoothError.self) {
            try await device.publish([battery, ServiceDefinition("1800", [])], addsGenericServices: true)
        }
        #expect(own?.code == .unsupported)
        #expect(try await device.publish([battery], addsGenericServices: true).map(\.uuid) == ["180F"])
        await device.close()
    }
    #endif

    @Test(arguments: RigStack.centrals) func twoCharacteristicsWithOneUUIDAreDistinct(_ stack: RigStack) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(), name: "Twins")
        try await device.publish(
            ServiceDefinition(
                "FFE0",
                [
                    CharacteristicDefinition("FFE1", .read, value: [1]),
                    CharacteristicDefinition("FFE1", .read, value: [2]),
                ]))
        try await device.advertise()
        let central = try await Central(adapter: stack.central(on: radio))
        let address = try #require(await device.address)
        let peripheral = try #require(await central.device(at: address))
        try await peripheral.connect()
        let twins = try await peripheral.service("FFE0").discoverCharacteristics()
        #expect(twins.count == 2)
        #expect(twins[0] != twins[1])
        #expect(try await twins[0].read() == [1])
        #expect(try await twins[1].read() == [2])
        await central.close()
        await device.close()
    }

    @Test(arguments: RigStack.centrals) func includedServicesAndRequestedHandles(_ stack: RigStack) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(), name: "Nested")
        let inner = try await device.publish(
            ServiceDefinition("180F", isPrimary: false, [CharacteristicDefinition("2A19", .read, value: [9])]))
        try await device.publish(
            ServiceDefinition(
                "FFE0", [CharacteristicDefinition("FFE1", .read, value: [1], handle: 0x0103)], included: [inner],
                handle: 0x0100))
        try await device.advertise()
        let central = try await Central(adapter: stack.central(on: radio))
        let address = try #require(await device.address)
        let peripheral = try #require(await central.device(at: address))
        try await peripheral.connect()
        try await peripheral.discoverAll()
        let outer = try #require(peripheral["FFE0"])
        if stack.showsEverything {
            #expect(outer.handle.rawValue == 0x0100)
            #expect(outer["FFE1"]?.valueHandle.rawValue == 0x0103)
        }
        let included = try #require(outer.includedServices.first)
        #expect(included.uuid == "180F")
        #expect(try await included.characteristic("2A19").read() == [9])
        await central.close()
        await device.close()
    }

    @Test(arguments: RigStack.centrals) func namesFindServicesAndCharacteristics(_ stack: RigStack) async throws {
        let rig = try await Rig(stack)
        let peripheral = try await rig.connected()
        peripheral.names = ["power": .init("180F", ["charge": "2A19"])]
        #expect(try await peripheral.characteristic("power", "charge").read() == [87])
        #expect(peripheral["power"]?["charge"]?.name == "charge")
        let error = await #expect(throws: BluetoothError.self) { _ = try await peripheral.service("1809") }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("180F") == true)
    }

    @Test func theNumberOfIdentitiesOnOneAdapterIsLimited() async throws {
        let radio = VirtualRadio()
        var configuration = VirtualControllerConfiguration()
        configuration.advertisingSetCount = 2
        let adapter = radio.adapter(named: "two", configuration: configuration)
        let (first, second) = (
            try await LocalPeripheral(adapter: adapter, name: "First"),
            try await LocalPeripheral(adapter: adapter, name: "Second")
        )
        for (device, value) in [(first, UInt8(1)), (second, 2)] {
            try await device.publish(
                ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [value])]))
            try await device.advertise()
        }
        #expect(await first.address != second.address)
        let central = try await Central(adapter: radio.adapter())
        for (device, value) in [(first, UInt8(1)), (second, 2)] {
            let address = try #require(await device.address)
            let peripheral = try #require(await central.peripheral(address: address))
            try await peripheral.connect()
            #expect(try await peripheral.characteristic("180F", "2A19").read() == [value])
        }
        let error = await #expect(throws: BluetoothError.self) {
            _ = try await LocalPeripheral(adapter: adapter, name: "Third")
        }
        #expect(error?.code == .limitReached)
        #expect(error?.description.contains("2") == true)
        await central.close()
        await first.close()
        await second.close()
    }

    @Test func knownDevicesArePersistent() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(), name: "Remembered")
        try await device.advertise()
        let options = AdapterOptions(storage: .directory(directory))
        let first = try await Central(adapter: radio.adapter(named: "first"), options: options)
        var found: Peripheral?
        for try await discovery in first.scan() {
            found = discovery.peripheral
            break
        }
        let id = try #require(found?.id)
        try await found?.connect()
        await first.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/known-devices.json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let second = try await Central(adapter: radio.adapter(named: "second"), options: options)
        let known = await second.knownPeripherals()
        #expect(known.map(\.id) == [id])
        #expect(known.first?.name == "Remembered")
        try await known.first?.connect()
        await second.close()
        await device.close()
    }
}
