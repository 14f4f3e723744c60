import BluetoothBackend
import BluetoothHost

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values of one bond that change with its use.
struct BondUse: Codable, Equatable {
    /// The position in the order of use: the highest one was used last.
    var lastUse: UInt64
    var server: BondFile.Server?
    /// The counters of signatures; in the file those up to which signatures are reserved.
    var localCounter: UInt32?
    var peerCounter: UInt32?

    init(_ bond: Bond, lastUse: UInt64) {
        self.lastUse = lastUse
        server = bond.serverState.map { .init($0) }
        localCounter = bond.localSigningKey?.counter
        peerCounter = bond.peerSigningKey?.counter
    }

    /// Sets the values of a bond; a counter never decreases.
    func apply(to bond: inout Bond) {
        if let state = server?.value { bond.serverState = state }
        if let localCounter, let counter = bond.localSigningKey?.counter {
            bond.localSigningKey?.counter = max(counter, localCounter)
        }
        if let peerCounter, let counter = bond.peerSigningKey?.counter {
            bond.peerSigningKey?.counter = max(counter, peerCounter)
        }
    }

    /// Raises the counters to those of `other`.
    mutating func raise(to other: BondUse?) {
        localCounter = [localCounter, other?.localCounter].compactMap { $0 }.max()
        peerCounter = [peerCounter, other?.peerCounter].compactMap { $0 }.max()
    }
}

/// The file of the values that change with use, apart from the keys: a client can change them as often as it likes.
///
/// Its entries have no key or address: each is named by a digest of the bond's keys, so that it does not apply to a
/// later bond of the same devices.
struct BondUseFile: Sendable {
    private struct Content: Codable {
        var version = 1
        var uses: [String: BondUse] = [:]
    }

    private let directory: String
    private var file: PrivateFile { PrivateFile(directory: directory, name: "bond-use.json") }

    init(directory: String) { self.directory = directory }

    var state: PrivateFile.State? { file.state }

    /// Returns the name of a bond's entry; nil for a bond without a key.
    static func name(of bond: Bond) -> String? {
        let key = (bond.localKey ?? bond.peerKey)?.key
        return key?.derived(for: "use of \(bond.localAddress) \(bond.peerAddress)").octets.prefix(8).hexText()
    }

    /// Reads the file; empty if there is none.
    /// - Throws: ``PrivateFile/Failure`` if the file is damaged, or has another version.
    func read() throws(PrivateFile.Failure) -> [String: BondUse] {
        guard file.state != nil else { return [:] }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(try file.contents())),
            content.version == 1
        else { throw PrivateFile.Failure("\(file.path) is damaged, or has another version") }
        return content.uses
    }

    /// Replaces entries, and removes those of bonds that do not exist any more. Returns the former entries.
    /// - Parameter change: Returns the new entry for the one in the file.
    /// - Throws: ``PrivateFile/Failure`` if the file cannot be read or written.
    @discardableResult
    func write(
        _ names: [String], _ change: (_ name: String, _ stored: BondUse?) -> BondUse?
    ) throws(PrivateFile.Failure) -> [String: BondUse] {
        var former: [String: BondUse] = [:]
        try file.whileLocked { () throws(PrivateFile.Failure) in
            former = try read()
            let keys = PrivateFile(directory: directory, name: "bonds.json")
            let bonds = try BondFile.contents(of: try keys.contents(), path: keys.path).bonds
            let existing = Set(bonds.compactMap(Self.name))
            var content = Content(uses: former.filter { existing.contains($0.key) })
            for name in names where existing.contains(name) { content.uses[name] = change(name, former[name]) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard content.uses != former else { return }
            guard let data = try? encoder.encode(content) else {
                throw PrivateFile.Failure("the values of bonds cannot be encoded as JSON")
            }
            try file.replace(with: Array(data))
        }
        return former
    }

    /// Removes the file.
    func remove() { try? FileManager.default.removeItem(atPath: file.path) }
}
