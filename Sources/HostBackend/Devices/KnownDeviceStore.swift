import BluetoothBackend
import BluetoothModel

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

    private let directory: String?
    /// Proof of `@exclusivity(unchecked)`: it is replaced as a whole and never mutated in place. The check would cost
    /// time on every report.
    @exclusivity(unchecked) private(set) var devices: [PeripheralID: KnownPeripheral] = [:]
    private(set) var problem: String?
    private var path: String? { directory.map { $0 + "/known-devices.json" } }

    /// Creates a store in `directory`; nil for one in memory only.
    init(_ directory: String?) {
        self.directory = directory
        guard let path, let data = FileManager.default.contents(atPath: path) else { return }
        guard let file = try? JSONDecoder().decode(File.self, from: data), file.version == 1 else {
            problem = "\(path) is not a list of known devices of version 1; it is not changed"
            return
        }
        let known = file.devices.compactMap { device in
            PeripheralID(device.id).map { ($0, KnownPeripheral(id: $0, address: $0.address, name: device.name)) }
        }
        devices = Dictionary(known) { _, last in last }
    }

    /// Adds a device, or replaces its name where there is a new one.
    func remember(_ id: PeripheralID, name: String?) {
        let old = devices[id]
        let new = KnownPeripheral(id: id, address: id.address, name: name ?? old?.name)
        guard new != old else { return }
        devices = devices.merging([id: new]) { _, new in new }
        save()
    }

    private func save() {
        guard let directory, let path, problem == nil else { return }
        let list = devices.values.sorted { $0.id < $1.id }
            .map { Device(id: $0.id.description, name: $0.name) }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(File(devices: list)).write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            problem = "cannot write \(path): \(error)"
        }
    }
}
