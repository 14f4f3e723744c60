import BluetoothModel
import Foundation
import Harald
import SystemBus
import Testing

@testable import BlueZService

/// The peripheral role of the service, visited by centrals on the same air.
@Suite(.timeLimit(.minutes(1))) struct PeripheralRoleTests {
    private static let adapter = ServiceBench.adapterPath
    private static let advertising = "org.bluez.LEAdvertisingManager1"
    private static let gatt = "org.bluez.GattManager1"
    private static let value = "/app/service0/char0"

    /// The objects of a client: one service with one characteristic.
    private static func objects(
        _ uuid: String, root: String, flags: [String], others: [String: BusValue]
    ) -> BusValue {
        func object(_ interface: String, _ properties: [String: BusValue]) -> BusValue {
            .dictionary([.string(interface): .properties(properties)], key: "s", value: "a{sv}")
        }
        return .dictionary(
            [
                .path(root + "/service0"): object(
                    ApplicationDefinition.serviceInterface, ["UUID": .string(uuid + "0"), "Primary": .bool(true)]),
                .path(root + "/service0/char0"): object(
                    ApplicationDefinition.characteristicInterface,
                    others.merging([
                        "UUID": .string(uuid + "1"), "Service": .path(root + "/service0"),
                        "Flags": .strings(flags),
                    ]) { $1 }),
            ], key: "o", value: "a{sa{sv}}")
    }

    /// Registers the application of a client.
    private func registerApplication(
        _ bench: ServiceBench, uuid: String = "fff", root: String = "/app",
        flags: [String] = ["read", "write", "notify", "indicate"], others: [String: BusValue] = [:],
        from client: String = ServiceBench.client
    ) async throws {
        let objects = Self.objects(uuid, root: root, flags: flags, others: others)
        await bench.answer("GetManagedObjects", .success([objects]))
        try await bench.call(
            Self.adapter, Self.gatt + ".RegisterApplication", [.path(root), .properties([:])], from: client)
    }

    /// Registers the advertisement of a client.
    private func advertise(
        _ bench: ServiceBench, _ name: String, at path: String = "/advertisement",
        from client: String = ServiceBench.client, _ others: [String: BusValue] = [:]
    ) async throws {
        let properties: [String: BusValue] = ["Type": .string("peripheral"), "LocalName": .string(name)]
        await bench.answer("GetAll", .success([.properties(properties.merging(others) { $1 })]))
        try await bench.call(
            Self.adapter, Self.advertising + ".RegisterAdvertisement", [.path(path), .properties([:])], from: client)
    }

    /// Connects another adapter on the air to the device that advertises a name.
    private func visit(
        _ bench: ServiceBench, _ name: String, as visitor: String = "visitor", _ body: (Peripheral) async throws -> Void
    ) async throws {
        let central = try await Central(
            adapter: bench.scene.radio.adapter(named: visitor), options: AdapterOptions(storage: .none))
        do {
            for try await result in central.scan(filter: .init(namePrefix: name)) {
                try await result.peripheral.connect()
                try await body(result.peripheral)
                break
            }
            await central.close()
        } catch {
            await central.close()
            throw error
        }
    }

    private func error(_ body: () async throws(BusError) -> Void) async -> BusError? {
        do throws(BusError) { try await body() } catch { return error }
        return nil
    }

    @Test func aCentralReadsAndWrites() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await registerApplication(bench)
            try await advertise(bench, "Server")
            await bench.answer("ReadValue", .success([.bytes([7, 8])]))
            await bench.answer("WriteValue", .success([]))
            try await visit(bench, "Server") { peripheral in
                let added = await bench.signal { $0.added("org.bluez.Device1")?["Connected"] == .bool(true) }
                let device = try #require(added.arguments.first?.text)
                let characteristic = try await peripheral.characteristic("FFF1")
                #expect(try await characteristic.read() == [7, 8])
                let options = await bench.signal { $0.member == "ReadValue" && $0.path == Self.value }.arguments.first?
                    .properties
                #expect(options?["device"] == .path(device) && options?["link"] == .string("LE"))
                #expect(options?["mtu"] == .uint16(UInt16(peripheral.mtu)) && options?["offset"] == nil)
                try await characteristic.write([1, 2, 3])
                let write = await bench.signal { $0.member == "WriteValue" }
                #expect(write.arguments.first == .bytes([1, 2, 3]))
                #expect(write.arguments.last?.properties?["offset"] == nil)
                await bench.answer("ReadValue", .failure(BusError("org.bluez.Error.Failed", "0x81")))
                let refused = await #expect(throws: BluetoothError.self) { try await characteristic.read() }
                #expect(refused?.code == .att(ATTErrorCode(rawValue: 0x81)))
                // The attributes of the central are found on request.
                try await bench.connect(device)
                // A client of the service ends the link.
                try await bench.call(device, "org.bluez.Device1.Disconnect")
                await bench.change(device, "Connected", to: .bool(false))
            }
        }
    }

    /// The loop watches sockets; another descriptor of a client is refused.
    @Test func aClientThatGivesAFileIsRefused() async throws {
        try await ServiceBench.with("devices: []") { bench in
            let file = BusDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
            await bench.answer("AcquireWrite", .success([.descriptor(file), .uint16(23)]))
            try await registerApplication(bench, others: ["WriteAcquired": .bool(false)])
            try await advertise(bench, "Server")
            try await visit(bench, "Server") { peripheral in
                let characteristic = try await peripheral.characteristic("FFF1")
                let refused = await #expect(throws: BluetoothError.self) { try await characteristic.write([1]) }
                #expect(refused?.code == .att(ATTErrorCode(rawValue: 0x80)))
                // The client gives another one for the next write.
                await bench.answer("AcquireWrite", .failure(BusError("org.bluez.Error.NotPermitted")))
                let again = await #expect(throws: BluetoothError.self) { try await characteristic.write([1]) }
                #expect(again?.code == .att(.writeNotPermitted))
            }
        }
    }

    @Test func aBlockedCentralIsDisconnected() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await advertise(bench, "Server")
            let interface = "org.bluez.Device1"
            try await visit(bench, "Server") { peripheral in
                let added = await bench.signal { $0.added(interface)?["Connected"] == .bool(true) }
                let device = try #require(added.arguments.first?.text)
                try await bench.call(
                    device, "org.freedesktop.DBus.Properties.Set",
                    [.string(interface), .string("Blocked"), .variant(.bool(true))])
                await bench.change(device, "Connected", to: .bool(false))
                // The link is established again, and ends at once.
                try? await peripheral.connect()
                await bench.change(device, "Connected", to: .bool(true))
                await bench.change(device, "Connected", to: .bool(false))
            }
        }
    }

    @Test(arguments: [SubscriptionKind.notifications, .indications])
    func aCentralSubscribes(_ kind: SubscriptionKind) async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await registerApplication(bench)
            try await advertise(bench, "Server")
            try await visit(bench, "Server") { peripheral in
                let characteristic = try await peripheral.characteristic("FFF1")
                let values = try await characteristic.subscribe(kind)
                await bench.signal { $0.member == "StartNotify" && $0.path == Self.value }
                let change: [BusValue] = [
                    .string(ApplicationDefinition.characteristicInterface), .properties(["Value": .bytes([5])]),
                    .strings([]),
                ]
                await bench.receive("PropertiesChanged", change, at: Self.value)
                for try await value in values {
                    #expect(value == [5])
                    break
                }
                if kind == .indications { await bench.signal { $0.member == "Confirm" && $0.path == Self.value } }
                await peripheral.disconnect()
                await bench.signal { $0.member == "StopNotify" }
            }
        }
    }

    @Test func aValueRequiresEncryption() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await bench.call(
                "/org/bluez", "org.bluez.AgentManager1.RegisterAgent", [.path("/agent"), .string("NoInputNoOutput")])
            await bench.answer("RequestAuthorization", .success([]))
            await bench.answer("ReadValue", .success([.bytes([1])]))
            try await registerApplication(bench, flags: ["encrypt-read"])
            try await advertise(bench, "Server")
            try await visit(bench, "Server") { peripheral in
                let characteristic = try await peripheral.characteristic("FFF1")
                await #expect(throws: BluetoothError.self) { try await characteristic.read() }
                try await peripheral.pair()
                #expect(try await characteristic.read() == [1])
                let asked = await bench.signal { $0.member == "RequestAuthorization" }
                let device = try #require(asked.arguments.first?.text)
                await bench.change(device, "Paired", to: .bool(true))
            }
        }
    }

    @Test func absentObjectsAreRefused() async throws {
        try await ServiceBench.with("devices: []") { bench in
            for method in [Self.gatt + ".RegisterApplication", Self.advertising + ".RegisterAdvertisement"] {
                for _ in 1...2 {
                    let absent = await error { () throws(BusError) in
                        try await bench.call(Self.adapter, method, [.path("/absent"), .properties([:])])
                    }
                    #expect(absent?.name == "org.bluez.Error.Failed")
                }
            }
            let uuids = try await bench.get(Self.adapter, "org.bluez.Adapter1", "UUIDs")?.texts
            #expect(uuids?.count == 2)
        }
    }

    /// A client that does not answer holds up its own attributes only.
    @Test func oneClientDoesNotWaitForAnother() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await registerApplication(bench, from: ":1.7")
            try await registerApplication(bench, uuid: "eee", root: "/other", from: ":1.8")
            try await advertise(bench, "Server")
            await bench.answer("ReadValue", .success([.bytes([9])]))
            await bench.silence(Self.value)
            try await visit(bench, "Server") { first in
                let silent = try await first.characteristic("FFF1")
                let fails = Task { (try? await silent.read(timeout: nil)) == nil }
                await bench.signal { $0.member == "ReadValue" && $0.path == Self.value }
                try await visit(bench, "Server", as: "other visitor") { second in
                    let other = try await second.characteristic("EEE1").read()
                    #expect(other == [9])
                }
                await first.disconnect()
                #expect(await fails.value)
            }
        }
    }

    @Test func aClientThatLeavesGivesEverythingBack() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await registerApplication(bench)
            try await advertise(bench, "Server")
            #expect(try await bench.get(Self.adapter, Self.advertising, "ActiveInstances") == .byte(1))
            let uuids = try await bench.get(Self.adapter, "org.bluez.Adapter1", "UUIDs")?.texts
            #expect(uuids?.contains("0000fff0-0000-1000-8000-00805f9b34fb") == true)
            try await advertise(bench, "Other", at: "/other", from: ":1.9")
            await bench.clientLeaves(ServiceBench.client)
            #expect(try await bench.get(Self.adapter, Self.advertising, "ActiveInstances") == .byte(1))
            #expect(try await bench.get(Self.adapter, "org.bluez.Adapter1", "UUIDs")?.texts?.count == 2)
            // The one of the other client is on the air now.
            try await visit(bench, "Other") { peripheral in
                let services = try await peripheral.discoverServices()
                #expect(services.allSatisfy { $0.uuid != 0xFFF0 })
            }
        }
    }

    @Test func advertisingContinuesWhenTheAdapterIsOnAgain() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await registerApplication(bench)
            try await advertise(bench, "Server")
            await bench.answer("ReadValue", .success([.bytes([1])]))
            for isOn in [false, true] {
                let value = BusValue.variant(.bool(isOn))
                try await bench.call(
                    Self.adapter, "org.freedesktop.DBus.Properties.Set",
                    [.string("org.bluez.Adapter1"), .string("Powered"), value])
                await bench.change(Self.adapter, "Powered", to: .bool(isOn))
            }
            #expect(try await bench.get(Self.adapter, Self.advertising, "ActiveInstances") == .byte(1))
            try await visit(bench, "Server") { peripheral in
                let value = try await peripheral.characteristic("FFF1").read()
                #expect(value == [1])
            }
        }
    }

    @Test func registrationsAreCounted() async throws {
        try await ServiceBench.with("devices: []") { bench in
            for number in 1...Advertisements.maximum {
                try await advertise(bench, "Server \(number)", at: "/a\(number)")
            }
            #expect(try await bench.get(Self.adapter, Self.advertising, "SupportedInstances") == .byte(0))
            let full = await error { () throws(BusError) in
                try await bench.call(
                    Self.adapter, Self.advertising + ".RegisterAdvertisement", [.path("/b"), .properties([:])])
            }
            #expect(full == .notPermitted("Maximum advertisements reached"))
            let twice = await error { () throws(BusError) in
                try await bench.call(
                    Self.adapter, Self.advertising + ".RegisterAdvertisement", [.path("/a1"), .properties([:])])
            }
            #expect(twice == .alreadyExists)
            let unregister = Self.advertising + ".UnregisterAdvertisement"
            try await bench.call(Self.adapter, unregister, [.path("/a1")])
            #expect(try await bench.get(Self.adapter, Self.advertising, "SupportedInstances") == .byte(1))
            let gone = await error { () throws(BusError) in
                try await bench.call(Self.adapter, unregister, [.path("/a1")])
            }
            #expect(gone == .doesNotExist)
            try await registerApplication(bench)
            let again = await error { () throws(BusError) in
                try await bench.call(
                    Self.adapter, Self.gatt + ".RegisterApplication", [.path("/app"), .properties([:])])
            }
            #expect(again == .alreadyExists)
            try await bench.call(Self.adapter, Self.gatt + ".UnregisterApplication", [.path("/app")])
            let absent = await error { () throws(BusError) in
                try await bench.call(Self.adapter, Self.gatt + ".UnregisterApplication", [.path("/app")])
            }
            #expect(absent == .doesNotExist)
        }
    }

    @Test func severalAdvertisementsHaveTheirTurns() async throws {
        try await ServiceBench.with("devices: []") { bench in
            for name in ["First", "Second"] {
                try await advertise(bench, name, at: "/" + name, ["Duration": .uint16(1)])
            }
            for name in ["First", "Second", "First"] { try await visit(bench, name) { _ in } }
        }
    }

    @Test func anAdvertisementEndsAfterItsTimeout() async throws {
        try await ServiceBench.with("devices: []") { bench in
            try await advertise(bench, "Server", ["Timeout": .uint16(1)])
            await bench.signal { $0.member == "Release" && $0.path == "/advertisement" }
            #expect(try await bench.get(Self.adapter, Self.advertising, "ActiveInstances") == .byte(0))
        }
    }

    @Test func aWrongAdvertisementIsRefused() async throws {
        try await ServiceBench.with("devices: []") { bench in
            await bench.answer("GetAll", .success([.properties(["Type": .string("other")])]))
            let wrong = await error { () throws(BusError) in
                try await bench.call(
                    Self.adapter, Self.advertising + ".RegisterAdvertisement", [.path("/a"), .properties([:])])
            }
            #expect(wrong == .failed("Failed to parse advertisement."))
            let count = try await bench.get(Self.adapter, Self.advertising, "ActiveInstances")
            #expect(count == .byte(0))
        }
    }
}
