#if os(Linux)
import BluetoothTransport
import Foundation
import Harald
import Testing
import VirtualBluetooth

@testable import HaraldCommand

/// Accepts every pairing question.
private struct WillingUser: PairingDelegate {
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer { .accept }
}

/// `--verbose` logs the reason why a device cannot be connected.
@Suite(.serialized, .timeLimit(.minutes(2))) final class VerboseTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: runtime.appendingPathComponent("store"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func lock() async throws -> (air: OfferedAir, lock: LocalPeripheral, adapter: ListenAddress) {
        let (air, addresses) = try await OfferedAir.open([.tcp(host: "127.0.0.1", port: 0)]) { _ in }
        let lock = try await LocalPeripheral(
            adapter: air.radio.adapter(named: "lock"), name: "Lock", pairing: WillingUser())
        try await lock.publish(ServiceDefinition("FFE0", [CharacteristicDefinition("FFE1", .read, value: [1])]))
        try await lock.advertise()
        return (air, lock, try #require(addresses.first))
    }

    private func messages(_ command: String, _ adapter: ListenAddress) async throws -> [Substring] {
        let store = runtime.appendingPathComponent("store").path
        let end = try await ProgramProcess.run(
            "\(command) --verbose --adapter \(adapter) --store \(store)", runtime: runtime)
        return end.errors.split(separator: "\n")
    }

    @Test func aLinkThatFailsToBeEstablishedIsToldWithEachTry() async throws {
        let (air, lock, adapter) = try await lock()
        await air.radio.loop.run { air.radio.controller(named: "lock")?.faults.failedEstablishments = .max }
        let messages = try await messages("read lock FFE1", adapter)
        let address = try #require(await lock.address)
        #expect(messages.contains("harald: [debug] connecting (peer=\(address))"), "\(messages)")
        let again =
            "harald: [notice] the link failed to be established (0x3E); connecting again (peer=\(address))"
        #expect(messages.filter { $0 == again }.count == 3, "\(messages)")
        #expect(messages.contains { $0.contains("[info] connecting failed after") }, "\(messages)")
        #expect(
            messages.contains { $0.contains("counters: ") && $0.contains("connection retries 3") }, "\(messages)")
        #expect(messages.last?.contains("move closer") == true, "\(messages)")
        await lock.close()
        await air.close()
    }

    @Test func aDeviceThatLostItsKeyIsTold() async throws {
        let (air, lock, adapter) = try await lock()
        let pairing = try await messages("pair lock --yes", adapter)
        #expect(pairing.contains { $0.contains("[info] paired, with a bond") }, "\(pairing)")
        for bond in await lock.bonds { await lock.forgetBond(bond.id) }
        let messages = try await messages("read lock FFE1", adapter)
        #expect(messages.contains { $0.contains("encrypting with the key of the bond") }, "\(messages)")
        #expect(messages.contains { $0.contains("[warning] the device no longer has the key of its bond") })
        #expect(messages.contains { $0.contains("[info] connecting failed after") }, "\(messages)")
        #expect(messages.contains { $0.contains("counters: ") && $0.contains("lost bonds 1") }, "\(messages)")
        await lock.close()
        await air.close()
    }
}
#endif
