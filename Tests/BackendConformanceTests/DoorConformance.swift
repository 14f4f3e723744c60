#if os(Linux)
import BackendConformance
import BlueZService
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import Testing
import VirtualTransport

@testable import Adapters
@testable import BlueZBackend

/// Runs the scenarios on the BlueZ backend, with `harald bluez` as the `bluetoothd`.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct DoorConformanceTests {
    @Test(arguments: DoorConformance().scenarios) func door(_ scenario: Scenario) async throws {
        try await scenario.run(on: DoorConformance())
    }

    /// `harald bluez` has advertisement monitors: no discovery is needed.
    @Test func aPassiveScanIsNoDiscovery() async throws {
        let world = try await DoorConformance().makeWorld()
        let (modes, mode) = AsyncStream<ScanMode>.makeStream()
        let (reports, report) = AsyncStream<PeripheralID>.makeStream()
        let radio = world.radio
        await radio.loop.run {
            var request = ScanRequest(allowsDuplicates: true, isActive: false)
            // 0xFC00, the peer's service.
            request.patterns = [.incompleteServiceUUIDs16, .completeServiceUUIDs16].map {
                AdvertisementPattern($0, [0x00, 0xFC])
            }
            request.modeChanged = { mode.yield($0) }
            _ = radio.value.scan(request) {
                report.yield($0.peripheral)
            } ended: { _ in
                report.finish()
            }
        }
        #expect(await modes.first { _ in true } == .patterns)
        // More than what was known before.
        await world.peer.advertise()
        let peer = world.peerID
        var count = 0
        for await found in reports where found == peer {
            count += 1
            if count == 3 { break }
        }
        #expect(count == 3)
        await world.shutDown()
    }
}

/// `BlueZBackend` on this package's `org.bluez`, on our host stack.
struct DoorConformance: ConformanceBackend {
    let name = "door"
    let lacks: [ConformanceCapability: String] = [
        .securityPolicies: "bluetoothd does not report the security of links"
    ]

    func makeWorld() async throws -> any ConformanceWorld {
        let air = VirtualRadio()
        let registry = AdapterRegistry()
        let peer = try await VirtualPeer(on: air, registry: registry)
        let lease = try await registry.open(
            air.source(named: VirtualWorld.adapter), options: AdapterOptions(storage: .none))
        try await lease.backend.waitUntilPoweredOn()
        let bus = try await PrivateBus()
        let service = try await BlueZService.start(
            on: bus.address, adapters: [BlueZService.Adapter(backend: lease.backend, user: lease.user)])
        // A separate loop, as of another process.
        let loop = RadioLoop()
        let radio = try #require(try await BlueZAdapters(address: bus.address).open(nil, uri: "", on: loop))
        try await radio.waitUntilPoweredOn()
        return DoorWorld(
            inner: VirtualWorld(
                air: air, radio: radio, virtualPeer: peer, peerID: try await radio.findPeer(), lease: lease),
            service: service, bus: bus)
    }
}

private struct DoorWorld: ConformanceWorld {
    let inner: VirtualWorld
    let service: BlueZService
    let bus: PrivateBus

    var radio: LoopBound<any RadioBackend> { inner.radio }
    var peer: any ConformancePeer { inner.peer }
    var peerID: PeripheralID { inner.peerID }

    func setPowered(_ isOn: Bool) async { await inner.setPowered(isOn) }

    func shutDown() async {
        await service.stop()
        await inner.shutDown()
        bus.stop()
    }
}
#endif
