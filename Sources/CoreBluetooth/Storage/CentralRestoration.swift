import BluetoothBackend
import BluetoothModel
import Foundation

/// What a central manager was doing, for the next run of the program; confined to the loop.
final class CentralRestoration {
    /// What an earlier run left.
    struct Saved: Sendable {
        var devices: [PeripheralID]
        var scan: ScanRequest?
    }

    private struct Content: Codable, Equatable {
        struct Scan: Codable, Equatable {
            var services: [String]
            var solicited: [String]
            var duplicates: Bool
        }
        var version = 1
        var peripherals: [String] = []
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
        return Saved(devices: saved.peripherals.compactMap { PeripheralID($0) }, scan: scan)
    }

    func keep(devices: [PeripheralID]) {
        change { $0.peripherals = devices.map(\.description).sorted() }
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
