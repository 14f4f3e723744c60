import BluetoothHost
import BluetoothRuntime
import Foundation
import Testing
import VirtualTransport

@testable import Adapters
@testable import Harald
@testable import HostBackend

/// The options of an adapter: private addresses, the security policy, and the contents of a store.
@Suite(.closesRigs, .timeLimit(.minutes(1))) struct SecurityPolicyTests {
    private static func lock(_ adapter: Adapter, _ options: AdapterOptions) async throws -> LocalPeripheral {
        let device = try await LocalPeripheral(adapter: adapter, name: "Lock", pairing: .justWorks, options: options)
        try await device.publish(
            ServiceDefinition(
                "FFE0",
                [
                    CharacteristicDefinition(
                        "FFE1", .read, value: [1], permissions: [.readable, .readEncryptionRequired])
                ]))
        try await device.advertise()
        return device
    }

    private static func find(_ central: Central) async throws -> Peripheral {
        for try await found in central.scan(filter: ScanFilter(namePrefix: "Lock")) { return found.peripheral }
        throw BluetoothError(.notFound, operation: "scan", reason: "it ended")
    }

    /// Options that BlueZ decides by itself cannot be set on its adapters; the error names the option.
    @Test func optionsThatTheSystemCannotEnforceAreRefused() throws {
        let address = BluetoothAddress(value: 0xC000_0000_0001, kind: .random)
        let wrong: [(AdapterOptions, String)] = [
            (AdapterOptions(captureFile: "a.btsnoop"), "btmon"),
            (AdapterOptions(address: .randomStatic(address)), "address"),
            (AdapterOptions(security: SecurityPolicy(requiresSecureConnections: true)), "SecureConnections"),
            (AdapterOptions(privateAddressRotationInterval: .seconds(900)), "Privacy"),
        ]
        for (options, word) in wrong {
            guard case .unsupported(let reason) = options.systemConflict else {
                Issue.record("\(options) are taken")
                continue
            }
            #expect(reason.contains(word))
        }
        #expect(AdapterOptions(storage: .none, security: SecurityPolicy(minimumKeySize: 7)).systemConflict == nil)
    }

    private static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("harald-policy-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path)
    }

    @Test func bothSidesUsePrivateAddresses() async throws {
        let radio = VirtualRadio()
        let options = AdapterOptions(storage: .none, privateAddressRotationInterval: .seconds(900))
        let identity: BluetoothAddress = "C0:00:00:00:00:02"
        let device = try await Self.lock(radio.adapter(named: "lock", configuration: .init(address: identity)), options)
        let central = try await Central(adapter: radio.adapter(named: "central"), pairing: .justWorks, options: options)
        let stranger = try await Self.find(central)
        #expect(stranger.address?.randomKind == .resolvablePrivate)
        try await stranger.connect()
        #expect(await device.centrals.first?.address?.randomKind == .resolvablePrivate)
        try await stranger.pair()
        #expect(await central.bonds.map(\.address) == [identity])
        #expect(await device.bonds.first?.address.map { $0.randomKind != .resolvablePrivate } == true)
        await stranger.disconnect()
        // The controller, or the host, can resolve the address now.
        let known = try #require(await central.peripheral(address: identity))
        try await known.connect()
        #expect(known.security == LinkSecurity(level: .encrypted, keySize: 16, isBonded: true))
        await central.close()
        await device.close()
    }

    /// Two devices on one adapter, each with an identity and a key of its own.
    @Test func everyDeviceOfAnAdapterUsesPrivateAddresses() async throws {
        let radio = VirtualRadio()
        let adapter = radio.adapter(
            named: "locks", configuration: .init(address: BluetoothAddress("C0:00:00:00:00:02")))
        let options = AdapterOptions(storage: .none, privateAddressRotationInterval: .seconds(900))
        let devices = [try await Self.lock(adapter, options), try await Self.lock(adapter, options)]
        let central = try await Central(
            adapter: radio.adapter(named: "central"), pairing: .justWorks, options: AdapterOptions(storage: .none))
        var strangers: [PeripheralID: Peripheral] = [:]
        for try await found in central.scan(filter: ScanFilter(namePrefix: "Lock")) {
            #expect(found.peripheral.address?.randomKind == .resolvablePrivate)
            strangers[found.id] = found.peripheral
            if strangers.count == 2 { break }
        }
        for stranger in strangers.values {
            try await stranger.connect()
            try await stranger.pair()
            #expect(try await stranger.characteristic("FFE0", "FFE1").read() == [1])
            await stranger.disconnect()
        }
        let bonds = await central.bonds
        #expect(bonds.count == 2 && bonds.allSatisfy { $0.address?.isIdentity == true })
        for bond in bonds {
            let known = try #require(await central.peripheral(id: bond.id))
            try await known.connect()
            #expect(known.security == LinkSecurity(level: .encrypted, keySize: 16, isBonded: true))
            await known.disconnect()
        }
        await central.close()
        for device in devices { await device.close() }
    }

    @Test func aRotationIntervalOutOfRangeIsAnError() async throws {
        let radio = VirtualRadio()
        let central = try await Central(
            adapter: radio.adapter(),
            options: AdapterOptions(storage: .none, privateAddressRotationInterval: .seconds(4000)))
        let error = await #expect(throws: BluetoothError.self) { try await central.waitUntilPoweredOn() }
        #expect(error?.reason.contains("1 h") == true, "\(error as Any)")
        await central.close()
    }

    @Test func secureConnectionsOnlyRefusesWeakerPairing() async throws {
        let radio = VirtualRadio()
        let device = try await Self.lock(radio.adapter(named: "lock"), AdapterOptions(storage: .none))
        let central = try await Central(
            adapter: radio.adapter(named: "central"), pairing: PairingUser(),
            options: AdapterOptions(storage: .none, security: SecurityPolicy(requiresSecureConnections: true)))
        let lock = try await Self.find(central)
        try await lock.connect()
        let error = await #expect(throws: BluetoothError.self) { try await lock.pair() }
        #expect(error?.code == .security && lock.security.level == .none)
        await central.close()
        await device.close()
    }

    /// Both sides of a pairing with shorter keys.
    @Test(arguments: [16, 7] as [UInt8]) func shortKeysRequireThePolicysPermission(minimum: UInt8) async throws {
        let radio = VirtualRadio()
        let device = try await Self.lock(
            radio.adapter(named: "lock"), AdapterOptions(storage: .none, security: SecurityPolicy(minimumKeySize: 7)))
        await device.core.radio.loop.run {
            let backend = device.core.radio.backend.value as? HostRadio
            backend?.host.securityManager?.configuration.keySizes = 7...10
        }
        let central = try await Central(
            adapter: radio.adapter(named: "central"),
            options: AdapterOptions(storage: .none, security: SecurityPolicy(minimumKeySize: minimum)))
        let lock = try await Self.find(central)
        try await lock.connect()
        if minimum == 16 {
            let error = await #expect(throws: BluetoothError.self) { try await lock.pair() }
            #expect(error?.code == .security && error?.reason.contains("too short") == true, "\(error as Any)")
        } else {
            #expect(try await lock.pair().keySize == 10)
        }
        await central.close()
        await device.close()
    }

    @Test func theAddressIsPersistentInTheStore() async throws {
        try await Self.withDirectory { directory in
            var addresses: [BluetoothAddress?] = []
            for _ in 0..<2 {
                // A new air and new controllers, as in another process.
                let radio = VirtualRadio(seed: .random(in: 0...UInt64.max))
                let options = AdapterOptions(storage: .directory(directory))
                let device = try await Self.lock(
                    radio.adapter(
                        named: "lock", configuration: .init(address: BluetoothAddress("C0:00:00:00:00:07"))),
                    AdapterOptions(storage: .directory(directory + "/lock")))
                let central = try await Central(adapter: radio.adapter(named: "central"), options: options)
                try await central.waitUntilPoweredOn()
                addresses.append(await central.radio.loop.run { central.radio.backend.value.adapter.address })
                let lock = try await Self.find(central)
                try await lock.connect()
                // In the second run both sides have the bond.
                #expect(lock.security.isBonded == (addresses.count == 2))
                try await lock.pair()
                #expect(try await lock.characteristic("FFE0", "FFE1").read() == [1])
                await central.close()
                await device.close()
            }
            #expect(addresses[0] == addresses[1] && addresses[0]?.randomKind == .staticAddress)
            let store = try StoredBonds(.directory(directory))
            #expect(try store.ownAddress(for: "central") == store.ownAddress(for: "central"))
            #expect(try store.ownAddress(for: "central") != store.ownAddress(for: "simulate"))
            // The attributes of the bonded device were stored with its bond, for the user alone.
            let files = try FileManager.default.contentsOfDirectory(atPath: directory + "/attributes")
                .filter { !$0.hasSuffix(".lock") }
            #expect(files == ["public-C00000000007"])
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/attributes/" + files[0])
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let cache = BondedCacheStore(directory)
            let id = PeripheralID("C0:00:00:00:00:07" as BluetoothAddress)
            #expect(cache.entry(for: id)?.isEmpty == false)
            cache.remove(for: id)
            #expect(BondedCacheStore(directory).entry(for: id) == nil)
        }
    }

    @Test func aCancelledReadCancelsItsPairing() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (withdrawn, withdraw) = AsyncStream<Void>.makeStream()
        let user = PairingUser { _ in
            ask.yield()
            // Until the question is withdrawn.
            await withTaskCancellationHandler {
                let (never, continuation) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                withExtendedLifetime(continuation) {}
            } onCancel: {
                withdraw.yield()
            }
            return .refuse
        }
        let rig = try await PairingRig(central: user)
        let peripheral = try await rig.connected()
        let characteristic = try await rig.characteristic(PairingRig.encrypted, peripheral)
        let reading = Task { try await characteristic.read() }
        for await _ in asked { break }
        reading.cancel()
        let result = await reading.result
        #expect(throws: BluetoothError.self) { try result.get() }
        for await _ in withdrawn { break }
        // No caller waits, and no procedure is running: the link is usable as before.
        #expect(try await rig.read(PairingRig.open, peripheral) == [1])
    }
}
