import Foundation
import Harald
import TestSupport
import Testing
import VirtualBluetooth

/// Bonds across runs on the virtual radio, with stores in directories.
@Suite(.closesRigs, .timeLimit(.minutes(3))) struct BondTests {
    @Test func reconnectionIsEncryptedOnBothSides() async throws {
        let rig = try await PairingRig(central: PairingUser(), device: PairingUser(), keepsBonds: true)
        try await rig.connected().pair()
        try await rig.reopen(central: nil, device: nil)
        // No question is asked, and there is no user to answer one.
        let peripheral = try await rig.connected()
        #expect(peripheral.security == LinkSecurity(level: .secureConnections, keySize: 16, isBonded: true))
        #expect(try await rig.read(PairingRig.authenticated, peripheral) == [3])
        let bond = try #require(await rig.central.bonds.first)
        #expect(bond.id == peripheral.id && bond.address == peripheral.address)
        #expect(bond.isSecureConnections && bond.level == .secureConnections && bond.keySize == 16)
    }

    @Test func aDeviceThatLostItsKeysIsRefusedUntilTheBondIsForgotten() async throws {
        let rig = try await PairingRig(central: PairingUser(), keepsBonds: true)
        let first = try await rig.connected()
        try await first.pair()
        for bond in await rig.device.bonds { await rig.device.forgetBond(bond.id) }
        for try await state in first.states { if case .disconnected = state { break } }
        let address = try #require(await rig.device.address)
        let peripheral = try #require(await rig.central.peripheral(address: address))
        let error = await #expect(throws: BluetoothError.self) { try await peripheral.connect() }
        #expect(error?.code == .bondLost)
        #expect(error?.advice.contains("forgetBond()") == true)
        #expect(!peripheral.isConnected)
        #expect(await peripheral.forgetBond())
        try await peripheral.connect()
        #expect(peripheral.security == LinkSecurity())
        #expect(try await rig.read(PairingRig.encrypted, peripheral) == [2])
    }

    /// The device cannot distinguish it from an impostor with its address.
    @Test(arguments: [false, true]) func aCentralThatLostItsBondPairsAgainIfTheDeviceAgrees(agrees: Bool) async throws {
        let user = PairingUser(.noInputNoOutput, replacesBonds: agrees)
        let rig = try await PairingRig(central: PairingUser(), device: user, keepsBonds: true)
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        #expect(await rig.central.forgetBond(peripheral.id))
        #expect(await rig.central.forgetBond(peripheral.id) == false)
        // The link that the forgotten keys protected has ended.
        for try await state in peripheral.states { if case .disconnected = state { break } }
        #expect(await rig.central.bonds.isEmpty)
        try await peripheral.connect()
        #expect(peripheral.security.level == .none)
        if agrees {
            #expect(try await rig.read(PairingRig.encrypted, peripheral) == [2])
        } else {
            let error = await #expect(throws: BluetoothError.self) { try await peripheral.pair() }
            #expect(error?.reason.contains("0x05") == true, "\(error as Any)")
        }
        #expect(await rig.central.bonds.count == (agrees ? 1 : 0))
        #expect(await rig.device.bonds.count == 1)
        #expect(user.replaced.value == [PeripheralID(try #require(BluetoothAddress("C0:00:00:00:00:01")))])
    }

    @Test func subscriptionsAreKeptForABondedCentral() async throws {
        let rig = try await PairingRig(central: PairingUser(), keepsBonds: true)
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        let characteristic = try await rig.characteristic(PairingRig.sending, peripheral)
        var events = rig.device.events.makeAsyncIterator()
        let values = characteristic.notifications()
        while let event = try await events.next() { if case .subscribed = event { break } }
        withExtendedLifetime(values) {}
        // The device restarts, with the central still subscribed: the link breaks without an unsubscription.
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        for try await state in peripheral.states { if case .disconnected = state { break } }
        try await rig.reopen(device: JustWorksPairing())
        let again = try await rig.connected()
        #expect(again.security.level == .encrypted)
        var subscribers: [PeripheralID] = []
        while subscribers.isEmpty {
            subscribers = await rig.published[PairingRig.sending]?.subscribers ?? []
            try await Task.pause()
        }
    }

    /// A central with the address of a bonded one, but without its keys.
    @Test func anotherDeviceWithABondedAddressHasNoAccessToTheBond() async throws {
        let rig = try await PairingRig(central: PairingUser(), keepsBonds: true)
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        let characteristic = try await rig.characteristic(PairingRig.sending, peripheral)
        var events = rig.device.events.makeAsyncIterator()
        let values = characteristic.notifications()
        while let event = try await events.next() { if case .subscribed = event { break } }
        withExtendedLifetime(values) {}
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        for try await state in peripheral.states { if case .disconnected = state { break } }

        let keys = try #require(rig.directory).appendingPathComponent("central")
        let hidden = keys.appendingPathExtension("hidden")
        try FileManager.default.moveItem(at: keys, to: hidden)
        try await rig.reopen(central: PairingUser { _ in .refuse })
        let impostor = try await rig.connected()
        #expect(impostor.security == LinkSecurity())
        #expect(await rig.published[PairingRig.sending]?.subscribers.isEmpty == true)
        await #expect(throws: BluetoothError.self) { try await rig.read(PairingRig.encrypted, impostor) }
        #expect(await rig.device.bonds.count == 1)
        await impostor.disconnect()

        // The real central finds its bond and its subscription.
        await rig.central.close()
        try FileManager.default.removeItem(at: keys)
        try FileManager.default.moveItem(at: hidden, to: keys)
        try await rig.reopen(central: PairingUser { _ in .refuse })
        let again = try await rig.connected()
        #expect(again.security.level == .encrypted)
        var subscribers: [PeripheralID] = []
        while subscribers.isEmpty {
            subscribers = await rig.published[PairingRig.sending]?.subscribers ?? []
            try await Task.pause()
        }
    }

    @Test func savedBondsAreListedAndForgottenWithoutAnAdapter() async throws {
        let rig = try await PairingRig(central: PairingUser(), keepsBonds: true)
        let peripheral = try await rig.connected()
        try await peripheral.pair()
        let id = peripheral.id
        let directory = try #require(rig.directory).appendingPathComponent("central").path
        #expect(try SavedBonds.all(in: .directory(directory)).map(\.id) == [id])
        #expect(try SavedBonds.forget(id, in: .directory(directory)))
        #expect(try SavedBonds.forget(id, in: .directory(directory)) == false)
        // The program with the open adapter observes the removal.
        #expect(await rig.central.bonds.isEmpty)
    }
}
