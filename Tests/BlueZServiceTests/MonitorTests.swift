import BluetoothRuntime
import SystemBus
import Testing

@testable import BlueZService

/// Advertisement monitors of clients.
@Suite(.timeLimit(.minutes(1))) struct MonitorTests {
    private static let adapter = ServiceBench.adapterPath
    private static let manager = "org.bluez.AdvertisementMonitorManager1."
    private static let interface = "org.bluez.AdvertisementMonitor1"
    private static let scene = "devices: [{device: {name: Strap, advertise: {services: [180D]}}}]"

    /// Registers a client's monitor for the heart rate service in a list of services of 16 bits, at its beginning.
    private func register(_ bench: ServiceBench, _ others: [String: BusValue] = [:]) async throws {
        try await bench.call(Self.adapter, Self.manager + "RegisterMonitor", [.path("/monitor")])
        let patterns: [BusValue] = [2, 3].map { .structure([.byte(0), .byte($0), .bytes([0x0D, 0x18])]) }
        let properties: [String: BusValue] = [
            "Type": .string("or_patterns"), "Patterns": .array(patterns, of: "(yyay)"),
        ]
        let monitor = BusValue.dictionary(
            [.string(Self.interface): .properties(properties.merging(others) { $1 })], key: "s", value: "a{sv}")
        await bench.receive("InterfacesAdded", [.path("/monitor"), monitor])
    }

    private func told(_ bench: ServiceBench, _ member: String) async -> BusSignal {
        await bench.signal { $0.interface == Self.interface && $0.member == member }
    }

    private func error(_ body: () async throws(BusError) -> Void) async -> String? {
        do throws(BusError) { try await body() } catch { return error.name }
        return nil
    }

    @Test func aMonitorFindsDevicesWithoutADiscovery() async throws {
        try await ServiceBench.with(Self.scene) { bench in
            try await register(bench)
            let again = await error { () throws(BusError) in
                try await bench.call(Self.adapter, Self.manager + "RegisterMonitor", [.path("/monitor")])
            }
            #expect(again == "org.bluez.Error.AlreadyExists")
            _ = await told(bench, "Activate")
            let device = try #require(await told(bench, "DeviceFound").arguments.first?.text)
            // Without thresholds it is told of each advertisement.
            #expect(await told(bench, "DeviceFound").arguments == [.path(device)])
            #expect(try await bench.get(device, "org.bluez.Device1", "Connected") == .bool(false))
            #expect(try await bench.get(Self.adapter, "org.bluez.Adapter1", "Discovering") == .bool(false))
            await bench.clientLeaves(ServiceBench.client)
            let gone = await error { () throws(BusError) in
                try await bench.call(Self.adapter, Self.manager + "UnregisterMonitor", [.path("/monitor")])
            }
            #expect(gone == "org.bluez.Error.DoesNotExist")
        }
    }

    /// The device is found after a second of strong signals, and lost a second after the last one.
    @Test func aMonitorWithThresholdsLosesDevices() async throws {
        try await ServiceBench.with(Self.scene) { bench in
            try await register(
                bench,
                [
                    "RSSIHighThreshold": .int16(-90), "RSSILowThreshold": .int16(-100),
                    "RSSIHighTimeout": .uint16(1), "RSSILowTimeout": .uint16(1),
                ])
            let found = await told(bench, "DeviceFound")
            await bench.scene.devices.first?.close()
            #expect(await told(bench, "DeviceLost").arguments == found.arguments)
        }
    }

    @Test func aMonitorWithWrongThresholdsIsReleased() async throws {
        try await ServiceBench.with(Self.scene) { bench in
            try await register(bench, ["RSSIHighThreshold": .int16(-90), "RSSILowThreshold": .int16(-80)])
            #expect(await told(bench, "Release").path == "/monitor")
        }
    }

    @Test func signalsBringADeviceIntoRange() throws {
        let thresholds = try #require(
            try SignalThresholds([
                "RSSIHighThreshold": .int16(-50), "RSSILowThreshold": .int16(-70), "RSSIHighTimeout": .uint16(2),
            ]))
        let start = RadioInstant.start
        var range = SignalThresholds.Range()
        func hear(_ rssi: Int, _ seconds: Int64) -> Bool { range.hear(rssi, at: start + .seconds(seconds), thresholds) }
        #expect(!hear(-40, 0) && !hear(-40, 1))
        // A weak signal, or a pause, begins the time again.
        #expect(!hear(-60, 2) && !hear(-40, 3) && !hear(-40, 6) && !hear(-40, 7))
        #expect(hear(-50, 8) && range.isInside)
        #expect(hear(-70, 9) && !hear(-71, 9))
        #expect(thresholds.lowTimeout == .seconds(5))
    }

    @Test func thresholdsHaveRanges() throws {
        #expect(try SignalThresholds([:]) == nil)
        #expect(try SignalThresholds(["RSSIHighThreshold": .int16(127), "RSSILowTimeout": .uint16(0)]) == nil)
        for (name, value) in [
            ("RSSIHighThreshold", BusValue.int16(21)), ("RSSILowThreshold", .int16(-128)),
            ("RSSILowTimeout", .uint16(301)), ("RSSIHighTimeout", .string("1")),
        ] {
            #expect(throws: BusError.invalidArguments) { try SignalThresholds([name: value]) }
        }
    }
}
