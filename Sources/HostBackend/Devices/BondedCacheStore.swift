import BluetoothHost
import BluetoothModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What was discovered on devices: of all as long as the program runs, of bonded ones from one run to the next, each in
/// a file of its own that only the user can read. Confined to the loop.
///
/// It is believed where the device has the same Database Hash still, or promised a bonded client to tell of changes. A
/// file that cannot be read or written costs a discovery, nothing else.
final class BondedCacheStore: GATTCacheStore {
    private let memory = InMemoryGATTCacheStore()
    private let directory: String?
    /// Whose entry is in a file as it is in memory.
    private var kept: Set<PeripheralID> = []

    /// A store in a folder of `directory`; nil for one that forgets with the program.
    init(_ directory: String?) { self.directory = directory.map { $0 + "/attributes" } }

    private func file(_ peer: PeripheralID) -> PrivateFile? {
        guard let directory, let address = peer.address else { return nil }
        let digits = address.text.filter { $0 != ":" }
        return PrivateFile(directory: directory, name: "\(address.kind == .public ? "public" : "random")-\(digits)")
    }

    func entry(for peer: PeripheralID) -> GATTCacheEntry? {
        if let entry = memory.entry(for: peer) { return entry }
        guard let file = file(peer), file.state != nil, let bytes = try? file.contents(),
            let entry = bytes.withByteView({ GATTCacheEntry(encoded: $0) })
        else { return nil }
        memory.store(entry, for: peer)
        kept.insert(peer)
        return entry
    }

    func store(_ entry: GATTCacheEntry, for peer: PeripheralID) {
        guard memory.entry(for: peer) != entry else { return }
        memory.store(entry, for: peer)
        kept.remove(peer)
    }

    func remove(for peer: PeripheralID) {
        memory.remove(for: peer)
        kept.remove(peer)
        if let file = file(peer), file.state != nil { try? FileManager.default.removeItem(atPath: file.path) }
    }

    /// Writes what is known of a bonded device, where that is not in its file.
    func keep(_ peer: PeripheralID) {
        guard let file = file(peer), let entry = memory.entry(for: peer), !kept.contains(peer) else { return }
        let bytes = entry.encoded
        guard (try? file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: bytes) }) != nil
        else { return }
        kept.insert(peer)
    }
}
