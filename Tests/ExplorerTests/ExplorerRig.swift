import BluetoothRuntime
import BluetoothTransport
import Foundation
import Harald
import Synchronization
import Testing
import VirtualDevices
import VirtualTransport

@testable import Explorer

/// A model on a virtual air with a stepped clock, and devices around it.
///
/// The clock runs by itself during a test, much faster than real time. A test that depends on exact times holds it:
/// ``standingStill(_:)``, ``step(_:)``.
struct ExplorerRig: Sendable {
    let scene: VirtualScene
    let air: AirLaboratory
    let model: ExplorerModel
    let clock: RadioClock
    let gate: ClockGate

    static func run(
        _ files: [DeviceFile] = [], settings: ExplorerSettings = .init(), tap: CaptureTap? = nil,
        _ body: @escaping @Sendable (ExplorerRig) async throws -> Void
    ) async throws {
        let clock = RadioClock.manual()
        let gate = ClockGate()
        let ticking = Task {
            while await gate.enter() {
                await clock.advance(by: .milliseconds(50))
                gate.leave()
            }
        }
        let result: Result<Void, any Error>
        do {
            let rig = try await ExplorerRig(files, settings, tap, clock, gate)
            result = await Task(executorPreference: rig.model.loop) { try await body(rig) }.result
            await rig.model.close()
            await rig.model.central.close()
            await rig.scene.close()
        } catch {
            result = .failure(error)
        }
        gate.end()
        await ticking.value
        try result.get()
    }

    private init(
        _ files: [DeviceFile], _ settings: ExplorerSettings, _ tap: CaptureTap?, _ clock: RadioClock, _ gate: ClockGate
    ) async throws {
        self.clock = clock
        self.gate = gate
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

    /// Returns the device with this name, once it was received.
    func device(_ name: String) async throws -> ExplorerDevice {
        var others: Set<String> = []
        for await event in await model.events() {
            guard case .device(let device) = event else { continue }
            if device.name == name { return device }
            others.insert(device.name ?? "a device without a name")
            if device.advertisementCount > 1000 { break }
        }
        throw InputError("'\(name)' was never heard, but \(others)")
    }

    /// Runs `body` while the clock stands still.
    func standingStill<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await gate.hold()
        defer { gate.release() }
        return try await body()
    }

    /// Advances the clock by `duration` in small steps, and waits after each until the model has processed the events.
    func step(_ duration: Duration, by step: Duration = .milliseconds(5)) async {
        await standingStill {
            let end = clock.now + duration
            while clock.now < end {
                await clock.advance(by: step)
                // A round trip through the thread pool and the model's loop processes the pending events.
                await Task.detached { [model] in _ = await model.counters }.value
            }
        }
    }

    /// Waits until `condition` holds, and checks it after every 100 ms of the stepped clock; the test's time limit
    /// applies.
    func until(_ condition: () async throws -> Bool) async rethrows {
        while !(try await condition()) { await step(.milliseconds(100), by: .milliseconds(50)) }
    }

    /// Returns the first result of `body` that is not nil.
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

/// Advances a clock, one step at a time, unless a test holds it.
final class ClockGate: Sendable {
    private struct State {
        var isStepping = false
        var isOver = false
        var holds = 0
        /// The clock, which waits for its turn.
        var clock: CheckedContinuation<Void, Never>?
        /// The callers that wait for the end of a step.
        var holders: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until the clock may take a step.
    /// - Returns: false when there are no more.
    func enter() async -> Bool {
        while true {
            let mayGo = state.withLock { state -> Bool? in
                if state.isOver { return false }
                guard state.holds == 0 else { return nil }
                state.isStepping = true
                return true
            }
            if let mayGo { return mayGo }
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.holds > 0, !state.isOver else { return false }
                    state.clock = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        }
    }

    /// The step is over.
    func leave() {
        let holders = state.withLock { state in
            state.isStepping = false
            defer { state.holders = [] }
            return state.holders
        }
        for holder in holders { holder.resume() }
    }

    /// Waits for the end of the step, and stops the clock until ``release()``.
    func hold() async {
        await withCheckedContinuation { continuation in
            let isStill = state.withLock { state in
                state.holds += 1
                if !state.isStepping { return true }
                state.holders.append(continuation)
                return false
            }
            if isStill { continuation.resume() }
        }
    }

    /// Releases the clock, which continues.
    func release() {
        let clock = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.holds -= 1
            guard state.holds == 0 else { return nil }
            defer { state.clock = nil }
            return state.clock
        }
        clock?.resume()
    }

    /// Stops the clock for good.
    func end() {
        let clock = state.withLock { state in
            state.isOver = true
            defer { state.clock = nil }
            return state.clock
        }
        clock?.resume()
    }
}

/// A device that counts reads and writes, and sends values.
enum TestDevices {
    static let yaml = """
        name: Lamp
        address: C0:00:00:00:00:01
        advertise: {interval: 100 ms, manufacturerData: {company: 0x006B, data: {hex: "01 02 03"}}}
        services:
          - uuid: FFF0
            characteristics:
              - {uuid: FFF1, properties: [read, write, writeWithoutResponse], value: {hex: "01"}, description: Colour}
              - uuid: FFF2
                properties: [notify]
                value: {u8: {wave: ramp, min: 0, max: 100, period: 10 s}}
                notifyEvery: 1 s
              - {uuid: FFF3, properties: [read], value: {hex: "05"}, security: encrypted}
          - uuid: battery
            characteristics:
              - {uuid: battery level, properties: [read, notify], value: {u8: 85}, notifyEvery: 1 s}
        """

    static func lamp() throws -> DeviceFile { try DeviceFile(yaml: yaml) }
}
