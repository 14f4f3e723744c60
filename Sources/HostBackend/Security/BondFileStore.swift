import BluetoothBackend
import BluetoothHost
import BluetoothModel
import Dispatch

/// The bonds of this user, stored across runs in one file that only the user can read.
///
/// The file has the keys and is replaced atomically before a pairing is reported. The values that change with use are
/// in a file of their own: see ``BondUses``. Both are read again before each change, so that programs that run side by
/// side keep each other's bonds. A file that cannot be read, or is of a newer version, is not changed; ``problem`` is
/// the reason, and bonds then last as long as the program. Confined to the loop.
final class BondFileStore: BondStore {
    private let directory: String?
    private(set) var bonds: [Bond] = []
    private let uses: BondUses
    /// Called with a bond that was removed to make room for another one.
    var onEviction: (Bond) -> Void = { _ in }
    /// The problem with the file of the values that change with use; nil if there is none.
    var useProblem: String? { uses.problem }
    /// The local identity resolving key; that of the file, once there is one.
    private(set) var identityKey = SecurityKey.random()
    /// The problem with the file; nil if there is none.
    private(set) var problem: String?
    /// True if the file exists and cannot be decoded.
    private var isUnreadable = false
    /// The problem with the file as an error; nil if there is none.
    var failure: RadioError? {
        problem.map { isUnreadable ? .security(.init(.unreadableBonds, $0)) : .unsupported($0) }
    }
    /// The state of the file when it was last read.
    private var seen: PrivateFile.State?
    private var file: PrivateFile? { directory.map { PrivateFile(directory: $0, name: "bonds.json") } }

    /// Creates a store in `directory`; nil for one in memory only.
    /// - Parameter interval: the minimum time between two writes of the values that change with use; nil for none.
    init(_ directory: String?, atMostEvery interval: DispatchTimeInterval? = .ofStores) {
        self.directory = directory
        uses = BondUses(directory, atMostEvery: interval)
        refresh()
    }

    /// Reads the file if another program changed it.
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
        try uses.refresh()
        bonds = contents.bonds
        for index in bonds.indices { uses.apply(to: &bonds[index]) }
        if let key = contents.identityKey { identityKey = key }
    }

    func save(_ bond: Bond) throws(RadioError) {
        var victim: Result<Bond?, RadioError> = .success(nil)
        try change { bonds in
            victim = Result { () throws(RadioError) in try uses.ordered(bonds).victim(for: bond) }
            guard case .success(let victim) = victim else { return }
            if let victim { bonds.removeAll(where: victim.hasSameSides) }
            let index = bonds.firstIndex(where: bond.hasSameSides)
            if let index { bonds[index] = bond } else { bonds.append(bond) }
        }
        if let victim = try victim.get() { onEviction(victim) }
        try note(bond)
    }

    func update(_ bond: Bond) throws(RadioError) {
        guard let index = bonds.firstIndex(where: bond.hasSameSides),
            BondUseFile.name(of: bonds[index]) == BondUseFile.name(of: bond)
        else { throw .noBond }
        do throws(RadioError) {
            try note(bond)
            bonds[index] = bond
        } catch {
            uses.apply(to: &bonds[index])
            throw error
        }
    }

    private func note(_ bond: Bond) throws(RadioError) {
        do throws(PrivateFile.Failure) { try uses.note(bond) } catch { throw .unsupported("\(error)") }
    }

    /// Writes the values that have not been written yet.
    func close() { uses.close() }

    func remove(local: BluetoothAddress, peer: BluetoothAddress) {
        // If the file cannot be written, ``problem`` is set, and the bond is removed at least in this program.
        try? forget { $0.localAddress == local && $0.peerAddress == peer }
    }

    /// Removes the bonds that satisfy `isForgotten`.
    func forget(where isForgotten: (Bond) -> Bool) throws(RadioError) {
        try change { $0.removeAll(where: isForgotten) }
    }

    /// Removes all bonds, renews the local identity resolving key, which the bonded devices have, and replaces a file
    /// that is damaged or of another version.
    func reset() throws(RadioError) {
        identityKey = .random()
        bonds = []
        uses.removeAll()
        guard let file else { return }
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

    /// Writes the file if there is none, so that ``identityKey`` stays the same in the next run.
    func keepIdentityKey() throws(RadioError) {
        guard let file, file.state == nil else { return }
        try change { _ in }
    }

    /// Checks that saved bonds outlive this program, by writing a temporary file in the store's directory.
    /// - Throws: ``RadioError`` with the reason why they do not.
    func check() throws(RadioError) {
        guard let file else { throw .unsupported("there is no directory to store bonds in") }
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
