import BackendConformance
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import VirtualTransport

@testable import Adapters

#if os(Linux)
import AppleBackend
import CoreBluetooth
#endif

/// Our host stack, on a virtual air.
struct HostConformance: ConformanceBackend {
    let name = "host"
    let lacks: [ConformanceCapability: String] = [:]

    func makeWorld() async throws -> any ConformanceWorld {
        let radio = VirtualRadio()
        let registry = AdapterRegistry()
        let peer = try await VirtualPeer(on: radio, registry: registry)
        let lease = try await registry.open(
            radio.source(named: VirtualWorld.adapter), options: AdapterOptions(storage: .none))
        try await lease.backend.waitUntilPoweredOn()
        return VirtualWorld(
            air: radio, radio: lease.backend, virtualPeer: peer, peerID: PeripheralID(VirtualPeer.address), lease: lease
        )
    }
}

#if os(Linux)
/// `AppleBackend` on this package's CoreBluetooth, on our host stack.
struct AppleConformance: ConformanceBackend {
    let name = "apple"
    let lacks: [ConformanceCapability: String] = [
        .pairingQuestions: "the system asks its own user",
        .securityPolicies: "the system does not report the security of links",
    ]

    func makeWorld() async throws -> any ConformanceWorld {
        let air = VirtualRadio()
        let peer = try await VirtualPeer(on: air, registry: AdapterRegistry())
        let source = air.source(named: VirtualWorld.adapter)
        // A separate loop, because CoreBluetooth waits for the loop of the air.
        let loop = RadioLoop()
        let radio = await loop.run {
            LoopBound<any RadioBackend>(
                confined: AppleRadio(loop: loop, options: [HaraldManagerOptionAdapterKey: source]), loop: loop)
        }
        try await radio.waitUntilPoweredOn()
        return VirtualWorld(
            air: air, radio: radio, virtualPeer: peer, peerID: try await radio.findPeer(), lease: nil)
    }
}

extension LoopBound<any RadioBackend> {
    /// Returns the identifier of the peer, which the system assigns.
    func findPeer() async throws -> PeripheralID {
        let found = Events<PeripheralID>()
        let scan = await loop.run { [self] in
            LoopBound<any BackendOperation>(
                confined: value.scan(ScanRequest(services: [PeerAttribute.service])) {
                    found.append($0.peripheral)
                } ended: { _ in
                }, loop: loop)
        }
        let id = try await found.wait(for: "report of the peer", count: 1)[0]
        await loop.run { scan.value.cancel() }
        return id
    }
}
#endif

/// A backend and the peer on one virtual air.
struct VirtualWorld: ConformanceWorld {
    /// The name of the backend's adapter.
    static let adapter = "central"

    let air: VirtualRadio
    let radio: LoopBound<any RadioBackend>
    let virtualPeer: VirtualPeer
    let peerID: PeripheralID
    let lease: AdapterLease?

    var peer: any ConformancePeer { virtualPeer }

    func setPowered(_ isOn: Bool) async { await air.setPowered(isOn, adapterNamed: Self.adapter) }

    func shutDown() async {
        await lease?.release()
        await virtualPeer.close()
    }
}
