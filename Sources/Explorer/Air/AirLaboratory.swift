#if Programs
import Foundation
import Harald
import Synchronization
import VirtualBluetooth
import VirtualDevices

/// A device of a laboratory at a moment.
package struct AirDevice: Sendable {
    /// Names the device in the laboratory.
    package var id: String
    /// What it is called.
    package var name: String
    /// Its address on the air.
    package var address: BluetoothAddress?
    /// Whether it accepts connections.
    package var isConnectable: Bool
    /// How many links it has.
    package var linkCount: Int
    /// Where it stands.
    package var position: ScenePosition
    /// Whether its radio neither sends nor hears.
    package var isSilent: Bool
    /// Whether it is too far away to be heard, whatever ``position`` says.
    package var isOutOfRange: Bool
    /// The share of its advertisements that are lost, 0 to 1.
    package var loss: Double
    /// How much later than it should its data arrives.
    package var delay: Duration
    /// How many of the next attempts to connect fail.
    package var failedConnects: Int

    /// Metres from the listener.
    package var distance: Double {
        (position.x * position.x + position.y * position.y + position.z * position.z).squareRoot()
    }
}

/// A change of a device's faults; nil leaves as it is.
package struct AirFaults: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    package var isSilent: Bool?, isOutOfRange: Bool?, loss: Double?, delay: Duration?, failedConnects: Int?

    /// A change.
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

/// The virtual radio of this process as a laboratory: devices come and go, move and fail.
package final class AirLaboratory: Sendable {
    private struct Entry: Sendable {
        var id: String
        var device: VirtualDevice
        var yaml: String?
        var position: ScenePosition
        var isOutOfRange = false
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber = 0
        /// Devices that are being put on the air.
        var pending = 0
    }

    /// So many devices are on the air at most.
    package static let deviceLimit = 1000
    /// Further than anything is heard, in metres.
    private static let beyond = 1e7

    private let scene: VirtualScene
    private let state = Mutex(State())

    /// A laboratory on the air of a scene, with its devices.
    package init(_ scene: VirtualScene) {
        self.scene = scene
        let places = zip(scene.devices, scene.file.devices)
        state.withLock { state in
            for (device, file) in places {
                state.lastNumber += 1
                state.entries.append(
                    Entry(id: "\(state.lastNumber)", device: device, yaml: nil, position: file.position))
            }
        }
    }

    /// The devices on the air, in the order in which they came.
    package var devices: [AirDevice] {
        get async {
            var list: [AirDevice] = []
            for entry in state.withLock({ $0.entries }) {
                if let device = await describe(entry) { list.append(device) }
            }
            return list
        }
    }

    /// A device; nil where there is none of this name.
    package func device(_ id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        return await describe(entry)
    }

    /// The text of a device's file; nil where there is no such device.
    package func file(_ id: String) -> String? { entry(id).map { $0.yaml ?? $0.device.file.yaml } }

    /// Puts a device on the air.
    /// - Parameters:
    ///   - yaml: the text that `file` was read from.
    ///   - distance: metres from the listener.
    package func add(
        _ file: DeviceFile, yaml: String? = nil, distance: Double = 1
    ) async throws(BluetoothError) -> AirDevice {
        let hasRoom = state.withLock { state in
            guard state.entries.count + state.pending < Self.deviceLimit else { return false }
            state.pending += 1
            return true
        }
        guard hasRoom else {
            throw BluetoothError(
                .limitReached, operation: "put '\(file.name)' on the air",
                reason: "\(Self.deviceLimit) devices are there already", advice: "remove some")
        }
        defer { state.withLock { $0.pending -= 1 } }
        let position = ScenePosition(x: distance)
        let device = try await scene.add(SceneDevice(file, position: position))
        let entry = state.withLock { state in
            state.lastNumber += 1
            let entry = Entry(id: "\(state.lastNumber)", device: device, yaml: yaml, position: position)
            state.entries.append(entry)
            return entry
        }
        guard let described = await describe(entry) else {
            throw BluetoothError(.cancelled, operation: "put '\(file.name)' on the air", reason: "the air was closed")
        }
        return described
    }

    /// Takes a device off the air.
    /// - Returns: false where there is none of this name.
    package func remove(_ id: String) async -> Bool {
        let removed = state.withLock { state in
            state.entries.firstIndex { $0.id == id }.map { state.entries.remove(at: $0) }
        }
        guard let removed else { return false }
        await scene.remove(removed.device)
        return true
    }

    /// Moves a device along the first axis.
    /// - Parameter distance: metres from the listener.
    package func move(_ id: String, to distance: Double) async -> AirDevice? {
        await update(id) { $0.position = ScenePosition(x: distance) }
    }

    /// Changes what goes wrong with a device.
    package func set(_ faults: AirFaults, of id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        await scene.withController(of: entry.device) { controller in
            if let isSilent = faults.isSilent { controller.faults.isSilent = isSilent }
            if let loss = faults.loss { controller.faults.advertisingLoss = loss }
            if let delay = faults.delay { controller.faults.delay = delay }
            if let failed = faults.failedConnects { controller.faults.failedEstablishments = failed }
        }
        return await update(id) { entry in
            if let isOutOfRange = faults.isOutOfRange { entry.isOutOfRange = isOutOfRange }
        }
    }

    /// Cuts the links of a device: both sides are told of a connection timeout at once.
    package func cut(_ id: String) async -> AirDevice? {
        guard let entry = entry(id) else { return nil }
        await scene.withController(of: entry.device) { controller in
            for link in controller.links { link.cut() }
        }
        return await describe(entry)
    }

    // MARK: Inside

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
                delay: controller.faults.delay, failedConnects: controller.faults.failedEstablishments)
        }
    }
}
#endif
