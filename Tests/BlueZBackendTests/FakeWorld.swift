import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import Testing

@testable import BlueZBackend

/// A fake `bluetoothd` on a private bus, and the radio that uses it.
struct FakeWorld {
    static let id = PeripheralID(BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random))

    let privateBus: PrivateBus
    let loop: RadioLoop
    let fake: LoopBound<FakeBlueZ>
    let radio: LoopBound<any RadioBackend>

    init(loop: RadioLoop = RadioLoop()) async throws {
        privateBus = try await PrivateBus()
        self.loop = loop
        fake = try await Self.startFake(privateBus, loop)
        radio = try #require(try await BlueZAdapters(address: privateBus.address).open(nil, uri: "", on: loop))
    }

    static func startFake(_ bus: PrivateBus, _ loop: RadioLoop) async throws -> LoopBound<FakeBlueZ> {
        let fake = try await loop.run {
            LoopBound(confined: try FakeBlueZ(address: bus.address, loop: loop), loop: loop)
        }
        await withCheckedContinuation { continuation in
            loop.execute { fake.value.start { continuation.resume() } }
        }
        return fake
    }

    /// Runs `body` on the loop and returns the first value that it reports.
    func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (FakeBlueZ, any RadioBackend, @escaping (Value) -> Void) -> Void
    ) async -> Value {
        let (fake, radio) = (fake, radio)
        return await withCheckedContinuation { continuation in
            loop.execute {
                var isDone = false
                body(fake.value, radio.value) { value in
                    if !isDone { continuation.resume(returning: value) }
                    isDone = true
                }
            }
        }
    }

    /// Returns the number of calls of this method of BlueZ.
    func calls(_ member: String) async -> Int {
        let fake = fake
        return await loop.run { fake.value.count(member) }
    }

    /// Waits for this number of calls of a method of BlueZ.
    func called(_ member: String, _ count: Int) async {
        let fake = fake
        await withCheckedContinuation { continuation in
            loop.execute { fake.value.when(member, count) { continuation.resume() } }
        }
    }

    /// Waits until all signals of BlueZ so far were received, and the resulting calls have reached BlueZ.
    func settle() async {
        let (fake, radio) = (fake, radio)
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                loop.execute {
                    fake.value.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Alias": .string("test")])
                    fake.value.bus.bus("GetId", []) { _ in continuation.resume() }
                }
            }
            await withCheckedContinuation { continuation in
                loop.execute {
                    guard let radio = radio.value as? BlueZRadio else { return continuation.resume() }
                    radio.client.bus.bus("GetId", []) { _ in continuation.resume() }
                }
            }
        }
    }
}
