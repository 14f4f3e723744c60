import BluetoothRuntime
import BluetoothTransport
import Synchronization
import VirtualBluetooth

/// A virtual radio in this program: an air, and as many adapters on it as one likes. It needs no hardware.
public final class VirtualRadio: Sendable {
    /// The loop that the air and all its adapters share.
    public let loop: RadioLoop
    /// The air; touch it on the loop only, to place controllers and to cause faults.
    public let air: LoopBound<VirtualAir>
    /// The adapters' controllers by name; touch them on the loop only.
    private let controllers: LoopBound<[String: VirtualController]>
    /// The adapters that are open, by name.
    private let adapters = Mutex<[String: LoopBound<HostRadio>]>([:])
    private let configurations = Mutex<[String: VirtualControllerConfiguration]>([:])
    private let count = Mutex(0)
    private let wrap: @Sendable (any HCIChannel, String) -> any HCIChannel

    /// A virtual radio.
    /// - Parameters:
    ///   - pace: how fast data crosses the air.
    ///   - clock: the time that everything on the air runs on; a manual one is stepped by a test.
    ///   - seed: what decides everything that is left to chance.
    public init(pace: AirPace = .unpaced, clock: RadioClock = .real, seed: UInt64 = 1) {
        loop = RadioLoop(clock: clock)
        air = LoopBound(VirtualAir(loop: loop, pace: pace, seed: seed), loop: loop)
        controllers = LoopBound([:], loop: loop)
        wrap = { channel, _ in channel }
    }

    /// A virtual radio on a loop of the caller's. `wrap` is given the channel of each adapter, with the adapter's name, when
    /// it is opened, on the loop; what it returns stands between the host and the controller.
    package init(
        loop: RadioLoop, pace: AirPace = .unpaced, seed: UInt64,
        wrap: @escaping @Sendable (any HCIChannel, String) -> any HCIChannel
    ) {
        self.loop = loop
        air = LoopBound(VirtualAir(loop: loop, pace: pace, seed: seed), loop: loop)
        controllers = LoopBound([:], loop: loop)
        self.wrap = wrap
    }

    /// The source of a new adapter on this air.
    public func source(
        named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> AdapterSource {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let name = name ?? "adapter-\(number)"
        configurations.withLock { $0[name] = configuration }
        return .virtual(self, name: name)
    }

    /// The controller of an opened adapter, to move it or to cause faults; on the loop only.
    public func controller(named name: String) -> VirtualController? { controllers.value[name] }

    /// Switches an adapter off, or on again, as a user does in the system's settings: its users are told by its state, and
    /// its links end, of which their peers are told at once. Returns when that is under way; does nothing where no adapter of that name is open.
    public func setPowered(_ isOn: Bool, adapterNamed name: String) async {
        guard let adapter = adapters.withLock({ $0[name] }) else { return }
        await loop.run { adapter.value.setPowered(isOn) }
    }

    /// Whether nobody said which address that controller has.
    func makesUpAddress(ofControllerNamed name: String) -> Bool {
        configurations.withLock { $0[name]?.address } == nil
    }

    /// The channel to the controller of that name, which is made where it is missing; on the loop only.
    func openChannel(named name: String) -> any HCIChannel {
        let controller: VirtualController
        if let known = controllers.value[name] {
            controller = known
        } else {
            controller = air.value.makeController(configurations.withLock { $0[name] } ?? .init())
            controllers.value[name] = controller
        }
        return wrap(InProcessChannel(controller: controller, name: "virtual:\(name)"), name)
    }

    /// An adapter was opened; on the loop only.
    func opened(_ adapter: HostRadio, named name: String) {
        adapters.withLock { $0[name] = LoopBound(confined: adapter, loop: loop) }
    }

    /// The adapter was closed: its controller leaves the air. On the loop only.
    func closeChannel(named name: String) {
        _ = adapters.withLock { $0.removeValue(forKey: name) }
        guard let controller = controllers.value.removeValue(forKey: name) else { return }
        air.value.remove(controller)
    }
}

extension VirtualRadio: Hashable {
    /// Whether both are the same air.
    public static func == (left: VirtualRadio, right: VirtualRadio) -> Bool { left === right }

    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
