import BluetoothRuntime
import Harald
import HostBackend
import Synchronization
import VirtualBluetooth

/// A scene that runs on a virtual radio: every device has a controller of its own, at its place on the air.
public final class VirtualScene: Sendable {
    /// What it was made from.
    public let file: SceneFile
    /// Where it lives; adapters of one's own on it see the devices.
    public let radio: VirtualRadio
    /// The devices, in the order of the file, then those that were added.
    public var devices: [VirtualDevice] { placed.withLock { $0.map(\.device) } }
    private let placed = Mutex<[Placed]>([])

    /// A device that runs, and where.
    private struct Placed: Sendable {
        var device: VirtualDevice
        var controller: String
        /// Lets it fall silent and speak again.
        var silence: Task<Void, Never>?
    }

    /// Puts the devices of `file` on the air of `radio`.
    /// - Parameters:
    ///   - pairing: who answers for all of them; nil for what each file says.
    ///   - options: what each device's adapter is opened with; by default nothing is stored.
    ///   - observesReads: as of ``VirtualDevice``.
    /// - Throws: ``BluetoothError`` that says which option or file is wrong.
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

    /// Puts a further device on the air.
    /// - Parameters:
    ///   - pairing: who answers for its user; nil for what the file says.
    ///   - options: what the device's adapter is opened with; by default nothing is stored.
    ///   - observesReads: as of ``VirtualDevice``.
    @discardableResult
    package func add(
        _ scenery: SceneDevice, pairing: (any PairingDelegate)? = nil,
        options: AdapterOptions = .init(storage: .none), observesReads: Bool = false
    ) async throws(BluetoothError) -> VirtualDevice {
        let name = Self.freshName(scenery.device.name)
        let device = try await VirtualDevice(
            scenery.device, on: radio.adapter(named: name), pairing: pairing, loop: radio.loop,
            options: options, observesReads: observesReads)
        await Self.place(scenery, controller: name, on: radio)
        let silence = Self.silence(scenery.faults, controller: name, on: radio)
        placed.withLock { $0.append(Placed(device: device, controller: name, silence: silence)) }
        return device
    }

    /// Takes a device off the air.
    package func remove(_ device: VirtualDevice) async {
        let removed = placed.withLock { placed in
            placed.firstIndex { $0.device === device }.map { placed.remove(at: $0) }
        }
        removed?.silence?.cancel()
        await removed?.device.close()
    }

    /// Runs `body` with the controller of a device, on the loop; nil where the device is not on the air.
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

    /// Takes the devices off the air.
    public func close() async {
        let all = placed.withLock { placed in
            defer { placed = [] }
            return placed
        }
        for placed in all { placed.silence?.cancel() }
        for placed in all { await placed.device.close() }
    }

    /// Breaks the links to a device, as if it had been out of range for a moment: both sides are told of a connection
    /// timeout with the next packet that crosses.
    public func breakLinks(of device: VirtualDevice) async {
        guard let name = controller(of: device) else { return }
        let radio = radio
        await radio.loop.run {
            guard let controller = radio.controller(named: name) else { return }
            for link in radio.air.value.allLinks where link.peripheralController === controller {
                link.faults.disconnectReason = .connectionTimeout
                link.faults.disconnectAtPacket = link.packetCount + 1
            }
        }
    }

    // MARK: Controllers

    private static let count = Mutex(0)

    /// Two scenes on one air, and two devices of one name, have controllers of their own.
    private static func freshName(_ name: String) -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(name) #\(number)"
    }

    private static func place(_ placed: SceneDevice, controller name: String, on radio: VirtualRadio) async {
        await radio.loop.run {
            guard let controller = radio.controller(named: name) else { return }
            controller.position = AirPosition(x: placed.position.x, y: placed.position.y, z: placed.position.z)
            controller.faults.advertisingLoss = placed.faults.loss
            controller.faults.delay = placed.faults.delay
            controller.faults.failedEstablishments = placed.faults.failedConnects
        }
    }

    private static func silence(
        _ faults: SceneFaults, controller name: String, on radio: VirtualRadio
    ) -> Task<Void, Never>? {
        guard let after = faults.silentAfter else { return nil }
        let start = radio.loop.now + after
        let end = faults.silentFor.map { start + $0 }
        return Task(executorPreference: radio.loop) {
            guard (try? await LoopSleep.until(start, on: radio.loop)) != nil else { return }
            await radio.loop.run { radio.controller(named: name)?.faults.isSilent = true }
            guard let end, (try? await LoopSleep.until(end, on: radio.loop)) != nil else { return }
            await radio.loop.run { radio.controller(named: name)?.faults.isSilent = false }
        }
    }
}
