import BluetoothBackend
import BluetoothModel
import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The devices that this user has connected to, stored across runs in one file that only the user can read.
///
/// A file that cannot be read or written costs the names of devices, nothing else; ``problem`` is the reason.
final class KnownDeviceStore {
    private struct File: Codable {
        var version = 1
        var devices: [Device]
    }

    private struct Device: Codable {
        var id: String
        var name: String?
    }

    /// The limit of devices; beyond it, those used least recently are removed.
    private static let limit = 1024

    private let directory: String?
    /// The devices in the order of use, the latest last.
    private var order: [PeripheralID] = []
    private let writer: DelayedWrite<[KnownPeripheral]>?
    /// Proof of `@exclusivity(unchecked)`: it is replaced as a whole and never mutated in place. The check would cost
    /// time on every report.
    @exclusivity(unchecked) private(set) var devices: [PeripheralID: KnownPeripheral] = [:]
    private(set) var problem: String?

    /// Creates a store in `directory`; nil for one in memory only.
    /// - Parameter interval: the minimum time between two writes; nil for none.
    init(_ directory: String?, atMostEvery interval: DispatchTimeInterval? = .ofStores) {
        self.directory = directory
        writer = directory.map { directory in DelayedWrite(atMostEvery: interval) { Self.write($0, directory) } }
        guard let path = directory.map(Self.path), let data = FileManager.default.contents(atPath: path) else { return }
        guard let file = try? JSONDecoder().decode(File.self, from: data), file.version == 1 else {
            problem = "\(path) is not a list of known devices of version 1; it is not changed"
            return
        }
        let known = file.devices.compactMap { device in
            PeripheralID(device.id).map { ($0, KnownPeripheral(id: $0, address: $0.address, name: device.name)) }
        }
        devices = Dictionary(known) { _, last in last }
        order = known.map(\.0).filter { devices[$0] != nil }
    }

    private static func path(_ directory: String) -> String { directory + "/known-devices.json" }

    /// Adds a device, or replaces its name where there is a new one.
    func remember(_ id: PeripheralID, name: String?) {
        let old = devices[id]
        let new = KnownPeripheral(id: id, address: id.address, name: name ?? old?.name)
        if order.last != id {
            order.removeAll { $0 == id }
            order.append(id)
        }
        guard new != old else { return }
        devices = devices.merging([id: new]) { _, new in new }
        if order.count > Self.limit { devices.removeValue(forKey: order.removeFirst()) }
        // The names are written later: a peer can change its name as often as it likes.
        guard problem == nil else { return }
        writer?.schedule(order.compactMap { devices[$0] })
    }

    /// Writes the devices that have not been written yet.
    func close() { writer?.flush() }

    private static func write(_ known: [KnownPeripheral], _ directory: String) -> String? {
        let list = known.map { Device(id: $0.id.description, name: $0.name) }
        let path = path(directory)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(File(devices: list)).write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return nil
        } catch {
            return "cannot write \(path): \(error)"
        }
    }
}
