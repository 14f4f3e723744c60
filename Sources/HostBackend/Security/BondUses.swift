import BluetoothBackend
import BluetoothHost
import BluetoothModel
import Dispatch

/// The values of all bonds that change with use: at hand in memory, and written to their file some time after they
/// changed. Confined to the loop.
///
/// Counters of signatures are reserved ahead: before one is used, the file has a higher one. After a program that ended
/// without ``close()``, the reserved rest is skipped, so that no counter is used or accepted twice.
final class BondUses {
    /// The number of counters that are reserved at first. Each further reservation is twice as large, up to the limit.
    private static let reservation: UInt32 = 64, reservationLimit: UInt32 = 4096

    private let file: BondUseFile?
    private let writer: DelayedWrite<[String: BondUse]>?
    private var uses: [String: BondUse] = [:]
    /// The counters in the file.
    private var reserved: [String: BondUse] = [:]
    private var sizes: [String: UInt32] = [:]
    /// The entries that this program changed.
    private var changed: Set<String> = []
    private var seen: PrivateFile.State?

    init(_ directory: String?, atMostEvery interval: DispatchTimeInterval?) {
        file = directory.map { BondUseFile(directory: $0) }
        writer = file.map { file in
            DelayedWrite(atMostEvery: interval) { changes in
                do throws(PrivateFile.Failure) {
                    try file.write(Array(changes.keys)) { name, stored in
                        var use = changes[name]
                        use?.raise(to: stored)
                        return use
                    }
                    return nil
                } catch {
                    return "\(error)"
                }
            }
        }
        try? refresh()
    }

    /// The problem of the last write; nil if there is none.
    var problem: String? { writer?.problem }

    /// Reads the file if another program changed it.
    /// - Throws: ``PrivateFile/Failure`` if the file is damaged.
    func refresh() throws(PrivateFile.Failure) {
        guard let file, let state = file.state, state != seen else { return }
        let stored = try file.read()
        for (name, use) in stored where !changed.contains(name) { (uses[name], reserved[name]) = (use, use) }
        seen = state
    }

    /// Sets the values of a bond that was read.
    func apply(to bond: inout Bond) { BondUseFile.name(of: bond).flatMap { uses[$0] }?.apply(to: &bond) }

    /// Returns bonds in the order of use, the least recently used first.
    func ordered(_ bonds: [Bond]) -> [Bond] {
        bonds.map { ($0, BondUseFile.name(of: $0).flatMap { uses[$0]?.lastUse } ?? 0) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Records the values of a bond that was used.
    /// - Throws: ``PrivateFile/Failure`` if a counter cannot be reserved.
    func note(_ bond: Bond) throws(PrivateFile.Failure) {
        guard let name = BondUseFile.name(of: bond) else { return }
        let last = uses.values.lazy.map(\.lastUse).max() ?? 0
        let isLast = uses[name].map { $0.lastUse == last && last > 0 } ?? false
        let use = BondUse(bond, lastUse: isLast ? last : last + 1)
        guard use != uses[name] else { return }
        if let file, let missing = reservation(for: use, name) { try reserve(missing, name, file) }
        uses[name] = use
        changed.insert(name)
        writer?.schedule(uses.filter { changed.contains($0.key) })
    }

    /// Returns the counters to reserve for an entry; nil if those of the file suffice.
    private func reservation(for use: BondUse, _ name: String) -> BondUse? {
        let (local, peer) = (reserved[name]?.localCounter ?? 0, reserved[name]?.peerCounter ?? 0)
        guard use.localCounter ?? 0 > local || use.peerCounter ?? 0 > peer else { return nil }
        let size = sizes[name] ?? Self.reservation
        sizes[name] = min(size * 2, Self.reservationLimit)
        var next = use
        func ahead(_ counter: UInt32?, _ stored: UInt32) -> UInt32? {
            counter.map { $0 > stored ? ($0 > .max - size ? .max : $0 + size) : stored }
        }
        (next.localCounter, next.peerCounter) = (ahead(use.localCounter, local), ahead(use.peerCounter, peer))
        return next
    }

    private func reserve(_ next: BondUse, _ name: String, _ file: BondUseFile) throws(PrivateFile.Failure) {
        let former = try file.write([name]) { _, stored in
            var use = next
            use.raise(to: stored)
            return use
        }
        seen = file.state
        let known = reserved[name]
        var written = next
        written.raise(to: former[name])
        reserved[name] = written
        // Another program used the bond in the meantime: continue after its counters.
        if let stored = former[name],
            stored.localCounter ?? 0 > known?.localCounter ?? 0 || stored.peerCounter ?? 0 > known?.peerCounter ?? 0
        {
            uses[name] = stored
            throw PrivateFile.Failure("another program uses the bond")
        }
    }

    /// Writes what has not been written, and returns the counters that were reserved and not used.
    func close() {
        writer?.flush()
        guard let file, !changed.isEmpty else { return }
        let (uses, reserved) = (uses, reserved)
        _ = try? file.write(Array(changed)) { name, stored in
            guard var use = stored else { return uses[name] }
            // The counters of another program stay.
            let isOurs =
                stored?.localCounter == reserved[name]?.localCounter
                && stored?.peerCounter == reserved[name]?.peerCounter
            if isOurs { (use.localCounter, use.peerCounter) = (uses[name]?.localCounter, uses[name]?.peerCounter) }
            return use
        }
        for name in changed { self.reserved[name] = uses[name] }
    }

    /// Removes all values and their file.
    func removeAll() {
        writer?.flush()
        (uses, reserved, sizes, changed, seen) = ([:], [:], [:], [], nil)
        file?.remove()
    }
}
