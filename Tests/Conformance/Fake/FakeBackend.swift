import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The smallest backend on the kernel of the seam: its device is an object in this process. It contains only the parts
/// of a backend that the kernel requires, so its failures are failures of the kernel.
package struct FakeBackend: ConformanceBackend {
    package let name = "fake"
    package let lacks: [ConformanceCapability: String] = [:]

    package init() {}

    package func makeWorld() async throws -> any ConformanceWorld {
        let loop = RadioLoop()
        let events = Events<PeerEvent>()
        let radio = await loop.run { LoopBound(confined: FakeRadio(loop: loop, events: events), loop: loop) }
        return FakeWorld(
            fake: radio, events: events, radio: await loop.run { LoopBound(confined: radio.value, loop: loop) })
    }
}

private struct FakeWorld: ConformanceWorld, ConformancePeer {
    let fake: LoopBound<FakeRadio>
    let events: Events<PeerEvent>
    let radio: LoopBound<any RadioBackend>

    var peer: any ConformancePeer { self }
    var peerID: PeripheralID { FakeRadio.peerID }

    private func run(_ body: @escaping @Sendable (FakeRadio) -> Void) async {
        await fake.loop.run { [fake] in body(fake.value) }
    }

    func shutDown() async {}
    func setPowered(_ isOn: Bool) async { await run { $0.setPowered(isOn) { _ in } } }
    func setReachable(_ isReachable: Bool) async {
        await run { radio in
            radio.device.isReachable = isReachable
            radio.deviceChanged()
        }
    }
    func failEstablishments(_ count: Int) async { await run { $0.device.failedEstablishments = count } }
    func advertise() async { await run { $0.heard() } }
    func disconnect() async { await run { $0.lose(.disconnected(.remoteUserTerminated)) } }
    func send(_ values: [[UInt8]], on attribute: PeerAttribute) async {
        await run { radio in for value in values { radio.link?.received(value, of: attribute) } }
    }
    func answerHeldReads() async {
        await run { radio in
            let held = radio.device.held
            radio.device.held = []
            for answer in held { answer([4]) }
        }
    }
    func greetSubscriber(with value: [UInt8]) async { await run { $0.device.greeting = value } }
}

/// The device that a scenario scripts, from the side of the fake radio.
struct FakeDevice {
    var isReachable = true
    var failedEstablishments = 0
    var values = Dictionary(
        uniqueKeysWithValues: PeerAttribute.allCases.compactMap { attribute in attribute.value.map { (attribute, $0) } }
    )
    var held: [([UInt8]) -> Void] = []
    var greeting: [UInt8]?
}
