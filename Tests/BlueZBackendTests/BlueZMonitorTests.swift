import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import Synchronization
import SystemBus
import Testing

@testable import BlueZBackend

/// Passive scans over a fake `bluetoothd` with advertisement monitors.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZMonitorTests {
    /// The modes and reports of a scan.
    private final class Heard: Sendable {
        let modes = AsyncStream<ScanMode>.makeStream()
        let reports = AsyncStream<ScanReport>.makeStream()
    }

    private static let patterns = [AdvertisementPattern(.manufacturerSpecificData, [0x99, 0x04, 0x05])]
    private let clock = RadioClock.manual()
    private let world: FakeWorld

    init() async throws { world = try await FakeWorld(loop: RadioLoop(clock: clock)) }

    /// Gives the adapter advertisement monitors, of which BlueZ activates each once it knows it.
    private func addMonitors(features: [String] = [], activates: Bool = true) async -> LoopBound<[BusValue]> {
        let (fake, loop) = (world.fake, world.loop)
        let objects = LoopBound<[BusValue]>([], loop: loop)
        await loop.run {
            let fake = fake.value
            fake.add(
                FakeBlueZ.adapterPath, BlueZ.monitorManager,
                ["SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings(features)])
            fake.answers["RegisterMonitor"] = { call in
                call.respond(.success([]))
                let root = call.arguments.first?.text ?? ""
                fake.bus.call(call.sender, root, BlueZ.objectManager, "GetManagedObjects") { result in
                    guard case .success(let answer) = result else { return }
                    objects.value = answer
                    guard activates else { return }
                    for path in ManagedObjects(answer).paths(of: BlueZ.monitor) {
                        fake.tellMonitor(path, "Activate")
                    }
                }
            }
        }
        await world.settle()
        return objects
    }

    private func scan(
        _ heard: Heard, isActive: Bool = false, patterns: [AdvertisementPattern] = Self.patterns
    ) async -> LoopBound<any BackendOperation> {
        let (radio, loop) = (world.radio, world.loop)
        return await loop.run {
            var request = ScanRequest(allowsDuplicates: true, isActive: isActive)
            request.patterns = patterns
            request.modeChanged = { heard.modes.continuation.yield($0) }
            let operation = radio.value.scan(request) {
                heard.reports.continuation.yield($0)
            } ended: { _ in
                heard.reports.continuation.finish()
                heard.modes.continuation.finish()
            }
            return LoopBound(confined: operation, loop: loop)
        }
    }

    private func onFake(_ body: @escaping @Sendable (FakeBlueZ) -> Void) async {
        let fake = world.fake
        await world.loop.run { body(fake.value) }
        await world.settle()
    }

    @Test("A passive scan looks for its patterns, seven to a monitor, and starts no discovery")
    func looksForPatterns() async throws {
        let objects = await addMonitors()
        let heard = Heard()
        let patterns = (0..<8).map { AdvertisementPattern(.serviceData16, [$0, 0xFC], at: 1) }
        _ = await scan(heard, patterns: patterns)
        #expect(await heard.modes.stream.first { _ in true } == .patterns)
        let all = ManagedObjects(await world.loop.run { objects.value })
        let paths = all.paths(of: BlueZ.monitor)
        #expect(paths == ["/org/harald/monitors/monitor0", "/org/harald/monitors/monitor1"])
        let entries = paths.map { path -> [BusValue] in
            guard let properties = all[path, BlueZ.monitor], properties["Type"]?.text == "or_patterns",
                case .array(let entries, of: "(yyay)")? = properties["Patterns"]?.unwrapped
            else { return [] }
            return entries
        }
        #expect(entries.map(\.count) == [7, 1])
        #expect(entries.first?.first == .structure([.byte(1), .byte(0x16), .bytes([0, 0xFC])]))
        await onFake { $0.addDevice() }
        #expect(await heard.reports.stream.first { _ in true }?.rssi == -44)
        #expect(await world.calls("StartDiscovery") == 0)
    }

    @Test("Each advertisement is reported once, whether or not it changes the properties of the device")
    func reportsEachOnce() async {
        _ = await addMonitors()
        let heard = Heard()
        let operation = await scan(heard)
        _ = await heard.modes.stream.first { _ in true }
        await onFake { fake in
            fake.addDevice()
            fake.tellMonitor("/org/harald/monitors/monitor0", "DeviceFound", FakeBlueZ.devicePath)
            // As the first one.
            fake.tellMonitor("/org/harald/monitors/monitor0", "DeviceFound", FakeBlueZ.devicePath)
            fake.change(FakeBlueZ.devicePath, BlueZ.device, ["RSSI": .int16(-60)])
            fake.tellMonitor("/org/harald/monitors/monitor0", "DeviceFound", FakeBlueZ.devicePath)
        }
        await world.loop.run { operation.value.cancel() }
        heard.reports.continuation.finish()
        #expect(await heard.reports.stream.reduce(into: []) { $0.append($1.rssi) } == [-44, -44, -60])
    }

    @Test("A bluetoothd without monitors scans actively, and the scan is told why")
    func tellsWhyItIsActive() async {
        let heard = Heard()
        _ = await scan(heard)
        #expect(
            await heard.modes.stream.first { _ in true }
                == .active(
                    because: "bluetoothd has no advertisement monitors, which it offers with the option --experimental"
                ))
        #expect(await world.calls("StartDiscovery") == 1)
        #expect(await world.calls("RegisterMonitor") == 0)
    }

    @Test("Monitors that bluetoothd releases are replaced by a discovery until it starts again")
    func continuesActively() async throws {
        _ = await addMonitors()
        let heard = Heard()
        _ = await scan(heard)
        var modes = heard.modes.stream.makeAsyncIterator()
        #expect(await modes.next() == .patterns)
        await onFake { $0.tellMonitor("/org/harald/monitors/monitor0", "Release") }
        #expect(
            await modes.next()
                == .active(because: "advertisement monitors are not possible: bluetoothd ended them"))
        // Ends the scan, after which another one asks again.
        await onFake { $0.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Powered": .bool(false)]) }
        #expect(await modes.next() == nil)
        await onFake { $0.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Powered": .bool(true)]) }
        let later = Heard()
        _ = await scan(later)
        #expect(await later.modes.stream.first { _ in true } == .patterns)
        #expect(await world.calls("RegisterMonitor") == 2)
    }

    @Test("Monitors that bluetoothd refuses, or does not begin within 10 s, are replaced by a discovery")
    func givesUp() async {
        _ = await addMonitors(activates: false)
        let heard = Heard()
        let operation = await scan(heard)
        await world.called("RegisterMonitor", 1)
        await world.settle()
        await clock.advance(by: .milliseconds(9999))
        await world.settle()
        #expect(await world.calls("StartDiscovery") == 0)
        await clock.advance(by: .milliseconds(1))
        #expect(
            await heard.modes.stream.first { _ in true }
                == .active(because: "advertisement monitors are not possible: bluetoothd did not begin them"))
        #expect(await world.calls("UnregisterMonitor") == 1)
        await world.loop.run { operation.value.cancel() }
    }

    @Test("An active scan beside a passive one is a discovery; afterwards the monitors are back")
    func givesWayToActiveScans() async {
        _ = await addMonitors()
        let (passive, active) = (Heard(), Heard())
        _ = await scan(passive)
        var modes = passive.modes.stream.makeAsyncIterator()
        #expect(await modes.next() == .patterns)
        let operation = await scan(active, isActive: true)
        #expect(await modes.next() == .active(because: nil))
        #expect(await world.calls("UnregisterMonitor") == 1)
        await world.loop.run { operation.value.cancel() }
        #expect(await modes.next() == .patterns)
        #expect(await world.calls("StopDiscovery") == 1)
    }

    @Test("A controller that looks for patterns reports a device while it is in range")
    func reportsPresence() async {
        _ = await addMonitors(features: ["controller-patterns"])
        let heard = Heard()
        let operation = await scan(heard)
        _ = await heard.modes.stream.first { _ in true }
        await onFake { fake in
            fake.addDevice()
            fake.tellMonitor("/org/harald/monitors/monitor0", "DeviceFound", FakeBlueZ.devicePath)
        }
        await clock.advance(by: .seconds(30))
        await clock.advance(by: .seconds(30))
        await onFake { $0.tellMonitor("/org/harald/monitors/monitor0", "DeviceLost", FakeBlueZ.devicePath) }
        await clock.advance(by: .seconds(30))
        await world.settle()
        await world.loop.run { operation.value.cancel() }
        heard.reports.continuation.finish()
        #expect(await heard.reports.stream.reduce(into: 0) { count, _ in count += 1 } == 3)
    }
}
