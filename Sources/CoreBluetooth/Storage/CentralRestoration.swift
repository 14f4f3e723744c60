import BluetoothBackend
import BluetoothModel
import Foundation

/// The state of a central manager, stored for the next run of the program. Confined to the loop.
final class CentralRestoration {
    /// The state of an earlier run.
    struct Saved: Sendable {
        var devices: [PeripheralID]
        var names: [PeripheralID: String]
        var services: [PeripheralID: [RememberedService]]
        var scan: ScanRequest?
    }

    /// The stored data of a device.
    struct Device {
        var id: PeripheralID
        var name: String?
        var services: [RememberedService]
    }

    private struct Content: Codable, Equatable {
        struct Scan: Codable, Equatable {
            var services: [String]
            var solicited: [String]
            var duplicates: Bool
        }
        var version = 1
        var peripherals: [String] = []
        /// The known names of the devices; nil in a file of an earlier version.
        var names: [String: String]?
        /// The discovered services of the devices; nil in a file of an earlier version.
        var services: [String: [RememberedService]]?
        var scan: Scan?
    }

    private let file: RestorationFile
    private var content = Content()

    init(identifier: String, directory: String) {
        file = RestorationFile(directory: directory, kind: "central", identifier: identifier)
    }

    func load() -> Saved? {
        guard let saved: Content = file.read(), saved.version == 1 else { return nil }
        content = saved
        let scan = saved.scan.map {
            ScanRequest(
                services: $0.services.compactMap { BluetoothUUID($0) },
                solicitedServices: $0.solicited.compactMap { BluetoothUUID($0) }, allowsDuplicates: $0.duplicates)
        }
        guard scan != nil || !saved.peripherals.isEmpty else { return nil }
        return Saved(
            devices: saved.peripherals.compactMap { PeripheralID($0) }, names: Self.byDevice(saved.names),
            services: Self.byDevice(saved.services), scan: scan)
    }

    private static func byDevice<Value>(_ saved: [String: Value]?) -> [PeripheralID: Value] {
        let pairs = (saved ?? [:]).compactMap { id, value in PeripheralID(id).map { ($0, value) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func keep(devices: [Device]) {
        change { content in
            content.peripherals = devices.map(\.id.description).sorted()
            content.names = [:]
            content.services = [:]
            for device in devices {
                content.names?[device.id.description] = device.name
                if !device.services.isEmpty { content.services?[device.id.description] = device.services }
            }
        }
    }

    func keep(scan: ScanRequest?) {
        change { content in
            content.scan = scan.map {
                Content.Scan(
                    services: $0.services.map(\.fullText), solicited: $0.solicitedServices.map(\.fullText),
                    duplicates: $0.allowsDuplicates)
            }
        }
    }

    private func change(_ body: (inout Content) -> Void) {
        let old = content
        body(&content)
        if content != old { file.write(content) }
    }
}
