#if Programs
import BluetoothRuntime
import BluetoothTransport
import Foundation
import Harald
import Synchronization
import Testing
import VirtualBluetooth
import VirtualDevices

@testable import Explorer

/// A model on a virtual air with a stepped clock, and devices around it.
///
/// The clock goes on while a test runs, and waits for what the test and the model do.
struct ExplorerRig: Sendable {
    let scene: VirtualScene
    let air: AirLaboratory
    let model: ExplorerModel
    let clock: RadioClock

    static func run(
        _ files: [DeviceFile] = [], settings: ExplorerSettings = .init(), tap: CaptureTap? = nil,
        _ body: @escaping @Sendable (ExplorerRig) async throws -> Void
    ) async throws {
        let clock = RadioClock.manual()
        let isOver = Mutex(false)
        let ticking = Task {
            while !isOver.withLock({ $0 }) { await clock.advance(by: .milliseconds(50)) }
        }
        let result: Result<Void, any Error>
        do {
            let rig = try await ExplorerRig(files, settings, tap, clock)
            result = await Task(executorPreference: rig.model.loop) { try await body(rig) }.result
            await rig.model.close()
            await rig.model.central.close()
            await rig.scene.close()
        } catch {
            result = .failure(error)
        }
        isOver.withLock { $0 = true }
        await ticking.value
        try result.get()
    }

    private init(
        _ files: [DeviceFile], _ settings: ExplorerSettings, _ tap: CaptureTap?, _ clock: RadioClock
    ) async throws {
        self.clock = clock
        let radio = VirtualRadio(clock: clock)
        scene = try await VirtualScene(SceneFile(name: "test", devices: files.map { SceneDevice($0) }), on: radio)
        air = AirLaboratory(scene)
        var options = AdapterOptions(storage: .none)
        options.captureTap = tap
        let desk = PairingDesk()
        let central = try await Central(adapter: radio.adapter(named: "central"), pairing: desk, options: options)
        var settings = settings
        let start = clock.now
        settings.now = { Date(timeIntervalSince1970: 1_800_000_000 + (clock.now - start) / .seconds(1)) }
        model = ExplorerModel(central: central, pairing: desk, settings: settings)
        await model.start()
    }

    /// The device of this name, once it was heard.
    func device(_ name: String) async throws -> ExplorerDevice {
        for await event in await model.events() {
            if case .device(let device) = event, device.name == name { return device }
        }
        throw InputError("'\(name)' was never heard")
    }

    /// Waits so long on the stepped clock.
    func wait(_ duration: Duration) async {
        let loop = model.loop
        await withCheckedContinuation { continuation in
            loop.execute {
                // The timer is kept by what it fires, and is let go when it fires.
                var timer: QueuedTimer?
                timer = loop.makeTimer {
                    timer?.onFire = nil
                    timer = nil
                    continuation.resume()
                }
                timer?.arm(at: loop.now + duration)
            }
        }
    }

    /// The first event that `body` makes something of.
    func first<Result>(
        in events: ExplorerEvents, _ body: (ExplorerEvent) -> Result?
    ) async throws -> Result {
        for await event in events {
            if let result = body(event) { return result }
        }
        throw InputError("the events ended")
    }

    /// The handle of a characteristic.
    func handle(_ uuid: BluetoothUUID, of id: PeripheralID, for viewer: ViewerID = "a") async throws -> UInt32 {
        let tree = try await model.tree(id, for: viewer).tree
        let all = tree.services.flatMap(\.characteristics)
        return try #require(all.first { $0.uuid == uuid }?.handle)
    }
}

/// A device that counts what is read and written, and sends values.
enum TestDevices {
    static let yaml = """
        name: Lamp
        address: C0:00:00:00:00:01
        advertise: {interval: 100 ms, manufacturerData: {company: 0x006B, data: {hex: "01 02 03"}}}
        services:
          - uuid: FFF0
            characteristics:
              - {uuid: FFF1, properties: [read, write, writeWithoutResponse], value: {hex: "01"}}
              - {uuid: FFF2, properties: [notify], value: {u8: {wave: ramp, min: 0, max: 100, period: 10 s}}, notifyEvery: 1 s}
              - {uuid: FFF3, properties: [read], value: {hex: "05"}, security: encrypted}
          - uuid: battery
            characteristics:
              - {uuid: battery level, properties: [read, notify], value: {u8: 85}, notifyEvery: 1 s}
        """

    static func lamp() throws -> DeviceFile { try DeviceFile(yaml: yaml) }
}
#endif
