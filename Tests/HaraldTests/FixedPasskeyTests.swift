import Foundation
import TestSupport
import Testing
import VirtualTransport

@testable import BluetoothHost
@testable import Harald
@testable import HostBackend

/// The limit of failed attempts on a fixed passkey, through the public interface and in the store.
@Suite(.timeLimit(.minutes(2))) struct FixedPasskeyTests {
    private static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-passkey-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private struct Lock: PairingDelegate {
        let capability = PairingCapability.displayOnly
        let passkey: UInt32?
        let blocked = Locked(0)
        func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer { .accept }
        func passkeyBlocked() async { blocked.with { $0 += 1 } }
    }

    private static func lock(_ radio: VirtualRadio, _ user: Lock, _ directory: String) async throws -> LocalPeripheral {
        let device = try await LocalPeripheral(
            adapter: radio.adapter(named: "lock"), name: "Lock", pairing: user,
            options: AdapterOptions(storage: .directory(directory)))
        try await device.publish(ServiceDefinition("FFE0", [CharacteristicDefinition("FFE1", .read, value: [1])]))
        try await device.advertise()
        return device
    }

    /// Pairs as an unknown central.
    private static func pair(
        _ radio: VirtualRadio, _ device: LocalPeripheral, with guess: UInt32
    ) async throws -> Bool {
        let user = PairingUser(.keyboardOnly) { $0 == .enterPasskey ? .passkey(guess) : .refuse }
        let own = BluetoothAddress(value: .random(in: 0..<1 << 46) | 0b11 << 46, kind: .random)
        let central = try await Central(
            adapter: radio.adapter(), pairing: user,
            options: AdapterOptions(storage: .none, address: .randomStatic(own)))
        try await central.waitUntilPoweredOn()
        let address = try #require(await device.address)
        let peripheral = try #require(await central.peripheral(address: address))
        try await peripheral.connect()
        let isPaired = (try? await peripheral.pair(to: .authenticated)) != nil
        await central.close()
        return isPaired
    }

    @Test func neitherSuccessesNorRestartsResetFailures() async throws {
        try await Self.withDirectory { directory in
            let radio = VirtualRadio()
            let user = Lock(passkey: 654_321)
            var device = try await Self.lock(radio, user, directory)
            #expect(try await !Self.pair(radio, device, with: 1))
            #expect(try await Self.pair(radio, device, with: 654_321))
            await device.close()
            device = try await Self.lock(radio, user, directory)
            #expect(try await !Self.pair(radio, device, with: 2))
            await device.close()
            device = try await Self.lock(radio, user, directory)
            var events = device.events.makeAsyncIterator()
            #expect(try await !Self.pair(radio, device, with: 3))
            while let event = try await events.next() { if event == .passkeyBlocked { break } }
            #expect(try await !Self.pair(radio, device, with: 654_321))
            await device.close()
            device = try await Self.lock(radio, user, directory)
            #expect(try await !Self.pair(radio, device, with: 654_321))
            // The program allows further attempts.
            try await device.allowPasskey()
            #expect(try await Self.pair(radio, device, with: 654_321))
            await device.close()
            while user.blocked.value == 0 { try await Task.pause() }
            // The file does not contain the passkey itself, and only the user can read it.
            let file = directory + "/passkeys.json"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!text.contains("654321"))
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func anUnreadableFileAllowsNoAttempt() async throws {
        try await Self.withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data("{".utf8).write(to: URL(fileURLWithPath: directory + "/passkeys.json"))
            let radio = VirtualRadio()
            let device = try await Self.lock(radio, Lock(passkey: 111_111), directory)
            #expect(try await !Self.pair(radio, device, with: 111_111))
            try await device.allowPasskey()
            #expect(try await Self.pair(radio, device, with: 111_111))
            await device.close()
        }
    }

    @Test func withoutADirectoryFailuresAreCountedInTheProcess() throws {
        let (first, second) = (PasskeyFailureStore(nil), PasskeyFailureStore(nil))
        let passkey: UInt32 = 999_983
        #expect(first.begin(passkey) && second.begin(passkey) && first.begin(passkey))
        #expect(!second.begin(passkey) && !second.allows(passkey) && second.allows(999_979))
        first.succeed(passkey)
        #expect(second.allows(passkey))
        try second.reset(passkey)
        #expect(first.begin(passkey))
        try first.reset(passkey)
    }

    // MARK: The address of an adapter behind a socket

    @Test func bondsUnderAFormerAddressStillWork() async throws {
        try await Self.withDirectory { directory in
            let radio = VirtualRadio()
            let own = try #require(BluetoothAddress("F0:F1:F2:F3:F4:00", kind: .public))
            let adapter = radio.adapter(named: "central", configuration: .init(address: own))
            let device = try await LocalPeripheral(
                adapter: radio.adapter(named: "device"), name: "Lock", pairing: .justWorks,
                options: AdapterOptions(storage: .directory(directory + "/device")))
            try await device.advertise()
            let address = try #require(await device.address)
            var options = AdapterOptions(storage: .directory(directory + "/central"))
            // The first run uses the public address. The second one has an address role, and the bond remains valid.
            for isFormer in [true, false] {
                options.addressRole = isFormer ? nil : "central tcp:127.0.0.1:1"
                let central = try await Central(adapter: adapter, options: options)
                try await central.waitUntilPoweredOn()
                let peripheral = try #require(await central.peripheral(address: address))
                try await peripheral.connect()
                #expect(peripheral.security.isBonded == !isFormer)
                try await peripheral.pair()
                #expect(await device.centrals == [PeripheralID(own)])
                await central.close()
            }
            // A store without bonds has a static random address.
            options.storage = .directory(directory + "/other")
            let central = try await Central(adapter: adapter, options: options)
            try await central.waitUntilPoweredOn()
            let peripheral = try #require(await central.peripheral(address: address))
            try await peripheral.connect()
            #expect(await device.centrals.first?.address?.randomKind == .staticAddress)
            await central.close()
            await device.close()
        }
    }
}
