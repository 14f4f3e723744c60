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
    /// The devices, in the order of the file.
    public let devices: [VirtualDevice]
    private let controllers: [String]
    private let faults: [Task<Void, Never>]

    /// Puts the devices of `file` on the air of `radio`; `pairing` answers for all of them, else each as its file says.
    public init(
        _ file: SceneFile, on radio: VirtualRadio = VirtualRadio(), pairing: (any PairingDelegate)? = nil
    ) async throws(BluetoothError) {
        self.file = file
        self.radio = radio
        var (devices, controllers): ([VirtualDevice], [String]) = ([], [])
        var faults: [Task<Void, Never>] = []
        do throws(BluetoothError) {
            for placed in file.devices {
                let name = Self.freshName(placed.device.name)
                let device = try await VirtualDevice(
                    placed.device, on: radio.adapter(named: name), pairing: pairing, loop: radio.loop,
                    options: .init(storage: .none))
                devices.append(device)
                controllers.append(name)
                await Self.place(placed, controller: name, on: radio)
                if let silence = Self.silence(placed.faults, controller: name, on: radio) { faults.append(silence) }
            }
        } catch {
            for task in faults { task.cancel() }
            for device in devices { await device.close() }
            throw error
        }
        self.devices = devices
        self.controllers = controllers
        self.faults = faults
    }

    deinit {
        for task in faults { task.cancel() }
    }

    /// Takes the devices off the air.
    public func close() async {
        for task in faults { task.cancel() }
        for device in devices { await device.close() }
    }

    /// Breaks the links to a device, as if it had been out of range for a moment: both sides are told of a connection
    /// timeout with the next packet that crosses.
    public func breakLinks(of device: VirtualDevice) async {
        guard let index = devices.firstIndex(where: { $0 === device }) else { return }
        let (radio, name) = (radio, controllers[index])
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
