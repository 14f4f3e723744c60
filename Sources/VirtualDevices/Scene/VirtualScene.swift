import Adapters
import BluetoothRuntime
import Harald
import Synchronization
import VirtualBluetooth
import VirtualTransport

/// The radio that the devices of a scene run on.
public typealias VirtualRadio = VirtualTransport.VirtualRadio

/// A running scene on a virtual radio. Each device has its own controller and position.
public final class VirtualScene: Sendable {
    /// The scene file.
    public let file: SceneFile
    /// The virtual radio. Other adapters on it receive the devices.
    public let radio: VirtualRadio
    /// The devices in the order of the file, followed by those that were added.
    public var devices: [VirtualDevice] { placed.withLock { $0.map(\.device) } }
    /// The devices in the same order, each with the position at which it was started.
    package var places: [(device: VirtualDevice, position: ScenePosition)] {
        placed.withLock { $0.map { ($0.device, $0.position) } }
    }
    private let placed = Mutex<[Placed]>([])

    /// A running device and its controller.
    private struct Placed: Sendable {
        var device: VirtualDevice
        var controller: String
        var position: ScenePosition
        /// Runs the fault that suspends transmission; nil without that fault.
        var silence: Task<Void, Never>?
    }

    /// Starts the devices of `file` on `radio`.
    /// - Parameters:
    ///   - pairing: answers the pairing questions of all devices; nil for the behaviour of each file.
    ///   - options: the options of each device's adapter. By default nothing is stored.
    ///   - observesReads: see ``VirtualDevice``.
    /// - Throws: ``BluetoothError`` of the device that cannot be started; see ``VirtualDevice``. All others are
    ///   stopped.
    public init(
        _ file: SceneFile, on radio: VirtualRadio = VirtualRadio(), pairing: (any PairingDelegate)? = nil,
        options: AdapterOptions = .init(storage: .none), observesReads: Bool = false
    ) async throws(BluetoothError) {
        self.file = file
        self.radio = radio
        do throws(BluetoothError) {
            for device in file.devices {
                try await add(device, pairing: pairing, options: options, observesReads: observesReads)
            }
        } catch {
            await close()
            throw error
        }
    }

    deinit {
        for device in placed.withLock({ $0 }) { device.silence?.cancel() }
    }

    /// Starts an additional device.
    /// - Parameters:
    ///   - pairing: answers its pairing questions; nil for the behaviour of the file.
    ///   - options: the options of the device's adapter. By default nothing is stored.
    ///   - observesReads: see ``VirtualDevice``.
    /// - Throws: ``BluetoothError`` if the device cannot be started; see ``VirtualDevice``.
    @discardableResult
    package func add(
        _ scenery: SceneDevice, pairing: (any PairingDelegate)? = nil,
        options: AdapterOptions = .init(storage: .none), observesReads: Bool = false
    ) async throws(BluetoothError) -> VirtualDevice {
        let name = Self.freshName(scenery.device.name)
        let device = try await VirtualDevice(
            scenery.device, on: radio.adapter(named: name), pairing: pairing, options: options,
            observesReads: observesReads)
        await Self.place(scenery, controller: name, on: radio)
        let silence = Self.silence(scenery.faults, controller: name, on: radio)
        placed.withLock {
            $0.append(
                Placed(device: device, controller: name, position: scenery.position, silence: silence))
        }
        return device
    }

    /// Sets the slow changes of signal strengths; nil for constant ones, as at the start.
    /// - Parameter depth: the largest change, in dB.
    package func setFading(depth: Double?) async {
        let air = radio.air
        await radio.loop.run { air.value.fading = depth.map { AirFading(depth: $0) } }
    }

    /// Stops a device.
    package func remove(_ device: VirtualDevice) async {
        let removed = placed.withLock { placed in
            placed.firstIndex { $0.device === device }.map { placed.remove(at: $0) }
        }
        removed?.silence?.cancel()
        await removed?.device.close()
    }

    /// Runs `body` with the controller of a device, on the loop; nil if the device is not running.
    package func withController<Result: Sendable>(
        of device: VirtualDevice, _ body: @escaping @Sendable (VirtualController) -> Result
    ) async -> Result? {
        guard let name = controller(of: device) else { return nil }
        let radio = radio
        return await radio.loop.run { radio.controller(named: name).map(body) }
    }

    private func controller(of device: VirtualDevice) -> String? {
        placed.withLock { placed in placed.first { $0.device === device }?.controller }
    }

    /// Stops all devices.
    public func close() async {
        let all = placed.withLock { placed in
            defer { placed = [] }
            return placed
        }
        for placed in all { placed.silence?.cancel() }
        for placed in all { await placed.device.close() }
    }

    /// Breaks the links to a device as if it was out of range for a moment: both sides get a connection timeout, also
    /// where no packet passes.
    public func breakLinks(of device: VirtualDevice) async {
        guard let name = controller(of: device) else { return }
        let radio = radio
        await radio.loop.run {
            guard let controller = radio.controller(named: name) else { return }
            for link in radio.air.value.allLinks where link.peripheralController === controller { link.cut() }
        }
    }

    // MARK: Controllers

    private static let count = Mutex(0)

    /// Returns a unique controller name, also for several scenes on one radio and devices with the same name.
    private static func freshName(_ name: String) -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(name) #\(number)"
    }

    private static func place(_ placed: SceneDevice, controller name: String, on radio: VirtualRadio) async {
        let position = AirPosition(x: placed.position.x, y: placed.position.y, z: placed.position.z)
        await radio.place(adapterNamed: name, at: position)
        await radio.injectFaults(adapterNamed: name) { faults in
            faults.advertisingLoss = placed.faults.loss
            faults.delay = placed.faults.delay
            faults.failedEstablishments = placed.faults.failedConnects
        }
    }

    private static func silence(
        _ faults: SceneFaults, controller name: String, on radio: VirtualRadio
    ) -> Task<Void, Never>? {
        guard let after = faults.silentAfter else { return nil }
        let clock = AdapterClock(loop: radio.loop)
        let start = clock.now + after
        let end = faults.silentFor.map { start + $0 }
        return Task(executorPreference: radio.loop) {
            guard (try? await clock.sleep(until: start)) != nil else { return }
            await radio.injectFaults(adapterNamed: name) { $0.isSilent = true }
            guard let end, (try? await clock.sleep(until: end)) != nil else { return }
            await radio.injectFaults(adapterNamed: name) { $0.isSilent = false }
        }
    }
}
