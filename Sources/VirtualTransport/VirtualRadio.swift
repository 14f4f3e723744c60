import Adapters
import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import HostBackend
import Synchronization
import VirtualBluetooth

/// A virtual radio in this program: an air, and any number of adapters on it. It needs no hardware.
public final class VirtualRadio: Sendable {
    /// The loop that the air and all its adapters share.
    package let loop: RadioLoop
    /// The air. Accessible on the loop only.
    package let air: LoopBound<VirtualAir>
    /// The adapters' controllers by name. Accessed on the loop only.
    private let controllers: LoopBound<[String: VirtualController]>
    /// The open adapters, by name.
    private let adapters = Mutex<[String: LoopBound<HostAdapter>]>([:])
    private let configurations = Mutex<[String: VirtualControllerConfiguration]>([:])
    private let count = Mutex(0)
    private let wrap: @Sendable (any HCIChannel, String) -> any HCIChannel

    /// Creates a virtual radio.
    /// - Parameters:
    ///   - pace: the speed of data on the air.
    ///   - clock: the clock of the air and its adapters; a manual one is stepped by a test.
    ///   - seed: the seed of all random choices.
    public init(pace: AirPace = .unpaced, clock: RadioClock = .real, seed: UInt64 = 1) {
        loop = RadioLoop(clock: clock)
        air = LoopBound(VirtualAir(loop: loop, pace: pace, seed: seed), loop: loop)
        controllers = LoopBound([:], loop: loop)
        wrap = { channel, _ in channel }
    }

    /// Creates a virtual radio on a loop of the caller. `wrap` is called on the loop with the channel and the name of
    /// each adapter that is opened; its result is placed between the host and the controller.
    package init(
        loop: RadioLoop, pace: AirPace = .unpaced, seed: UInt64,
        wrap: @escaping @Sendable (any HCIChannel, String) -> any HCIChannel
    ) {
        self.loop = loop
        air = LoopBound(VirtualAir(loop: loop, pace: pace, seed: seed), loop: loop)
        controllers = LoopBound([:], loop: loop)
        self.wrap = wrap
    }

    /// Returns the source of a new adapter on this air.
    public func source(
        named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> AdapterSource {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let name = name ?? "adapter-\(number)"
        configurations.withLock { $0[name] = configuration }
        return .backend(
            BackendSource(name: "virtual:\(name)", on: self) { [self] (options) async throws(RadioError) in
                try await open(name, options)
            })
    }

    /// Returns a new adapter on this air. Each call makes a distinct adapter; keep the value to open the same one
    /// twice.
    public func adapter(
        named name: String? = nil, configuration: VirtualControllerConfiguration = .init()
    ) -> Adapter {
        Adapter(source: source(named: name, configuration: configuration))
    }

    /// Starts a host stack on the controller with that name.
    private func open(
        _ name: String, _ options: AdapterOptions
    ) async throws(RadioError) -> LoopBound<any RadioBackend> {
        try options.checkBonds(isVirtual: true)
        return try await loop.run { [self] () throws(RadioError) in
            let channel = openChannel(named: name)
            let info = AdapterInfo(uri: "virtual:\(name)", summary: "virtual radio")
            // A controller that is created in each run has another address each time, and bonds belong to an address.
            let isStored = options.storage.directory(isVirtual: true) != nil
            let role = isStored && makesUpAddress(ofControllerNamed: name) ? name : options.addressRole
            let adapter: HostAdapter
            do throws(TransportError) {
                adapter = try options.hostAdapter(on: channel, info, isVirtual: true, role: role)
            } catch {
                throw .invalidArgument("\(error)")
            }
            adapter.onClosed { [self] in closeChannel(named: name) }
            adapters.withLock { $0[name] = LoopBound(confined: adapter, loop: loop) }
            adapter.start()
            return LoopBound(confined: adapter.backend, loop: loop)
        }
    }

    /// Returns the controller of an open adapter. To be called on the loop.
    package func controller(named name: String) -> VirtualController? { controllers.value[name] }

    /// The host stack of an opened adapter, for a simulation to look at; on the loop only. nil if none of that name is
    /// open.
    package func host(ofAdapterNamed name: String) -> LEHost? { adapters.withLock { $0[name] }?.value.host }

    /// Switches an adapter off or on, as a user does in the system's settings: its state changes, and its links end,
    /// which their peers learn at once. Returns when that has started; does nothing if no adapter with that name is
    /// open.
    public func setPowered(_ isOn: Bool, adapterNamed name: String) async {
        guard let adapter = adapters.withLock({ $0[name] }) else { return }
        await loop.run { adapter.value.setPowered(isOn) }
    }

    /// Returns true if the configuration of that controller has no address.
    private func makesUpAddress(ofControllerNamed name: String) -> Bool {
        configurations.withLock { $0[name]?.address } == nil
    }

    /// Returns the channel to the controller with that name, which is created if it is missing. To be called on the
    /// loop.
    private func openChannel(named name: String) -> any HCIChannel {
        let controller: VirtualController
        if let known = controllers.value[name] {
            controller = known
        } else {
            controller = air.value.makeController(configurations.withLock { $0[name] } ?? .init())
            controllers.value[name] = controller
        }
        return wrap(InProcessChannel(controller: controller, name: "virtual:\(name)"), name)
    }

    /// Removes the controller of a closed adapter from the air. To be called on the loop.
    private func closeChannel(named name: String) {
        _ = adapters.withLock { $0.removeValue(forKey: name) }
        guard let controller = controllers.value.removeValue(forKey: name) else { return }
        air.value.remove(controller)
    }
}

extension VirtualRadio: Hashable {
    /// Returns true if both are the same air.
    public static func == (left: VirtualRadio, right: VirtualRadio) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
