import Explorer
import Harald
import TerminalScreen

/// The user's position in the explorer: a page, and input over it. It does not know the model; keys become actions.
struct ExploreView: Sendable {
    enum Page: Hashable, Sendable {
        case devices
        case device(PeripheralID)
        case attribute(PeripheralID, UInt32)
        /// The log, of one device or of all.
        case log(PeripheralID?)
        case help
    }

    enum Tab: Hashable, Sendable { case attributes, advertisement }

    /// The purpose of the line being entered.
    enum Prompt: Hashable, Sendable {
        case filter
        case write(PeripheralID, UInt32, withResponse: Bool, offersBoth: Bool)
        case exportLog(PeripheralID?)
        case clone(PeripheralID)
    }

    /// A sentence at the bottom of the screen.
    struct Message: Hashable, Sendable {
        var text: String
        var isError = false
    }

    /// The pages from the list of devices to the visible one.
    var pages: [Page] = [.devices]
    var tabs: [PeripheralID: Tab] = [:]
    var prompt: Prompt?
    var line = LineEditor()
    /// An error in the entered line, or a preview of its effect; may be empty.
    var lineNote = ""
    var question: PairingRequest?
    var message: Message?

    var filterText = ""
    var filter = DeviceFilter()
    var order = DeviceOrder()
    /// The devices in the order of the list. The order changes only on demand, so that rows do not move while they are
    /// read.
    var placed: [PeripheralID] = []
    var selectedDevice: PeripheralID?
    var writeHistory: [String] = []

    var deviceScroll = ListScroll()
    var treeScroll = ListScroll()
    var fieldScroll = ListScroll()
    var valueScroll = ListScroll()
    var logScroll = ListScroll()
    var helpScroll = ListScroll()
    /// True if the log scrolls to its end as it grows.
    var followsLog = true

    var page: Page { pages.last ?? .devices }

    /// The device of the page, or the one from which it was opened, or the selected device of the list.
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

    /// The tab of a device page: attributes by default once they are discovered or while a link exists.
    func tab(of id: PeripheralID, _ data: ExploreData) -> Tab {
        if let tab = tabs[id] { return tab }
        return data.tree != nil || (data.connection?.phase ?? .disconnected) != .disconnected
            ? .attributes : .advertisement
    }

    /// Sorts the devices of a listing into the order of the list: known devices keep their places, new ones are
    /// appended.
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

    /// The attribute of the selected tree row or of the page.
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
