import BluetoothBackend
import BluetoothModel
import Dispatch
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The trust, blocking and aliases that clients have set, and the services of known devices. They are stored across
/// runs where the adapter stores its bonds.
final class DeviceSettings {
    /// The settings of one device.
    struct Values: Codable, Hashable, Sendable {
        var alias: String?
        var isTrusted = false
        var isBlocked = false
        /// The services of a device that is paired or trusted.
        var services: [BluetoothUUID]?
    }

    private struct File: Codable, Sendable {
        var version = 1
        /// By the identifier of the device.
        var devices: [String: Values]
    }

    /// The limit of devices with settings; those of further devices last until the service ends.
    private static let limit = 1024

    private var values: [PeripheralID: Values] = [:]
    private let writer: DelayedWrite<File>?

    /// Reads the settings in a directory; nil for settings that are not stored.
    /// - Parameter interval: the minimum time between two writes; nil for none.
    init(directory: String?, atMostEvery interval: DispatchTimeInterval?) {
        guard let directory else {
            writer = nil
            return
        }
        let file = PrivateFile(directory: directory, name: "bluez-devices.json")
        if file.state != nil {
            guard let bytes = try? file.contents(),
                let stored = try? JSONDecoder().decode(File.self, from: Data(bytes)), stored.version == 1
            else {
                Logger(label: "harald.bluez").warning(
                    "\(file.path) is not a list of devices of version 1; it is not changed")
                writer = nil
                return
            }
            for (id, settings) in stored.devices {
                if let id = PeripheralID(id) { values[id] = settings }
            }
        }
        writer = DelayedWrite(atMostEvery: interval) { Self.write($0, to: file) }
    }

    subscript(_ id: PeripheralID) -> Values {
        get { values[id] ?? Values() }
        set {
            guard newValue != self[id] else { return }
            values[id] = newValue == Values() ? nil : newValue
            guard values.count <= Self.limit else { return }
            let devices = values.map { ($0.key.description, $0.value) }
            writer?.schedule(File(devices: Dictionary(devices) { _, last in last }))
        }
    }

    /// The devices that a client trusts.
    var trusted: [PeripheralID] { values.filter { $0.value.isTrusted }.map(\.key) }

    /// Writes what has not been written yet.
    func close() { writer?.flush() }

    private static func write(_ content: File, to file: PrivateFile) -> String? {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let bytes = [UInt8](try encoder.encode(content))
            try file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: bytes) }
            return nil
        } catch {
            Logger(label: "harald.bluez").warning("trust and aliases of devices are not stored: \(error)")
            return "\(error)"
        }
    }
}
