import Adapters
import BluetoothHost
import Foundation
import Harald
import Testing

@testable import HostBackend

/// The file of bonds: its permissions, and its changes.
@Suite struct BondFileStoreTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("harald-bonds-\(UUID().uuidString.prefix(8))").path
    private var path: String { directory + "/bonds.json" }

    private func bond(_ number: UInt64) throws -> Bond {
        var bond = Bond(
            localAddress: BluetoothAddress(value: 1, kind: .public),
            peerAddress: BluetoothAddress(value: number | 0b11 << 46, kind: .random),
            strength: KeyStrength(isAuthenticated: true, isSecureConnections: false, keySize: 16))
        bond.localKey = LongTermKey(key: .random(), diversifier: 0xFFFF, randomNumber: .max)
        bond.peerKey = LongTermKey(key: .random())
        bond.peerIdentityKey = .random()
        bond.peerUsesPrivateAddresses = true
        bond.localSigningKey = SigningKey(key: .random(), counter: .max)
        bond.peerSigningKey = SigningKey(key: .random())
        bond.serverState = GATTServerClientState(
            subscriptions: [7: .notifications], clientFeatures: 3, databaseHash: Array(0..<16))
        return bond
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func bondsRoundTrip() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BondFileStore(directory)
        #expect(store.bonds.isEmpty && !FileManager.default.fileExists(atPath: directory))
        let bonds = try [bond(1), bond(2)]
        for bond in bonds { try store.save(bond) }
        let again = BondFileStore(directory)
        #expect(again.bonds == bonds && again.problem == nil)
        #expect(again.identityKey == store.identityKey)
        again.remove(local: bonds[0].localAddress, peer: bonds[0].peerAddress)
        #expect(BondFileStore(directory).bonds == [bonds[1]])
    }

    /// A peer that distributes no keys of its own leaves a bond with one key.
    @Test func aBondMayHaveFewKeys() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var bond = Bond(
            localAddress: BluetoothAddress(value: 1, kind: .public),
            peerAddress: BluetoothAddress(value: 2, kind: .public),
            strength: KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16))
        bond.peerKey = LongTermKey(key: .random())
        try BondFileStore(directory).save(bond)
        let again = BondFileStore(directory)
        #expect(again.bonds == [bond] && again.problem == nil)
    }

    @Test func onlyTheUserCanReadIt() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = BondFileStore(directory)
        try store.save(try bond(1))
        #expect(try mode(directory) == 0o700)
        #expect(try mode(path) == 0o600)
        // Permissions added for others are removed again.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(BondFileStore(directory).bonds.count == 1)
        #expect(try mode(path) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test(arguments: [#"{"version": 3, "bonds": "in another way"}"#, "{", "", #"{"version": 1, "bonds": [{}]}"#])
    func anUnreadableFileIsNotChanged(_ text: String) throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let store = BondFileStore(directory)
        #expect(store.problem?.contains(path) == true)
        guard case .security(let problem) = store.failure else {
            Issue.record("the file was understood")
            return
        }
        #expect(problem.kind == .unreadableBonds)
        #expect(throws: RadioError.self) { try store.save(try bond(1)) }
        // It lasts as long as the program.
        #expect(store.bonds.count == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
    }

    @Test func leftoversOfAKilledProgramAreIgnored() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try BondFileStore(directory).save(try bond(1))
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        let store = BondFileStore(directory)
        #expect(store.bonds.count == 1)
        try store.save(try bond(2))
        #expect(BondFileStore(directory).bonds.count == 2)
    }

    @Test func concurrentProgramsKeepEachOthersBonds() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (one, other) = (BondFileStore(directory), BondFileStore(directory))
        try one.save(try bond(1))
        try other.save(try bond(2))
        #expect(other.bonds.count == 2)
        one.refresh()
        #expect(one.bonds == other.bonds && one.identityKey == other.identityKey)
    }

    @Test func descriptionsContainNoKeys() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let bond = try bond(1)
        try BondFileStore(directory).save(bond)
        let listed = try StoredBonds(.directory(directory)).bonds
        let key = try #require(bond.peerKey).key.octets
        let text = "\(listed) \(bond) \(String(reflecting: listed))"
        let digits = key.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        #expect(!text.lowercased().contains(digits))
    }
}
