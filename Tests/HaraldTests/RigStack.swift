import Adapters
import BluetoothBackend
import BluetoothRuntime
import Testing
import VirtualTransport

@testable import Harald
@testable import HostBackend

#if os(Linux)
import AppleBackend
import CoreBluetooth
#endif

/// The stacks of the two ends of a rig: the same tests run over each.
enum RigStack: String, Sendable, CustomTestStringConvertible {
    /// Our host stack on both ends.
    case host
    #if os(Linux)
    /// The central on `AppleBackend`, on this package's CoreBluetooth, on this package's host stack.
    case appleCentral
    /// The device on it.
    case applePeripheral
    #endif

    var testDescription: String { rawValue }

    #if os(Linux)
    static let all: [RigStack] = [.host, .appleCentral, .applePeripheral]
    /// The stacks where the device knows the connected centrals, and has other features that CoreBluetooth lacks.
    static let centrals: [RigStack] = [.host, .appleCentral]
    #else
    static let all: [RigStack] = [.host]
    static let centrals: [RigStack] = [.host]
    #endif

    private var isAppleCentral: Bool {
        #if os(Linux)
        self == .appleCentral
        #else
        false
        #endif
    }

    /// True if the central shows addresses, handles and the services of the system.
    var showsEverything: Bool { !isAppleCentral }

    func central(
        on radio: VirtualRadio, named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> Adapter {
        isAppleCentral
            ? radio.appleAdapter(named: name, configuration: configuration)
            : radio.adapter(named: name, configuration: configuration)
    }

    func device(on radio: VirtualRadio, named name: String? = nil) -> Adapter {
        self == .host || isAppleCentral ? radio.adapter(named: name) : radio.appleAdapter(named: name)
    }
}

extension VirtualRadio {
    /// An adapter on this air, by way of CoreBluetooth.
    func appleAdapter(named name: String?, configuration: VirtualControllerConfiguration = .init()) -> Adapter {
        #if os(Linux)
        let source = source(named: name, configuration: configuration)
        let clock = loop.clock
        return Adapter(
            source: .backend(
                BackendSource(name: "CoreBluetooth on \(source)") { _ in
                    // A separate loop, because CoreBluetooth waits for the loop of the air.
                    let loop = RadioLoop(clock: clock)
                    return await loop.run {
                        LoopBound(
                            confined: AppleRadio(loop: loop, options: [HaraldManagerOptionAdapterKey: source]),
                            loop: loop)
                    }
                }))
        #else
        adapter(named: name, configuration: configuration)
        #endif
    }
}

extension Central {
    /// The peripheral that a local device of the same air is.
    func peripheral(of device: LocalPeripheral) async throws -> Peripheral {
        let address = try #require(await device.address)
        return try #require(await self.device(at: address))
    }

    /// The device that has an address; its identifier carries it, also where the backend shows none.
    func device(at address: BluetoothAddress) async -> Peripheral? {
        try? await waitUntilPoweredOn()
        return await peripheral(id: PeripheralID(address))
    }
}
