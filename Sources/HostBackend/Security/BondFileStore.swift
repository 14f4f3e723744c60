import BluetoothHost
import BluetoothModel

/// The bonds of this user, from one run to the next, in one file that only the user can read.
///
/// The file is replaced as a whole, so that it is the old one or the new one at any time, and read again before, so
/// that programs that run side by side keep each other's bonds. One that cannot be read, or is of a newer version, is
/// left alone; ``problem`` says so, and bonds last as long as the program then. Confined to the loop.
final class BondFileStore: BondStore {
    private let directory: String?
    private(set) var bonds: [Bond] = []
    /// What resolves our own private addresses; the one in the file, once there is a file.
    private(set) var identityKey = SecurityKey.random()
    /// What is wrong with the file; nil where nothing is.
    private(set) var problem: String?
    /// Whether the file is there, and what is in it is not understood.
    private var isUnreadable = false
    /// What is wrong with the file, for who needs it; nil where nothing is.
    var failure: RadioError? {
        problem.map { isUnreadable ? .security(.init(.unreadableBonds, $0)) : .unsupported($0) }
    }
    /// Which state of the file was read last.
    private var seen: PrivateFile.State?
    private var file: PrivateFile? { directory.map { PrivateFile(directory: $0, name: "bonds.json") } }

    /// A store in `directory`; nil for one that forgets.
    init(_ directory: String?) {
        self.directory = directory
        refresh()
    }

    /// Reads the file, where another program changed it.
    func refresh() {
        guard let file, problem == nil, let state = file.state, state != seen else { return }
        do throws(PrivateFile.Failure) {
            try read(try file.contents())
            seen = state
        } catch {
            isUnreadable = true
            problem = "\(error)"
        }
    }

    private func read(_ bytes: [UInt8]) throws(PrivateFile.Failure) {
        let contents = try BondFile.contents(of: bytes, path: file?.path ?? "")
        bonds = contents.bonds
        if let key = contents.identityKey { identityKey = key }
    }

    func save(_ bond: Bond) throws(RadioError) {
        try change { bonds in
            let index = bonds.firstIndex(where: bond.hasSameSides)
            if let index { bonds[index] = bond } else { bonds.append(bond) }
        }
    }

    func remove(local: BluetoothAddress, peer: BluetoothAddress) {
        // Where it cannot be written, ``problem`` says so, and it is forgotten in this program at least.
        try? forget { $0.localAddress == local && $0.peerAddress == peer }
    }

    /// Forgets some bonds.
    func forget(where isForgotten: (Bond) -> Bool) throws(RadioError) {
        try change { $0.removeAll(where: isForgotten) }
    }

    /// Forgets every bond, and replaces a file that is damaged or of another version.
    func reset() throws(RadioError) {
        guard let file else { return bonds = [] }
        bonds = []
        problem = nil
        isUnreadable = false
        do throws(PrivateFile.Failure) {
            try file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: try encoded()) }
        } catch {
            problem = "\(error)"
        }
        seen = file.state
        if let failure { throw failure }
    }

    /// Writes the file where there is none, so that ``identityKey`` is the same in the next run.
    func keepIdentityKey() throws(RadioError) {
        guard let file, file.state == nil else { return }
        try change { _ in }
    }

    /// Checks that what is saved outlives this program, by writing beside the file.
    /// - Throws: why it does not.
    func check() throws(RadioError) {
        guard let file else { throw .unsupported("there is no directory to keep bonds in") }
        refresh()
        if problem == nil {
            do throws(PrivateFile.Failure) {
                try file.whileLocked { () throws(PrivateFile.Failure) in try file.checkReplaceable() }
            } catch {
                problem = "\(error)"
            }
        }
        if let failure { throw failure }
    }

    private func change(_ body: (inout [Bond]) -> Void) throws(RadioError) {
        guard let file else { return body(&bonds) }
        defer { seen = file.state }
        do throws(PrivateFile.Failure) {
            if problem == nil {
                try file.whileLocked { () throws(PrivateFile.Failure) in
                    refresh()
                    body(&bonds)
                    if problem == nil { try file.replace(with: try encoded()) }
                }
            } else {
                body(&bonds)
            }
        } catch {
            body(&bonds)
            problem = "\(error)"
        }
        if let failure { throw failure }
    }

    private func encoded() throws(PrivateFile.Failure) -> [UInt8] {
        try BondFile.bytes(bonds, identityKey: identityKey)
    }
}
