#if Programs
import Explorer
import Foundation
import Harald

/// What the explorer's screen shows, as of the moment in which the model was asked.
struct ExploreData: Sendable {
    var now = Date.now
    /// The page that the model was asked for.
    var page = ExploreView.Page.devices
    /// The adapter in words.
    var adapter = ""
    var radio: RadioReport
    var isScanning = false
    /// The devices that the filter shows, in the order of the list.
    var devices: [ExplorerDevice] = []
    var hiddenCount = 0
    /// The newest signal strengths of the devices in sight.
    var strengths: [PeripheralID: [RSSISample]] = [:]
    /// The device of the page, or the selected one of the list.
    var detail: DeviceDetail?
    var connection: ConnectionReport?
    var tree: TreeReport?
    /// The values of the attribute of the page, the oldest first, and how many older ones were dropped.
    var values: [ValueReport] = []
    var droppedValues = 0
    /// The entries of the log that the page shows, the oldest first, and how many older ones were dropped.
    var log: [LogEntry] = []
    var droppedEntries = 0
    /// Operations that are not finished.
    var running: [String] = []

    init(radio: RadioReport) { self.radio = radio }

    /// The rows of the tree.
    var treeRows: [ExploreTreeRow] { tree.map(ExploreTreeRow.rows) ?? [] }

    /// The attribute with a handle.
    func row(handle: UInt32) -> ExploreTreeRow? { treeRows.first { $0.handle == handle } }
}

/// A line of the tree of attributes.
enum ExploreTreeRow: Hashable, Sendable {
    case service(DeviceTree.Service)
    case characteristic(DeviceTree.Characteristic, TreeReport.Use?, service: String)
    case descriptor(DeviceTree.Descriptor, characteristic: String)

    /// The rows of a tree in its order.
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

    /// The handle of what can be read or written; nil for a service.
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

    /// Whether it says that it can be read; descriptors do not say.
    var isReadable: Bool {
        if case .descriptor = self { return true }
        return offers(["read"])
    }

    /// How it can be written: with response, and without.
    var writes: (withResponse: Bool, withoutResponse: Bool) {
        // The library writes a client characteristic configuration itself: n does it.
        if case .descriptor(let descriptor, _) = self { return (descriptor.uuid != 0x2902, false) }
        return (offers(["write"]), offers(["writeWithoutResponse"]))
    }

    /// Whether it sends values by itself.
    var isSubscribable: Bool { offers(["notify", "indicate"]) }

    /// Whether this screen is subscribed.
    var isSubscribed: Bool {
        if case .characteristic(_, let use, _) = self { return use?.isOwn ?? false }
        return false
    }
}

extension ValueText {
    /// What the value means, in one line: its fields, else its text, else its bytes.
    var meaning: String { fields?.text ?? text.map { "\"\($0)\"" } ?? hex }
}
#endif
