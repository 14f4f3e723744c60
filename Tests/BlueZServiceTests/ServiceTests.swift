import Foundation
import SystemBus
import Testing

@testable import BlueZService

/// The objects of the service beside virtual devices.
@Suite(.timeLimit(.minutes(1))) struct ServiceTests {
    private static let adapter = ServiceBench.adapterPath
    private static let device = "org.bluez.Device1"
    private static let characteristic = "org.bluez.GattCharacteristic1"
    private static let strap = "devices: [{device: polar-h7, name: Strap}]"
    private static let gadget = """
        devices:
        - device:
            name: Gadget
            services:
            - uuid: FFF0
              characteristics:
              - {uuid: FFF1, properties: [read, write], value: {hex: "01 02 03"}}
              - {uuid: FFF2, properties: [writeWithoutResponse, notify], value: {u8: 0}}
        """

    private static let locked = """
        devices:
          - device:
              name: Locked
              passkey: "123456"
              services:
                - uuid: FFF0
                  characteristics:
                    - {uuid: FFF1, properties: [read], value: {u8: 42}, security: authenticated}
        """

    private func error(_ body: () async throws(BusError) -> Void) async -> String? {
        do throws(BusError) { try await body() } catch { return error.name }
        return nil
    }

    /// Trust and aliases outlast the service; a trusted device is there without being heard.
    @Test func whatClientsSetOfDevicesIsStored() async throws {
        let store = FileManager.default.temporaryDirectory.appendingPathComponent("harald-bluez-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: store) }
        let set = "org.freedesktop.DBus.Properties.Set"
        var path = ""
        try await ServiceBench.with(Self.strap, store: store.path) { bench in
            path = try await bench.discover("Strap")
            for (name, value) in [("Trusted", BusValue.bool(true)), ("Alias", .string("Anna's strap"))] {
                try await bench.call(path, set, [.string(Self.device), .string(name), .variant(value)])
            }
        }
        try await ServiceBench.with("devices: []", store: store.path) { bench in
            #expect(try await bench.get(path, Self.device, "Trusted") == .bool(true))
            #expect(try await bench.get(path, Self.device, "Alias") == .string("Anna's strap"))
            try await bench.call(Self.adapter, "org.bluez.Adapter1.RemoveDevice", [.path(path)])
        }
        try await ServiceBench.with("devices: []", store: store.path) { bench in
            await #expect(throws: BusError.self) { try await bench.get(path, Self.device, "Trusted") }
        }
    }

    @Test func aClientProvidesTheLevelOfABattery() async throws {
        let (battery, manager) = ("org.bluez.Battery1", "org.bluez.BatteryProviderManager1")
        let provider = "org.bluez.BatteryProvider1"
        try await ServiceBench.with(Self.strap) { bench in
            let device = try await bench.discover("Strap")
            let properties: [String: BusValue] = [
                "Percentage": .byte(40), "Source": .string("HFP 1.7"), "Device": .path(device),
            ]
            let object = BusValue.dictionary([.string(provider): .properties(properties)], key: "s", value: "a{sv}")
            let objects = BusValue.dictionary([.path("/batteries/strap"): object], key: "o", value: "a{sa{sv}}")
            await bench.answer("GetManagedObjects", .success([objects]))
            let register: () async throws(BusError) -> Void = { () throws(BusError) in
                try await bench.call(Self.adapter, manager + ".RegisterBatteryProvider", [.path("/batteries")])
            }
            try await register()
            await bench.signal { $0.added(battery)?["Percentage"] == .byte(40) }
            #expect(try await bench.get(device, battery, "Source") == .string("HFP 1.7"))
            #expect(await error(register) == "org.bluez.Error.AlreadyExists")
            await bench.receive(
                "PropertiesChanged", [.string(provider), .properties(["Percentage": .byte(39)]), .strings([])],
                at: "/batteries/strap")
            await bench.change(device, "Percentage", to: .byte(39))
            await bench.clientLeaves(ServiceBench.client)
            await #expect(throws: BusError.self) { try await bench.get(device, battery, "Percentage") }
        }
    }

    @Test func aDeviceIsDiscoveredAndItsSignalForgotten() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            try await bench.call(
                Self.adapter, "org.bluez.Adapter1.SetDiscoveryFilter", [.properties(["Transport": .string("le")])])
            try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery")
            await bench.change(Self.adapter, "Discovering", to: .bool(true))
            let added = await bench.signal { $0.added(Self.device) != nil }
            let properties = try #require(added.added(Self.device))
            #expect(properties["Connected"] == .bool(false) && properties["RSSI"] != nil)
            #expect(properties["UUIDs"]?.texts?.contains("0000180d-0000-1000-8000-00805f9b34fb") == true)
            let path = try #require(added.arguments.first?.text)
            try await bench.call(Self.adapter, "org.bluez.Adapter1.StopDiscovery")
            await bench.signal { $0.path == path && $0.invalidated.contains("RSSI") }
            #expect(try await bench.get(Self.adapter, "org.bluez.Adapter1", "Discovering") == .bool(false))
        }
    }

    @Test(arguments: ["Discoverable", "Pairable"])
    func aPropertyEndsAfterItsTimeout(_ name: String) async throws {
        try await ServiceBench.with("devices: []") { bench in
            for (property, value) in [(name + "Timeout", BusValue.uint32(1)), (name, .bool(true))] {
                try await bench.call(
                    Self.adapter, "org.freedesktop.DBus.Properties.Set",
                    [.string("org.bluez.Adapter1"), .string(property), .variant(value)])
            }
            await bench.change(Self.adapter, name, to: .bool(true))
            await bench.change(Self.adapter, name, to: .bool(false))
        }
    }

    @Test func aClientThatLeavesEndsItsDiscovery() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery", from: ":1.7")
            await bench.change(Self.adapter, "Discovering", to: .bool(true))
            let again = await error { () throws(BusError) in
                try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery", from: ":1.7")
            }
            #expect(again == "org.bluez.Error.InProgress")
            await bench.clientLeaves(":1.7")
            await bench.change(Self.adapter, "Discovering", to: .bool(false))
        }
    }

    @Test func valuesAreReadAndWritten() async throws {
        try await ServiceBench.with(Self.gadget) { bench in
            let path = try await bench.discover("Gadget")
            try await bench.connect(path)
            let value = try await bench.attribute("fff1", Self.characteristic, of: path)
            let read = Self.characteristic + ".ReadValue"
            #expect(try await bench.call(value, read, [.properties([:])]) == [.bytes([1, 2, 3])])
            #expect(try await bench.call(value, read, [.properties(["offset": .uint16(2)])]) == [.bytes([3])])
            #expect(try await bench.get(value, Self.characteristic, "Value") == .bytes([1, 2, 3]))
            let beyond = await error { () throws(BusError) in
                try await bench.call(value, read, [.properties(["offset": .uint16(65535)])])
            }
            #expect(beyond == "org.bluez.Error.InvalidArguments")
            let write = Self.characteristic + ".WriteValue"
            try await bench.call(value, write, [.bytes([9]), .properties(["type": .string("request")])])
            #expect(try await bench.call(value, read, [.properties([:])]) == [.bytes([9])])
            let wrong = await error { () throws(BusError) in
                try await bench.call(value, write, [.bytes([9]), .properties(["type": .uint16(1)])])
            }
            #expect(wrong == "org.bluez.Error.InvalidArguments")
            // The device accepts whole values only.
            let part = await error { () throws(BusError) in
                try await bench.call(value, write, [.bytes([9]), .properties(["offset": .uint16(1)])])
            }
            #expect(part == "org.bluez.Error.InvalidArguments")
            let long = await error { () throws(BusError) in
                try await bench.call(value, write, [.bytes(.init(repeating: 0, count: 513)), .properties([:])])
            }
            #expect(long == "org.bluez.Error.InvalidArguments")
            try await bench.call(path, Self.device + ".Disconnect")
            await bench.change(path, "Connected", to: .bool(false))
            let ended = await error { () throws(BusError) in try await bench.call(value, read, [.properties([:])]) }
            #expect(ended == "org.bluez.Error.Failed")
        }
    }

    @Test func notificationsAreCountedPerClient() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            let path = try await bench.discover("Strap")
            try await bench.connect(path)
            let rate = try await bench.attribute("2a37", Self.characteristic, of: path)
            for client in [":1.1", ":1.2"] {
                try await bench.call(rate, Self.characteristic + ".StartNotify", from: client)
            }
            await bench.signal { $0.path == rate && $0.changes["Value"] != nil }
            try await bench.call(rate, Self.characteristic + ".StopNotify", from: ":1.1")
            #expect(try await bench.get(rate, Self.characteristic, "Notifying") == .bool(true))
            let acquire = await error { () throws(BusError) in
                try await bench.call(rate, Self.characteristic + ".AcquireNotify", [.properties([:])])
            }
            #expect(acquire == "org.bluez.Error.InProgress")
            await bench.clientLeaves(":1.2")
            #expect(try await bench.get(rate, Self.characteristic, "Notifying") == .bool(false))
            let stopped = await error { () throws(BusError) in
                try await bench.call(rate, Self.characteristic + ".StopNotify")
            }
            #expect(stopped == "org.bluez.Error.Failed")
        }
    }

    @Test func aRemovedDeviceAndItsAttributesAreGone() async throws {
        try await ServiceBench.with(Self.gadget) { bench in
            let path = try await bench.discover("Gadget")
            try await bench.connect(path)
            let value = try await bench.attribute("fff1", Self.characteristic, of: path)
            try await bench.call(Self.adapter, "org.bluez.Adapter1.RemoveDevice", [.path(path)])
            await bench.change(path, "Connected", to: .bool(false))
            await bench.signal { $0.member == "InterfacesRemoved" && $0.arguments.first?.text == path }
            for gone in [path, value] {
                let error = await error { () throws(BusError) in try await bench.call(gone, Self.device + ".Connect") }
                #expect(error == "org.freedesktop.DBus.Error.UnknownObject")
            }
            let again = await error { () throws(BusError) in
                try await bench.call(Self.adapter, "org.bluez.Adapter1.RemoveDevice", [.path(path)])
            }
            #expect(again == "org.bluez.Error.DoesNotExist")
        }
    }

    @Test func switchingTheAdapterOffEndsTheDiscovery() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery")
            let set = "org.freedesktop.DBus.Properties.Set"
            let powered: [BusValue] = [.string("org.bluez.Adapter1"), .string("Powered")]
            try await bench.call(Self.adapter, set, powered + [.variant(.bool(false))])
            await bench.change(Self.adapter, "Powered", to: .bool(false))
            let off = await error { () throws(BusError) in
                try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery")
            }
            #expect(off == "org.bluez.Error.NotReady")
            try await bench.call(Self.adapter, set, powered + [.variant(.bool(true))])
            await bench.change(Self.adapter, "Powered", to: .bool(true))
            try await bench.call(Self.adapter, "org.bluez.Adapter1.StartDiscovery")
        }
    }

    @Test func agentsAreRegisteredOnce() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            let manager = "org.bluez.AgentManager1."
            let agent: [BusValue] = [.path("/agent"), .string("DisplayYesNo")]
            try await bench.call("/org/bluez", manager + "RegisterAgent", agent)
            let again = await error { () throws(BusError) in
                try await bench.call("/org/bluez", manager + "RegisterAgent", agent)
            }
            #expect(again == "org.bluez.Error.AlreadyExists")
            let unknown = await error { () throws(BusError) in
                try await bench.call(
                    "/org/bluez", manager + "RegisterAgent", [.path("/agent"), .string("Telepathy")], from: ":1.2")
            }
            #expect(unknown == "org.bluez.Error.InvalidArguments")
            try await bench.call("/org/bluez", manager + "RequestDefaultAgent", [.path("/agent")])
            await bench.clientLeaves(ServiceBench.client)
            let gone = await error { () throws(BusError) in
                try await bench.call("/org/bluez", manager + "UnregisterAgent", [.path("/agent")])
            }
            #expect(gone == "org.bluez.Error.DoesNotExist")
        }
    }

    /// The signal of newer versions of BlueZ, before the change of the property (`device_remove_connection`).
    @Test func theReasonOfADisconnectionIsAnnounced() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            let path = try await bench.discover("Strap")
            try await bench.connect(path)
            try await bench.call(path, Self.device + ".Disconnect")
            let local = await bench.signal { $0.changes["Connected"] == .bool(false) || $0.member == "Disconnected" }
            #expect(local.interface == Self.device && local.arguments.first == .string("org.bluez.Reason.Local"))
            try await bench.connect(path)
            await bench.scene.devices.first?.close()
            let remote = await bench.signal { $0.path == path && $0.member == "Disconnected" }
            #expect(
                remote.arguments
                    == [.string("org.bluez.Reason.Remote"), .string("Connection terminated by remote user")])
        }
    }

    @Test func theBatteryLevelIsAnInterface() async throws {
        try await ServiceBench.with(Self.strap) { bench in
            let path = try await bench.discover("Strap")
            try await bench.connect(path)
            let added = await bench.signal { $0.added("org.bluez.Battery1") != nil }
            #expect(added.arguments.first?.text == path)
            #expect(try await bench.get(path, "org.bluez.Battery1", "Percentage") != nil)
            try await bench.call(path, Self.device + ".Disconnect")
            await bench.signal {
                $0.member == "InterfacesRemoved" && $0.arguments.last?.texts == ["org.bluez.Battery1"]
            }
        }
    }

    @Test func anAgentEntersThePasskeyOfADevice() async throws {
        try await ServiceBench.with(Self.locked) { bench in
            let path = try await bench.discover("Locked")
            try await bench.connect(path)
            try await bench.call(
                "/org/bluez", "org.bluez.AgentManager1.RegisterAgent", [.path("/agent"), .string("KeyboardOnly")])
            await bench.answer("RequestPasskey", .success([.uint32(123456)]))
            try await bench.call(path, Self.device + ".Pair")
            #expect(try await bench.get(path, Self.device, "Paired") == .bool(true))
            #expect(try await bench.get(path, Self.device, "Bonded") == .bool(true))
            let again = await error { () throws(BusError) in try await bench.call(path, Self.device + ".Pair") }
            #expect(again == "org.bluez.Error.AlreadyExists")
            let value = try await bench.attribute("fff1", Self.characteristic, of: path)
            #expect(
                try await bench.call(value, Self.characteristic + ".ReadValue", [.properties([:])]) == [.bytes([42])])
        }
    }

    @Test func aPairingThatTheAgentRejectsIsAnError() async throws {
        try await ServiceBench.with(Self.locked) { bench in
            let path = try await bench.discover("Locked")
            try await bench.connect(path)
            try await bench.call(
                "/org/bluez", "org.bluez.AgentManager1.RegisterAgent", [.path("/agent"), .string("KeyboardOnly")])
            await bench.answer("RequestPasskey", .failure(BusError("org.bluez.Error.Rejected")))
            let refused = await error { () throws(BusError) in try await bench.call(path, Self.device + ".Pair") }
            #expect(refused?.hasPrefix("org.bluez.Error.Authentication") == true, "\(refused ?? "paired")")
            #expect(try await bench.get(path, Self.device, "Paired") == .bool(false))
        }
    }
}
