import BluetoothBackend
import BluetoothHost
import BluetoothModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The attribute caches of devices: in memory for all devices, and across runs for bonded ones, each in its own file
/// that only the user can read. Confined to the loop.
///
/// A cache is used where the device still has the same Database Hash, or guaranteed a bonded client to indicate
/// changes. A file that cannot be read or written costs a discovery, nothing else.
final class BondedCacheStore: GATTCacheStore {
    private let memory = InMemoryGATTCacheStore()
    private let directory: String?
    /// The devices whose file has the same entry as the memory.
    private var kept: Set<PeripheralID> = []

    /// Creates a store in a folder of `directory`; nil for one in memory only.
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

    /// Writes the entry of a bonded device, where its file differs.
    func keep(_ peer: PeripheralID) {
        guard let file = file(peer), let entry = memory.entry(for: peer), !kept.contains(peer) else { return }
        let bytes = entry.encoded
        guard (try? file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: bytes) }) != nil
        else { return }
        kept.insert(peer)
    }
}
