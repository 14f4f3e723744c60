#if Programs
import Explorer
import Harald
import TerminalScreen

/// Where a person is in the explorer: a page, and what is typed over it. Knows no model: keys become actions.
struct ExploreView: Sendable {
    enum Page: Hashable, Sendable {
        case devices
        case device(PeripheralID)
        case attribute(PeripheralID, UInt32)
        /// The log, of one device or of all.
        case log(PeripheralID?)
        case help
    }

    /// What a page of a device shows.
    enum Tab: Hashable, Sendable { case attributes, advertisement }

    /// What a line is typed for.
    enum Prompt: Hashable, Sendable {
        case filter
        case write(PeripheralID, UInt32, withResponse: Bool, offersBoth: Bool)
        case exportLog(PeripheralID?)
        case clone(PeripheralID)
    }

    /// A sentence at the bottom.
    struct Message: Hashable, Sendable {
        var text: String
        var isError = false
    }

    /// Pages from the list of devices to the one in sight.
    var pages: [Page] = [.devices]
    var tabs: [PeripheralID: Tab] = [:]
    var prompt: Prompt?
    var line = LineEditor()
    /// What is wrong with the line, or what will happen; empty where there is nothing to say.
    var lineNote = ""
    var question: PairingRequest?
    var message: Message?

    var filterText = ""
    var filter = DeviceFilter()
    var order = DeviceOrder()
    /// The devices in the order of the list, which changes on demand only: what is read must not jump.
    var placed: [PeripheralID] = []
    var selectedDevice: PeripheralID?
    var writeHistory: [String] = []

    var deviceScroll = ListScroll()
    var treeScroll = ListScroll()
    var fieldScroll = ListScroll()
    var valueScroll = ListScroll()
    var logScroll = ListScroll()
    var helpScroll = ListScroll()
    /// Whether the log shows its end as it grows.
    var followsLog = true

    var page: Page { pages.last ?? .devices }

    /// The device that the page is about or was opened from, or the selected one of the list.
    var device: PeripheralID? {
        for page in pages.reversed() {
            switch page {
            case .device(let id), .attribute(let id, _), .log(let id?): return id
            case .devices: return selectedDevice
            case .log(nil), .help: continue
            }
        }
        return selectedDevice
    }

    /// What a page of a device shows: attributes, once there are any or it is connected.
    func tab(of id: PeripheralID, _ data: ExploreData) -> Tab {
        if let tab = tabs[id] { return tab }
        return data.tree != nil || (data.connection?.phase ?? .disconnected) != .disconnected
            ? .attributes : .advertisement
    }

    /// Puts the devices of a listing in the order of the list: those that are there keep their places, new ones come
    /// at the end.
    mutating func place(_ devices: [ExplorerDevice]) -> [ExplorerDevice] {
        let byID = Dictionary(devices.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        placed.removeAll { byID[$0] == nil }
        let known = Set(placed)
        placed += devices.map(\.id).filter { !known.contains($0) }
        if let selectedDevice, let index = placed.firstIndex(of: selectedDevice) {
            deviceScroll.select(index)
        } else {
            deviceScroll.select(min(deviceScroll.selected, max(0, placed.count - 1)))
            selectedDevice = placed.isEmpty ? nil : placed[deviceScroll.selected]
        }
        return placed.compactMap { byID[$0] }
    }

    /// The attribute that the selected row of the tree, or the page, is about.
    func attribute(_ data: ExploreData) -> ExploreTreeRow? {
        switch page {
        case .attribute(_, let handle): return data.row(handle: handle)
        case .device(let id) where tab(of: id, data) == .attributes:
            let rows = data.treeRows
            return rows.indices.contains(treeScroll.selected) ? rows[treeScroll.selected] : nil
        default: return nil
        }
    }

    mutating func say(_ text: String, isError: Bool = false) { message = Message(text: text, isError: isError) }

    mutating func open(_ page: Page) {
        guard self.page != page else { return }
        pages.append(page)
        valueScroll = ListScroll()
        if case .device = page { (treeScroll, fieldScroll) = (ListScroll(), ListScroll()) }
        if case .log = page { followsLog = true }
        if page == .help { helpScroll = ListScroll() }
    }

    mutating func ask(for prompt: Prompt, _ line: LineEditor, note: String = "") {
        (self.prompt, self.line, lineNote) = (prompt, line, note)
        message = nil
    }
}
#endif
