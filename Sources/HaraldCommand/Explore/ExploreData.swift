import Explorer
import Foundation
import Harald

/// A snapshot of the data for the explorer's screen.
struct ExploreData: Sendable {
    var now = Date.now
    var page = ExploreView.Page.devices
    var adapter = ""
    var radio: RadioReport
    var isScanning = false
    /// The devices that match the filter, in the order of the list.
    var devices: [ExplorerDevice] = []
    var hiddenCount = 0
    /// The latest signal strengths of the visible devices.
    var strengths: [PeripheralID: [RSSISample]] = [:]
    /// The device of the page, or the selected device of the list.
    var detail: DeviceDetail?
    var connection: ConnectionReport?
    var tree: TreeReport?
    /// The values of the page's attribute, oldest first, and the number of older values that were dropped.
    var values: [ValueReport] = []
    var droppedValues = 0
    /// The log entries of the page, oldest first, and the number of older entries that were dropped.
    var log: [LogEntry] = []
    var droppedEntries = 0
    /// The operations in progress.
    var running: [String] = []

    init(radio: RadioReport) { self.radio = radio }

    var treeRows: [ExploreTreeRow] { tree.map(ExploreTreeRow.rows) ?? [] }

    func row(handle: UInt32) -> ExploreTreeRow? { treeRows.first { $0.handle == handle } }
}

enum ExploreTreeRow: Hashable, Sendable {
    case service(DeviceTree.Service)
    case characteristic(DeviceTree.Characteristic, TreeReport.Use?, service: String)
    case descriptor(DeviceTree.Descriptor, characteristic: String)

    /// The rows of a tree, in order.
    static func rows(_ report: TreeReport) -> [ExploreTreeRow] {
        var rows: [ExploreTreeRow] = []
        for service in report.tree.services {
            rows.append(.service(service))
            let serviceTitle = service.name ?? service.uuid.description
            for characteristic in service.characteristics {
                rows.append(.characteristic(characteristic, report.uses[characteristic.handle], service: serviceTitle))
                let title = characteristic.name ?? characteristic.uuid.description
                for descriptor in characteristic.descriptors {
                    rows.append(.descriptor(descriptor, characteristic: title))
                }
            }
        }
        return rows
    }

    /// The attribute handle; nil for a service.
    var handle: UInt32? {
        switch self {
        case .service: nil
        case .characteristic(let characteristic, _, _): characteristic.handle
        case .descriptor(let descriptor, _): descriptor.handle
        }
    }

    var uuid: BluetoothUUID {
        switch self {
        case .service(let service): service.uuid
        case .characteristic(let characteristic, _, _): characteristic.uuid
        case .descriptor(let descriptor, _): descriptor.uuid
        }
    }

    var name: String? {
        switch self {
        case .service(let service): service.name
        case .characteristic(let characteristic, _, _): characteristic.name
        case .descriptor(let descriptor, _): descriptor.name
        }
    }

    var value: ValueText? {
        switch self {
        case .service: nil
        case .characteristic(let characteristic, _, _): characteristic.value
        case .descriptor(let descriptor, _): descriptor.value
        }
    }

    private func offers(_ names: Set<String>) -> Bool {
        guard case .characteristic(let characteristic, _, _) = self else { return false }
        return !names.isDisjoint(with: characteristic.properties)
    }

    /// True if the attribute declares that it can be read. Descriptors make no declaration and count as readable.
    var isReadable: Bool {
        if case .descriptor = self { return true }
        return offers(["read"])
    }

    /// The permitted kinds of write: with response, and without.
    var writes: (withResponse: Bool, withoutResponse: Bool) {
        // The library itself writes the Client Characteristic Configuration; the key n subscribes.
        if case .descriptor(let descriptor, _) = self { return (descriptor.uuid != 0x2902, false) }
        return (offers(["write"]), offers(["writeWithoutResponse"]))
    }

    /// True if the characteristic notifies or indicates.
    var isSubscribable: Bool { offers(["notify", "indicate"]) }

    /// True while this viewer is subscribed.
    var isSubscribed: Bool {
        if case .characteristic(_, let use, _) = self { return use?.isOwn ?? false }
        return false
    }
}

extension ValueText {
    /// The value in one line: its fields, else its text, else its bytes.
    var meaning: String { fields?.text ?? text.map { "\"\($0)\"" } ?? hex }
}
