import BluetoothRuntime
import Foundation
import Harald
import Synchronization
import VirtualBluetooth
import VirtualDevices

/// A snapshot of a device of a laboratory.
package struct AirDevice: Sendable {
    /// The identifier of the device in the laboratory.
    package var id: String
    /// The name of the device.
    package var name: String
    /// The advertising address.
    package var address: BluetoothAddress?
    /// True if the device is connectable.
    package var isConnectable: Bool
    /// The number of links.
    package var linkCount: Int
    /// The position of the device.
    package var position: ScenePosition
    /// True if its radio neither sends nor receives.
    package var isSilent: Bool
    /// True if the device is out of range, whatever ``position`` is.
    package var isOutOfRange: Bool
    /// The fraction of its advertisements that are lost, 0 to 1.
    package var loss: Double
    /// The additional delay of its data.
    package var delay: Duration
    /// The number of connection attempts that fail next.
    package var failedConnects: Int
    /// True if the device walks around its position.
    package var isWalking: Bool

    /// The distance from the listener, in metres.
    package var distance: Double {
        (position.x * position.x + position.y * position.y + position.z * position.z).squareRoot()
    }
}

/// A change of a device's faults; nil properties leave a fault unchanged.
package struct AirFaults: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    package var isSilent: Bool?, isOutOfRange: Bool?, loss: Double?, delay: Duration?, failedConnects: Int?

    /// Creates a change.
    package init(
        isSilent: Bool? = nil, isOutOfRange: Bool? = nil, loss: Double? = nil, delay: Duration? = nil,
        failedConnects: Int? = nil
    ) {
        self.isSilent = isSilent
        self.isOutOfRange = isOutOfRange
        self.loss = loss
        self.delay = delay
        self.failedConnects = failedConnects
    }
}

