import BluetoothModel
import BluetoothRuntime
import VirtualBluetooth

/// An air with a few hosts on it; on its loop only.
final class Stage {
    let air: VirtualAir
    var hosts: [TestHost] = []

    init(loop: RadioLoop, pace: AirPace, seed: UInt64, hosts count: Int, configuration: VirtualControllerConfiguration)
    {
        air = VirtualAir(loop: loop, pace: pace, seed: seed)
        for _ in 0..<count { add(configuration) }
    }

    /// The stage is released on the loop. The air and its controllers retain each other, and the air retains its loop
    /// with its descriptors.
    deinit { air.close() }

    @discardableResult
    func add(_ configuration: VirtualControllerConfiguration = .init()) -> TestHost {
        let host = TestHost(air.makeController(configuration))
        host.start()
        hosts.append(host)
        return host
    }

    /// Links the hosts: the second advertises, the first connects; their events are discarded.
    func link(interval: String = "1800", latency: String = "0000", timeout: String = "F401") {
        hosts[1].advertise()
        hosts[0].connect(to: hosts[1], interval: interval, latency: latency, timeout: timeout)
    }

    /// A long term key, and LE Enable Encryption with it for the handle 0x40.
    static let key = "000102030405060708090A0B0C0D0E0F"
    static let enableEncryption = "4000 1122334455667788 99AA" + key

    /// Both hosts of the first link want it encrypted with the same key; for an air without a pace.
    func encrypt() {
        hosts[0].command(.leEnableEncryption, Self.enableEncryption)
        hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.key)
        hosts[1].drop("3E 05 4000 1122334455667788 99AA")
    }
}

/// A stage whose clock a test steps.
struct Theatre: Sendable {
    let loop: RadioLoop
    private let stage: LoopBound<Stage>

    init(
        hosts: Int = 2, pace: AirPace = .unpaced, seed: UInt64 = 1,
        configuration: VirtualControllerConfiguration = .init()
    ) {
        let loop = RadioLoop(clock: .manual())
        self.loop = loop
        stage = LoopBound(
            Stage(loop: loop, pace: pace, seed: seed, hosts: hosts, configuration: configuration), loop: loop)
    }

    /// Runs `body` on the loop, and then its deferred work.
    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (Stage) -> Result) async -> Result {
        let stage = stage
        let result = await loop.run { body(stage.value) }
        await loop.run {}
        return result
    }

    func advance(_ duration: Duration) async { await loop.clock.advance(by: duration) }

    /// Two hosts with a link: 0x40 on both sides.
    static func linked(
        pace: AirPace = .unpaced, interval: String = "1800", latency: String = "0000", timeout: String = "F401",
        configuration: VirtualControllerConfiguration = .init()
    ) async -> Theatre {
        let theatre = Theatre(pace: pace, configuration: configuration)
        await theatre.run { $0.link(interval: interval, latency: latency, timeout: timeout) }
        await theatre.advance(.zero)
        await theatre.run { stage in stage.hosts.forEach { _ = $0.take() } }
        return theatre
    }

    /// The same with encryption.
    static func encrypted() async -> Theatre {
        let theatre = await linked()
        await theatre.run { stage in
            stage.encrypt()
            stage.hosts.forEach { _ = $0.take() }
        }
        return theatre
    }
}
