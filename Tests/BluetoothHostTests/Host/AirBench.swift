#if canImport(VirtualBluetooth)
import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// A host on a virtual controller, with packets queued both ways as a transport does.
final class Station: LEHostDelegate {
    let controller: VirtualController
    let host: LEHost
    var reports: [BluetoothAddress: [UInt8]] = [:]
    var scanResponses: [BluetoothAddress: [UInt8]] = [:]
    var links: [LELink] = []
    var endings: [(link: LELink, reason: HCIStatus)] = []
    var changes: [LinkChange] = []
    private let loop: RadioLoop
    private lazy var timer = loop.makeTimer { [unowned self] in
        host.advance(to: loop.now)
        rearm()
    }

    init(_ air: VirtualAir, _ configuration: VirtualControllerConfiguration, _ host: HostConfiguration) {
        let loop = air.loop
        let controller = air.makeController(configuration)
        self.loop = loop
        self.controller = controller
        self.host = LEHost(configuration: host) { packet in
            let copy = packet.array
            loop.executeNext { copy.withByteView { controller.receive($0) } }
        }
        self.host.delegate = self
        controller.transmit = { [weak self] packet in
            let copy = packet.array
            loop.executeNext {
                guard let self else { return }
                copy.withByteView { self.host.receive($0, now: loop.now) }
            }
        }
        self.host.timers.onEarlierDeadline = { [unowned self] in rearm() }
        self.host.start(now: loop.now)
    }

    deinit { host.delegate = nil }

    private func rearm() { if let deadline = host.nextDeadline { timer.arm(at: deadline) } }

    func host(_ host: LEHost, discovered report: AdvertisingReport) {
        if report.isScanResponse {
            scanResponses[report.address] = report.data.array
        } else {
            reports[report.address] = report.data.array
        }
    }

    func host(_ host: LEHost, connected link: LELink) { links.append(link) }

    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) { endings.append((link, reason)) }

    func host(_ host: LEHost, link: LELink, changed change: LinkChange) { changes.append(change) }

    /// Advertises a device with a static random address that ends in `last`.
    func advertise(_ last: UInt8, data: [UInt8] = [2, 1, 6], scanResponse: [UInt8] = []) throws(RadioError) {
        host.now = loop.now
        let identity = LocalIdentity(address: .staticRandom(Self.address(last)), server: nil)
        let set = try host.makeAdvertiser(identity)
        set.start(data: data, scanResponse: scanResponse) { _ in }
    }

    static func address(_ last: UInt8) -> BluetoothAddress {
        BluetoothAddress(value: 0xD000_0000_0000 | UInt64(last), kind: .random)
    }
}

/// Hosts on one air with a manual clock.
final class AirBench {
    let air: VirtualAir
    let loop: RadioLoop
    var stations: [Station] = []
    /// The log of a test.
    var log: [String] = []
    /// The users of the stations that have one.
    var users: [PairingUser] = []
    /// The bonds of the stations that store some.
    var bonds: [InMemoryBondStore] = []

    init(_ loop: RadioLoop) {
        self.loop = loop
        air = VirtualAir(loop: loop)
    }

    @discardableResult
    func add(
        extended: Bool = true, configuration: VirtualControllerConfiguration = .init(),
        host: HostConfiguration = .init()
    ) -> Station {
        var configuration = configuration
        if !extended { configuration.features.remove(.extendedAdvertising) }
        let station = Station(air, configuration, host)
        stations.append(station)
        return station
    }

    var isReady: Bool { stations.allSatisfy { $0.host.state == .ready } }
}

/// Advances the clock of a bench until a condition holds.
struct AirTest: Sendable {
    let clock = RadioClock.manual()
    let bench: LoopBound<AirBench>

    init(_ setUp: @escaping @Sendable (AirBench) -> Void) async throws {
        let loop = RadioLoop(clock: clock)
        bench = await loop.run {
            let bench = AirBench(loop)
            setUp(bench)
            return LoopBound(bench, loop: loop)
        }
        try await until("every host is ready") { $0.isReady }
    }

    /// Runs `body` on the loop.
    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (AirBench) throws -> Result) async throws -> Result {
        let bench = bench
        return try await bench.loop.run {
            for station in bench.value.stations { station.host.now = bench.loop.now }
            return try body(bench.value)
        }
    }

    /// Moves the clock in small steps until `condition` holds; a minute of its time is the end.
    func until(_ what: Comment, _ condition: @escaping @Sendable (AirBench) -> Bool) async throws {
        for _ in 0..<6000 {
            if try await run(condition) { return }
            await clock.advance(by: .milliseconds(10))
        }
        try #require(Bool(false), what)
    }

    /// Ends the air.
    func end() async throws { try await run { $0.air.close() } }
}
#endif
