import BackendConformance
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import Testing

@testable import BlueZBackend

/// Runs the conformance scenarios on the BlueZ backend with a fake `bluetoothd`.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZConformanceTests {
    @Test(arguments: BlueZConformance().scenarios) func bluez(_ scenario: Scenario) async throws {
        try await scenario.run(on: BlueZConformance())
    }

    @Test func bluezIsExcludedFromFew() async throws {
        let problems = try await BlueZConformance().problemsOfExclusions(limit: 0.15)
        #expect(problems == [])
    }
}

struct BlueZConformance: ConformanceBackend {
    let name = "bluez"
    let lacks: [ConformanceCapability: String] = [
        .securityPolicies: "bluetoothd does not report the security of links"
    ]

    func makeWorld() async throws -> any ConformanceWorld {
        let world = try await FakeWorld()
        let events = Events<PeerEvent>()
        let (fake, loop) = (world.fake, world.loop)
        let device = await loop.run { LoopBound(confined: BlueZPeer(fake.value, events), loop: loop) }
        // The device's objects have been received when another call is answered.
        await world.settle()
        return BlueZConformanceWorld(world: world, device: device, events: events)
    }
}

private struct BlueZConformanceWorld: ConformanceWorld, ConformancePeer {
    let world: FakeWorld
    let device: LoopBound<BlueZPeer>
    let events: Events<PeerEvent>

    var radio: LoopBound<any RadioBackend> { world.radio }
    var peer: any ConformancePeer { self }
    var peerID: PeripheralID { FakeWorld.id }

    private func run(_ body: @escaping @Sendable (BlueZPeer) -> Void) async {
        await world.loop.run { [device] in body(device.value) }
    }

    func setPowered(_ isOn: Bool) async { await run { $0.setPowered(isOn) } }
    func setReachable(_ isReachable: Bool) async { await run { $0.isReachable = isReachable } }
    func failEstablishments(_ count: Int) async { await run { $0.failedEstablishments = count } }
    func advertise() async { await run { $0.advertise() } }
    func disconnect() async { await run { $0.disconnect() } }
    func send(_ values: [[UInt8]], on attribute: PeerAttribute) async {
        await run { device in for value in values { device.send(value, on: attribute) } }
    }
    func answerHeldReads() async { await run { $0.answerHeldReads() } }
    func greetSubscriber(with value: [UInt8]) async { await run { $0.greeting = value } }
    func shutDown() async {
        await run { $0.stop() }
        world.privateBus.stop()
    }
}
