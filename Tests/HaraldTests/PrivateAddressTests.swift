import BluetoothHost
import BluetoothRuntime
import Testing

@testable import Harald
@testable import HostBackend

/// A bonded device with private addresses keeps its identifier.
@Suite(.closesRigs, .timeLimit(.minutes(1))) struct PrivateAddressTests {
    /// Makes the device use a new private address.
    private func hide(_ device: LocalPeripheral) async throws {
        let radio = device.core.radio
        let result: Result<BluetoothAddress, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            guard let backend = radio.backend.value as? HostRadio, let manager = backend.host.securityManager else {
                return operation.complete(.failure(.notConnected))
            }
            manager.configuration.identityAddress = manager.configuration.identityAddress ?? backend.host.ownAddress
            backend.host.setOwnAddress(.resolvable(manager.identityKey, each: .seconds(900))) { operation.complete($0) }
        }
        #expect(try result.get().randomKind == .resolvablePrivate)
    }

    private func heard(_ rig: PairingRig) async throws -> Peripheral {
        for try await found in rig.central.scan(filter: ScanFilter(namePrefix: "Lock")) { return found.peripheral }
        throw BluetoothError(.notFound, operation: "scan", reason: "it ended")
    }

    @Test func aPrivateAddressHasTheIdentifierOfItsIdentity() async throws {
        let rig = try await PairingRig(central: PairingUser())
        let identity = try #require(await rig.device.address)
        await rig.device.stopAdvertising()
        try await hide(rig.device)
        try await rig.device.advertise()
        let stranger = try await heard(rig)
        #expect(stranger.address?.randomKind == .resolvablePrivate)
        try await stranger.connect()
        try await stranger.pair()
        #expect(await rig.central.bonds.map(\.address) == [identity])
        #expect(await stranger.isBonded)
        await stranger.disconnect()
        // From now on the device is recognised with any address.
        let known = try await heard(rig)
        #expect(known.id == (await rig.central.bonds.first)?.id && known.id != stranger.id)
        try await known.connect()
        #expect(known.security == LinkSecurity(level: .encrypted, keySize: 16, isBonded: true))
        #expect(try await rig.read(PairingRig.encrypted, known) == [2])
        await known.disconnect()
        // The old identifier leads to the same device, and to the same bond.
        try await stranger.connect()
        #expect(stranger.security.level == .encrypted)
        #expect(await stranger.forgetBond())
        #expect(await rig.central.bonds.isEmpty)
        // Without the bond, nothing relates the private address to the identity.
        #expect(try await heard(rig).id == stranger.id)
    }
}
