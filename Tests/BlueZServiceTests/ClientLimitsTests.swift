import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus
import Testing

@testable import BlueZService

/// The limits of one client, so that the others are not held up.
@Suite(.timeLimit(.minutes(1))) struct ClientLimitsTests {
    /// A client's operations wait for its own earlier ones only.
    @Test func clientsTakeTurns() async throws {
        let loop = RadioLoop()
        let log = await loop.run { LoopBound(confined: Log(loop), loop: loop) }
        let limit = ClientTurns.limit
        try await loop.run {
            for number in 0..<limit + 2 { try log.value.take("a", number) }
            #expect(log.value.started == Array(0..<limit).map { "a\($0)" })
            try log.value.take("b", 0)
            #expect(log.value.started.last == "b0")
            log.value.done[0]()
        }
        // The next one begins in the next turn of the loop.
        await loop.run { #expect(log.value.started.last == "a\(limit)") }
        await loop.run {
            log.value.turns.drop("a")
            for done in log.value.done.dropFirst() { done() }
        }
        try await loop.run {
            #expect(log.value.started.last == "a\(limit)")
            try log.value.take("a", 99)
            #expect(log.value.started.last == "a99")
        }
    }

    /// Confined to the loop.
    private final class Log {
        let turns: ClientTurns
        var started: [String] = []
        var done: [() -> Void] = []

        init(_ loop: RadioLoop) { turns = ClientTurns(loop: loop) }

        func take(_ client: String, _ number: Int) throws(BusError) {
            try turns.take(client) { done in
                self.started.append("\(client)\(number)")
                self.done.append(done)
            }
        }
    }

    /// An attacker can invent any number of devices.
    @Test func anAdapterHasALimitOfDevices() async throws {
        try await ServiceBench.with("devices: []") { bench in
            let adapter = ServiceBench.adapterPath
            try await bench.call(
                adapter, "org.bluez.Adapter1.SetDiscoveryFilter", [.properties(["Transport": .string("le")])])
            try await bench.call(adapter, "org.bluez.Adapter1.StartDiscovery")
            await bench.hear(
                (0..<5000).map { (number: UInt64) in
                    let address = BluetoothAddress(value: 0xC0FF_EE00_0000 + number, kind: .random)
                    return ScanReport(
                        peripheral: PeripheralID(address), address: address, knownName: nil,
                        advertisement: AdvertisingData(), rssi: -50, isConnectable: true, time: .start)
                })
            let all = try await bench.call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects").first
            guard case .dictionary(let objects, _, _) = all else { return }
            #expect(objects.keys.count { $0.text?.hasPrefix(adapter + "/dev_") == true } == 4096)
        }
    }

    /// A bus limits the match rules of a connection.
    @Test func aClientHasOneMatchRule() {
        var rules: [String] = []
        let bus = ClientBus { _, _, _, _, _, _ in
        } match: { rule, isAdded in
            rules.append((isAdded ? "+" : "-") + rule)
        }
        let objects = ["/a", "/b"].map { ClientObjects(client: ":1.1", root: $0, bus: bus) }
        for object in objects { bus.watch(object) }
        bus.unwatch(objects[0])
        #expect(rules == ["+type='signal',sender=':1.1'"])
        bus.unwatch(objects[1])
        #expect(rules.count == 2 && rules.last == "-type='signal',sender=':1.1'")
    }

    @Test func anApplicationWithThousandsOfObjectsIsRefused() {
        let service: ClientObjects.Interfaces = [
            ApplicationDefinition.serviceInterface: ["UUID": .string("fff0"), "Primary": .bool(true)]
        ]
        func definition(_ count: Int) throws(BusError) -> ApplicationDefinition {
            try ApplicationDefinition(Dictionary((0..<count).map { ("/app/\($0)", service) }) { $1 })
        }
        #expect(throws: ApplicationDefinition.unplaced) { try definition(2049) }
        #expect(throws: Never.self) { try definition(2048) }
    }

    /// A change of the database takes the longer the more services it has.
    @Test func applicationsHaveALimitOfServicesTogether() async throws {
        try await ServiceBench.with("devices: []") { bench in
            func register(_ root: String, _ count: Int) async throws(BusError) {
                let service = BusValue.dictionary(
                    [
                        .string(ApplicationDefinition.serviceInterface): .properties([
                            "UUID": .string("fff0"), "Primary": .bool(true),
                        ])
                    ], key: "s", value: "a{sv}")
                let objects = Dictionary((0..<count).map { (BusValue.path("\(root)/\($0)"), service) }) { $1 }
                await bench.answer(
                    "GetManagedObjects", .success([.dictionary(objects, key: "o", value: "a{sa{sv}}")]))
                try await bench.call(
                    ServiceBench.adapterPath, "org.bluez.GattManager1.RegisterApplication",
                    [.path(root), .properties([:])])
            }
            try await register("/a", 500)
            await #expect(throws: ApplicationDefinition.unplaced) { try await register("/b", 13) }
            try await register("/c", 12)
        }
    }
}
