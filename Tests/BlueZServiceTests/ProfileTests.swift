import Foundation
import SystemBus
import TestSupport
import Testing
import VirtualBluetooth

@testable import BlueZService

/// The automatic connection to devices whose services a client names with a `GattProfile1`.
@Suite(.timeLimit(.minutes(1))) struct ProfileTests {
    private static let adapter = ServiceBench.adapterPath
    private static let device = "org.bluez.Device1"
    private static let manager = "org.bluez.GattManager1."
    private static let profile = "org.bluez.GattProfile1"
    private static let scene = "devices: [{device: polar-h7, name: Strap}]"
    private static let locked = """
        devices:
        - device:
            name: Locked
            passkey: "123456"
            services:
            - uuid: FFF0
              characteristics: [{uuid: FFF1, properties: [read], value: {u8: 42}, security: authenticated}]
        """

    private func register(_ bench: ServiceBench, uuid: String = "180d") async throws {
        let properties = BusValue.properties(["UUIDs": .strings([uuid])])
        let object = BusValue.dictionary([.string(Self.profile): properties], key: "s", value: "a{sv}")
        let objects = BusValue.dictionary([.path("/app/profile"): object], key: "o", value: "a{sa{sv}}")
        await bench.answer("GetManagedObjects", .success([objects]))
        try await bench.call(Self.adapter, Self.manager + "RegisterApplication", [.path("/app"), .properties([:])])
    }

    private func isConnected(_ path: String, _ bench: ServiceBench) async throws -> Bool {
        try await bench.get(path, Self.device, "Connected") == .bool(true)
    }

    @Test func aKnownDeviceIsConnectedAgainWhenItsLinkIsLost() async throws {
        try await ServiceBench.with(Self.scene) { bench in
            let path = try await bench.discover("Strap")
            try await register(bench)
            // A device that no client has used is not connected.
            #expect(try await !isConnected(path, bench))
            try await bench.connect(path)
            await bench.scene.radio.disconnect(adapterNamed: "service")
            await bench.change(path, "Connected", to: .bool(false))
            await bench.change(path, "ServicesResolved", to: .bool(true))
            // A client ends the link, and it stays ended.
            try await bench.call(path, Self.device + ".Disconnect")
            await bench.change(path, "Connected", to: .bool(false))
            try await bench.call(Self.adapter, Self.manager + "UnregisterApplication", [.path("/app")])
            await bench.signal { $0.path == "/app/profile" && $0.member == "Release" }
            try await register(bench)
            #expect(try await !isConnected(path, bench))
            // Once a client has connected again, the device is connected whenever it is there.
            try await bench.connect(path)
            await bench.scene.radio.disconnect(adapterNamed: "service")
            await bench.change(path, "Connected", to: .bool(false))
            await bench.change(path, "Connected", to: .bool(true))
        }
    }

    /// A device becomes known before or after its services are discovered.
    enum Order: CaseIterable { case trustedAndConnected, connectedAndTrusted, paired }

    /// The services are stored, so that no discovery is needed.
    @Test(arguments: Order.allCases) func aKnownDeviceIsConnectedByANewService(_ order: Order) async throws {
        let store = FileManager.default.temporaryDirectory.appendingPathComponent("harald-bluez-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: store) }
        let trusted: [BusValue] = [.string(Self.device), .string("Trusted"), .variant(.bool(true))]
        let set = "org.freedesktop.DBus.Properties.Set"
        var path = ""
        try await ServiceBench.with(Self.locked, store: store.path) { bench in
            path = try await bench.discover("Locked")
            switch order {
            case .trustedAndConnected:
                try await bench.call(path, set, trusted)
                try await bench.connect(path)
            case .connectedAndTrusted:
                try await bench.connect(path)
                try await bench.call(path, set, trusted)
            case .paired:
                try await bench.call(
                    "/org/bluez", "org.bluez.AgentManager1.RegisterAgent", [.path("/agent"), .string("KeyboardOnly")])
                await bench.answer("RequestPasskey", .success([.uint32(123456)]))
                try await bench.connect(path)
                try await bench.call(path, Self.device + ".Pair")
            }
        }
        try await ServiceBench.with(Self.locked, store: store.path) { bench in
            let uuids = try await bench.get(path, Self.device, "UUIDs")?.texts ?? []
            #expect(uuids.contains("0000fff0-0000-1000-8000-00805f9b34fb"))
            // A simulated device forgets its bonds when it ends, so that the link of the paired one fails.
            if order == .paired { return }
            try await register(bench, uuid: "180d")
            #expect(try await !isConnected(path, bench))
            try await bench.call(Self.adapter, Self.manager + "UnregisterApplication", [.path("/app")])
            try await register(bench, uuid: "fff0")
            await bench.change(path, "Connected", to: .bool(true))
            await bench.clientLeaves(ServiceBench.client)
            await bench.signal { $0.path == "/app/profile" && $0.member == "Release" }
            #expect(try await isConnected(path, bench))
        }
    }

    /// The first attempt ends after the second has begun.
    @Test func aClientConnectsAtOnceAfterItCancelledAnAttempt() async throws {
        try await ServiceBench.with(Self.scene) { bench in
            let (radio, connect) = (bench.scene.radio, Self.device + ".Connect")
            let path = try await bench.discover("Strap")
            await radio.place(adapterNamed: "service", at: AirPosition(x: 1e6))
            async let first = bench.call(path, connect)
            while await !radio.loop.run({ radio.controller(named: "service")?.isInitiating == true }) {
                try await Task.pause()
            }
            async let second = bench.call(path, connect, after: Self.device + ".Disconnect")
            #expect((try? await first) == nil)
            await radio.place(adapterNamed: "service", at: .origin)
            _ = try await second
        }
    }
}
