import BluetoothBackend
import BluetoothHost
import BluetoothModel
import HostBackend

extension FuzzTarget {
    /// A file of bonds: a valid file is unchanged after it was read, written and read again, and no key is truncated.
    static let bonds = FuzzTarget(
        "bonds", "files of bonds", maximumLength: 2048,
        seeds: {
            let key = SecurityKey(littleEndian: Array(1...16))
            var bond = Bond(
                localAddress: BluetoothAddress(value: 0xC000_0000_0001, kind: .public),
                peerAddress: BluetoothAddress(value: 0xC000_0000_0002, kind: .random),
                strength: KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
            let plain = bond
            bond.localKey = key.map { LongTermKey(key: $0, diversifier: 7, randomNumber: .max) }
            bond.peerIdentityKey = key
            bond.localSigningKey = key.map { SigningKey(key: $0, counter: 3) }
            bond.serverState = GATTServerClientState(
                subscriptions: [11: .notifications], clientFeatures: 3, databaseHash: Array(1...16))
            return [[bond], [plain, bond], []].compactMap { bonds in
                key.flatMap { try? BondFile.bytes(bonds, identityKey: $0) }
            }
        },
        run: { (view) throws(Finding) in
            guard let read = try? BondFile.contents(of: view.array, path: "bonds.json") else { return }
            let key = read.identityKey ?? SecurityKey.random()
            let again: BondFile.Contents
            do throws(PrivateFile.Failure) {
                again = try BondFile.contents(of: try BondFile.bytes(read.bonds, identityKey: key), path: "again")
            } catch {
                throw Finding("parsed bonds cannot be written and parsed again: \(error)")
            }
            try require(again.bonds == read.bonds && again.identityKey == key, "\(read) became \(again)")
            for bond in read.bonds {
                try require((7...16).contains(bond.strength.keySize), "a key of \(bond.strength.keySize) octets")
            }
        })
}
