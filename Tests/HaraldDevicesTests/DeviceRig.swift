import BluetoothRuntime
import HaraldDevices
import Synchronization
import Testing
import VirtualTransport

@testable import VirtualDevices

/// A twin on an air of its own, with a central beside it.
struct DeviceRig {
    let radio: VirtualRadio
    let twin: VirtualDevice
    let central: Central
    let peripheral: Peripheral

    private init(_ file: DeviceFile, clock: RadioClock) async throws {
        radio = VirtualRadio(clock: clock)
        twin = try await VirtualDevice(file, on: radio.adapter(named: "twin"))
        central = try await Central(adapter: radio.adapter(named: "central"), pairing: .justWorks)
        var found: Peripheral?
        for try await discovery in central.scan() where discovery.name == file.name {
            found = discovery.peripheral
            break
        }
        peripheral = try #require(found)
    }

    /// The twin of this name.
    static func withSteppedClock(
        _ name: String, _ body: @escaping @Sendable (DeviceRig) async throws -> Void
    ) async throws {
        try await withSteppedClock(#require(Twins.all[name]), body)
    }

    /// A twin on a clock that is stepped while `body` runs on the loop, and waits for it. Durations are exact on a busy
    /// machine too.
    static func withSteppedClock(
        _ file: DeviceFile, _ body: @escaping @Sendable (DeviceRig) async throws -> Void
    ) async throws {
        let clock = RadioClock.manual()
        let isOver = Mutex(false)
        let ticking = Task {
            while !isOver.withLock({ $0 }) { await clock.advance(by: .milliseconds(100)) }
        }
        let result: Result<Void, any Error>
        do {
            let rig = try await DeviceRig(file, clock: clock)
            // On the loop, so that the clock waits for it.
            result = await Task(executorPreference: rig.central.executor) { try await body(rig) }.result
            await rig.central.close()
            await rig.twin.close()
        } catch {
            result = .failure(error)
        }
        isOver.withLock { $0 = true }
        await ticking.value
        try result.get()
    }
}

extension AsyncSequence where Failure == BluetoothError {
    /// The first `count` elements.
    func first(_ count: Int) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}