/// The virtual radio of this process as a laboratory, whose devices can be added, removed, moved and made to fail.
package final class AirLaboratory: Sendable {
    private struct Entry: Sendable {
        var id: String
        var device: VirtualDevice
        var yaml: String?
        var position: ScenePosition
        var isOutOfRange = false
        /// The task that moves a walking device.
        var walk: Task<Void, Never>?
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber = 0
        /// The number of devices that are being added.
        var pending = 0
    }

    /// The maximum number of devices on the air.
    package static let deviceLimit = 1000
    /// A distance beyond any range, in metres.
    private static let beyond = 1e7

    private let scene: VirtualScene
    private let onAct: (@Sendable (AirAct) -> Void)?
    private let state = Mutex(State())

    /// Creates a laboratory on the air of a scene, with its devices.
    /// - Parameter onAct: is called after each change.
    package init(_ scene: VirtualScene, onAct: (@Sendable (AirAct) -> Void)? = nil) {
        self.scene = scene
        self.onAct = onAct
        state.withLock { state in
            for (device, position) in scene.places {
                state.lastNumber += 1
                state.entries.append(
                    Entry(id: "\(state.lastNumber)", device: device, yaml: nil, position: position))
            }
        }
    }

    deinit { for entry in state.withLock({ $0.entries }) { entry.walk?.cancel() } }

    /// The devices on the air, in the order in which they were added.
    package var devices: [AirDevice] {
        get async {
            var list: [AirDevice] = []
            for entry in state.withLock({ $0.entries }) {
                if let device = await describe(entry) { list.append(device) }
            }
            return list
        }
    }

    /// Returns the device with this identifier; nil if there is none.
    package func device(_ id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        return await describe(entry)
    }

    /// Returns the identifier of a device of the scene; nil if it is not in the laboratory.
    package func id(of device: VirtualDevice) -> String? {
        state.withLock { state in state.entries.first { $0.device === device }?.id }
    }

    /// Returns the text of a device's file; nil if there is no such device.
    package func file(_ id: String) -> String? { entry(id).map { $0.yaml ?? $0.device.file.yaml } }

    /// Adds a device to the air.
    /// - Parameters:
    ///   - source: the origin of `file`.
    ///   - distance: the distance from the listener, in metres.
    /// - Throws: `BluetoothError` with `limitReached` if ``deviceLimit`` is reached, `invalidArgument` if a device
    ///   has the address of the file, `cancelled` if the air was closed, or an error of starting the device.
    package func add(
        _ file: DeviceFile, from source: AirSource = .made, distance: Double = 1
    ) async throws(BluetoothError) -> AirDevice {
        let hasRoom = state.withLock { state in
            guard state.entries.count + state.pending < Self.deviceLimit else { return false }
            state.pending += 1
            return true
        }
        guard hasRoom else {
            throw BluetoothError(
                .limitReached, operation: "add '\(file.name)' to the air",
                reason: "the maximum of \(Self.deviceLimit) devices is reached", advice: "remove some")
        }
        defer { state.withLock { $0.pending -= 1 } }
        try await checkAddress(of: file)
        let position = ScenePosition(x: distance)
        let device = try await scene.add(SceneDevice(file, position: position))
        let entry = state.withLock { state in
            state.lastNumber += 1
            let entry = Entry(id: "\(state.lastNumber)", device: device, yaml: source.yaml, position: position)
            state.entries.append(entry)
            return entry
        }
        guard let described = await describe(entry) else {
            throw BluetoothError(.cancelled, operation: "add '\(file.name)' to the air", reason: "the air was closed")
        }
        note(.add(source == .made ? .file(file.yaml) : source, distance: distance), of: described)
        return described
    }

    /// Removes a device from the air.
    /// - Returns: false if there is no device with this identifier.
    package func remove(_ id: String) async -> Bool {
        let removed = state.withLock { state in
            state.entries.firstIndex { $0.id == id }.map { state.entries.remove(at: $0) }
        }
        guard let removed else { return false }
        if let described = await describe(removed) { note(.remove, of: described) }
        removed.walk?.cancel()
        await scene.remove(removed.device)
        return true
    }

    /// Moves a device along the first axis.
    /// - Parameter distance: the distance from the listener, in metres.
    /// - Returns: the device; nil if there is none with this identifier.
    package func move(_ id: String, to distance: Double) async -> AirDevice? {
        noted(.move(distance: distance), await update(id) { $0.position = ScenePosition(x: distance) })
    }

    /// Changes the faults of a device.
    /// - Returns: the device; nil if there is none with this identifier.
    package func set(_ faults: AirFaults, of id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        await scene.withController(of: entry.device) { controller in
            if let isSilent = faults.isSilent { controller.faults.isSilent = isSilent }
            if let loss = faults.loss { controller.faults.advertisingLoss = loss }
            if let delay = faults.delay { controller.faults.delay = delay }
            if let failed = faults.failedConnects { controller.faults.failedEstablishments = failed }
        }
        let device = await update(id) { entry in
            if let isOutOfRange = faults.isOutOfRange { entry.isOutOfRange = isOutOfRange }
        }
        return faults == AirFaults() ? device : noted(.faults(faults), device)
    }

    /// Sets the slow changes of all signal strengths, as in a room in which people move.
    /// - Parameter depth: the largest change, in dB; nil for constant strengths.
    package func setFading(depth: Double?) async { await scene.setFading(depth: depth) }

    /// Lets a device walk to half its distance, to twice its distance and back, within twenty seconds, or stand still.
    /// - Returns: the device; nil if there is none with this identifier.
    package func setWalking(_ isWalking: Bool, _ id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        guard isWalking != (entry.walk != nil) else { return await describe(entry) }
        let task = isWalking ? walk(id) : nil
        let device = await update(id) { entry in
            entry.walk?.cancel()
            entry.walk = task
        }
        return noted(.walk(isWalking), device)
    }

    private static let step = Duration.milliseconds(250)
    /// The number of steps of a way to and fro.
    private static let steps = 80

    private func walk(_ id: String) -> Task<Void, Never> {
        Task { [weak self] in
            var step = 0
            while !Task.isCancelled {
                step = (step + 1) % Self.steps
                guard let clock = await self?.walk(id, step) else { return }
                do { try await clock.sleep(for: Self.step) } catch { return }
            }
        }
    }

    /// Moves a device to a place on its way; nil if there is no such device.
    private func walk(_ id: String, _ step: Int) async -> AdapterClock? {
        guard let entry = entry(id) else { return nil }
        if !entry.isOutOfRange {
            let factor = pow(2, sin(2 * .pi * Double(step) / Double(Self.steps)))
            let (x, y, z) = (entry.position.x * factor, entry.position.y * factor, entry.position.z * factor)
            await scene.withController(of: entry.device) { $0.position = AirPosition(x: x, y: y, z: z) }
        }
        return AdapterClock(loop: scene.radio.loop)
    }

    /// Cuts the links of a device: both sides get a connection timeout at once.
    /// - Returns: the device; nil if there is none with this identifier.
    package func cut(_ id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        await scene.withController(of: entry.device) { controller in
            for link in controller.links { link.cut() }
        }
        return noted(.cut, await describe(entry))
    }

    // MARK: Inside

    private func note(_ action: AirAct.Action, of device: AirDevice) {
        onAct?(AirAct(action: action, name: device.name, address: device.address?.text))
    }

    /// Notes a change of a device, and returns the device.
    private func noted(_ action: AirAct.Action, _ device: AirDevice?) -> AirDevice? {
        if let device { note(action, of: device) }
        return device
    }

    private func checkAddress(of file: DeviceFile) async throws(BluetoothError) {
        guard case .randomStatic(let address) = file.address else { return }
        for entry in state.withLock({ $0.entries }) where await entry.device.peripheral.address == address {
            throw BluetoothError(
                .invalidArgument, operation: "add '\(file.name)' to the air",
                reason: "'\(entry.device.file.name)' has the address \(address.text) already",
                advice: "change or omit the address in the file")
        }
    }

    private func entry(_ id: String) -> Entry? { state.withLock { state in state.entries.first { $0.id == id } } }

    private func update(_ id: String, _ body: @Sendable (inout Entry) -> Void) async -> AirDevice? {
        let entry = state.withLock { state -> Entry? in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return nil }
            body(&state.entries[index])
            return state.entries[index]
        }
        guard let entry else { return nil }
        let position = entry.position
        let place =
            entry.isOutOfRange ? AirPosition(x: Self.beyond) : AirPosition(x: position.x, y: position.y, z: position.z)
        await scene.withController(of: entry.device) { $0.position = place }
        return await describe(entry)
    }

    private func describe(_ entry: Entry) async -> AirDevice? {
        let file = entry.device.file
        let address = await entry.device.peripheral.address
        return await scene.withController(of: entry.device) { controller in
            AirDevice(
                id: entry.id, name: file.name, address: address, isConnectable: file.advertising.isConnectable,
                linkCount: controller.links.count, position: entry.position, isSilent: controller.faults.isSilent,
                isOutOfRange: entry.isOutOfRange, loss: controller.faults.advertisingLoss,
                delay: controller.faults.delay, failedConnects: controller.faults.failedEstablishments,
                isWalking: entry.walk != nil)
        }
    }
}
