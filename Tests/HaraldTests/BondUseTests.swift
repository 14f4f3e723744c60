import BluetoothBackend
import BluetoothHost
import Foundation
import Harald
import Synchronization
import Testing

@testable import HostBackend

/// The values of bonds that change with use, apart from the keys, and the limit of bonds.
@Suite struct BondUseTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("harald-uses-\(UUID().uuidString.prefix(8))").path

    private func bond(_ number: UInt64, isAuthenticated: Bool = false) -> Bond {
        var bond = Bond(
            localAddress: BluetoothAddress(value: 1, kind: .public),
            peerAddress: BluetoothAddress(value: number, kind: .public),
            strength: KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: true))
        bond.localKey = LongTermKey(key: .random())
        bond.peerKey = bond.localKey
        bond.localSigningKey = SigningKey(key: .random())
        bond.peerSigningKey = SigningKey(key: .random())
        return bond
    }

    private func keys() -> PrivateFile.State? { PrivateFile(directory: directory, name: "bonds.json").state }

    @Test func changesAreWrittenTogether() {
        let writes = Mutex<[Int]>([])
        let writer = DelayedWrite<Int>(atMostEvery: .seconds(3600)) { change in
            writes.withLock { $0.append(change) }
            return nil
        }
        for change in 1...1000 { writer.schedule(change) }
        writer.flush()
        writer.flush()
        // One at once, and one with the rest.
        let written = writes.withLock { $0 }
        #expect(written.count <= 2 && written.last == 1000)
    }

    @Test func aChangedSubscriptionDoesNotWriteTheKeys() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BondFileStore(directory)
        var bond = bond(2)
        try store.save(bond)
        let before = keys()
        for count in 0..<200 {
            bond.serverState = GATTServerClientState(
                subscriptions: [7: count.isMultiple(of: 2) ? [] : .notifications], clientFeatures: 3,
                databaseHash: Array(0..<16))
            try store.update(bond)
        }
        store.close()
        #expect(before != nil && keys() == before)
        #expect(BondFileStore(directory).bonds == [bond])
        // A later bond of the same devices has a state of its own.
        let new = self.bond(2)
        try store.save(new)
        #expect(store.bonds == [new] && BondFileStore(directory).bonds == [new])
        #expect(throws: RadioError.noBond) { try store.update(bond) }
    }

    @Test func countersNeverGoBack() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = BondFileStore(directory)
        try first.save(bond(2))
        func use(_ store: BondFileStore, _ count: UInt32) throws {
            for _ in 0..<count {
                var bond = try #require(store.bonds.first)
                bond.localSigningKey?.counter += 1
                bond.peerSigningKey?.counter += 2
                try store.update(bond)
            }
        }
        try use(first, 100)
        // This program was killed: the store is not closed.
        let second = BondFileStore(directory)
        let skipped = try #require(second.bonds.first)
        #expect((100...4300).contains(skipped.localSigningKey?.counter ?? 0))
        #expect((200...4300).contains(skipped.peerSigningKey?.counter ?? 0))
        try use(second, 3)
        second.close()
        // Nothing is skipped after a store that was closed.
        let third = BondFileStore(directory)
        #expect(third.bonds.first?.localSigningKey?.counter == (skipped.localSigningKey?.counter ?? 0) + 3)
        // The first program goes on behind the others: it notices that once.
        #expect(throws: RadioError.self) { try use(first, 4096) }
        let counter = try #require(first.bonds.first?.localSigningKey?.counter)
        #expect(counter >= third.bonds.first?.localSigningKey?.counter ?? .max)
        try use(first, 1)
    }

    @Test func aFileOfTheFirstVersionIsRead() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var bond = bond(2)
        bond.localSigningKey?.counter = 9
        let text = String(decoding: try BondFile.bytes([bond], identityKey: .random()), as: UTF8.self)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let old = text.replacingOccurrences(of: "\"version\" : 2", with: "\"version\" : 1")
        #expect(old != text)
        try Data(old.utf8).write(to: URL(fileURLWithPath: directory + "/bonds.json"))
        #expect(BondFileStore(directory).bonds == [bond])
    }

    @Test func bondsHaveALimitAndAnOrderOfUse() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BondFileStore(directory)
        var evicted: [UInt64] = []
        store.onEviction = { evicted.append($0.peerAddress.value) }
        try store.save(bond(100, isAuthenticated: true))
        for number in 101..<UInt64(100 + Bond.limit) { try store.save(bond(number)) }
        try store.update(try #require(store.bonds.first { $0.peerAddress.value == 101 }))
        store.close()
        let again = BondFileStore(directory)
        again.onEviction = { evicted.append($0.peerAddress.value) }
        try again.save(bond(500))
        #expect(evicted == [102])
        #expect(BondFileStore(directory).bonds.count == Bond.limit)
    }

    @Test func forgettingAllRenewsTheIdentityKey() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BondFileStore(directory)
        try store.save(bond(2))
        store.close()
        let address = try SavedBonds.ownAddress(for: "test", in: .directory(directory))
        try SavedBonds.forgetAll(in: .directory(directory))
        let again = BondFileStore(directory)
        #expect(again.bonds.isEmpty && again.identityKey != store.identityKey)
        #expect(try SavedBonds.ownAddress(for: "test", in: .directory(directory)) != address)
        #expect(!FileManager.default.fileExists(atPath: directory + "/bond-use.json"))
        // An open program uses the new key in what it writes.
        store.refresh()
        #expect(store.bonds.isEmpty && store.identityKey == again.identityKey)
    }

    @Test func namesOfDevicesHaveALimit() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = KnownDeviceStore(directory)
        let ids = (0..<1100).map { PeripheralID(BluetoothAddress(value: UInt64($0), kind: .public)) }
        for id in ids {
            store.remember(id, name: "\(id)")
            store.remember(ids[0], name: nil)
        }
        store.close()
        let again = KnownDeviceStore(directory)
        #expect(again.devices.count == 1024 && again.devices[ids[0]] != nil && again.devices[ids[1]] == nil)
        #expect(again.devices == store.devices)
    }
}
