import Explorer
import Harald
import TerminalScreen

/// The effects of keys.
extension ExploreView {
    /// Applies a key.
    /// - Parameters:
    ///   - data: the data on the screen.
    ///   - page: the number of visible rows in the list of the page.
    /// - Returns: the requests to the model.
    mutating func apply(_ key: Key, _ data: ExploreData, page rows: Int) -> [ExploreAction] {
        if let question { return apply(key, to: question) }
        if let prompt { return apply(key, to: prompt) }
        message = nil
        if let actions = applyEverywhere(key, data) { return actions }
        switch page {
        case .devices: return applyToList(key, data, rows)
        case .device(let id): return applyToDevice(key, id, data, rows)
        case .attribute(let id, _):
            if valueScroll.apply(key, count: data.values.count, page: rows) { return [] }
            return applyToAttribute(key, id, data)
        case .log(let id): return applyToLog(key, id, data, rows)
        case .help:
            _ = helpScroll.apply(key, count: .max, page: rows)
            return []
        }
    }

    private mutating func applyEverywhere(_ key: Key, _ data: ExploreData) -> [ExploreAction]? {
        switch key {
        case .character("q"): return [.quit]
        case .escape, .left, .backspace:
            if pages.count > 1 {
                pages.removeLast()
            } else if key == .escape, !filter.isEmpty {
                (filterText, filter) = ("", DeviceFilter())
                say("all devices are shown")
            }
            return []
        case .character("?"), .function(1):
            if page == .help { pages.removeLast() } else { open(.help) }
            return []
        case .character("l"):
            guard case .log = page else {
                open(.log(page == .devices || page == .help ? nil : device))
                return []
            }
            return nil
        case .character("o"):
            guard data.radio.state != .poweredOn else { return nil }
            if data.radio.canPowerOn { return [.powerOn] }
            say(data.radio.advice.isEmpty ? "the adapter cannot be switched on from here" : data.radio.advice)
            return []
        default: return nil
        }
    }

    // MARK: The list

    private mutating func applyToList(_ key: Key, _ data: ExploreData, _ rows: Int) -> [ExploreAction] {
        if deviceScroll.apply(key, count: data.devices.count, page: rows) {
            let index = deviceScroll.selected
            selectedDevice = data.devices.indices.contains(index) ? data.devices[index].id : nil
            return []
        }
        switch key {
        case .character("/"):
            ask(for: .filter, LineEditor(filterText), note: DeviceFilter.forms)
        case .character("s"):
            let keys = DeviceOrder.Key.allCases
            let next = ((keys.firstIndex(of: order.key) ?? 0) + 1) % keys.count
            order = DeviceOrder(keys[next])
            placed = []
            say("sorted \(order.key.words); new devices are added at the end until s sorts again")
        case .character(" "): return [.setScanning(!data.isScanning)]
        case .enter, .right:
            if let selectedDevice { open(.device(selectedDevice)) }
        default:
            if let id = selectedDevice { return applyToAnyDevice(key, id, data) }
        }
        return []
    }

    private mutating func applyToAnyDevice(_ key: Key, _ id: PeripheralID, _ data: ExploreData) -> [ExploreAction] {
        switch key {
        case .character("c"):
            let phase = data.connection?.phase ?? .disconnected
            if phase == .disconnected {
                if page == .devices { open(.device(id)) }
                tabs[id] = nil
                return [.connect(id, reconnects: false)]
            }
            return [.disconnect(id)]
        case .character("C"):
            let report = data.connection
            if (report?.phase ?? .disconnected) == .disconnected {
                if page == .devices { open(.device(id)) }
                tabs[id] = nil
            }
            return [.connect(id, reconnects: !(report?.reconnects ?? false))]
        case .character("f"):
            guard let device = data.detail?.device, device.id == id else { return [] }
            return [.setFavourite(id, !device.isFavourite)]
        default: return []
        }
    }

    // MARK: A device

    private mutating func applyToDevice(
        _ key: Key, _ id: PeripheralID, _ data: ExploreData, _ rows: Int
    ) -> [ExploreAction] {
        let tab = tab(of: id, data)
        if tab == .attributes {
            if treeScroll.apply(key, count: data.treeRows.count, page: rows) { return [] }
        } else if fieldScroll.apply(key, count: .max, page: rows) {
            return []
        }
        switch key {
        case .tab, .backTab: tabs[id] = tab == .attributes ? .advertisement : .attributes
        case .enter, .right:
            if let handle = attribute(data)?.handle { open(.attribute(id, handle)) }
        case .character("p"):
            guard isConnected(data) else { return [] }
            return [.pair(id)]
        case .character("R"):
            guard isConnected(data) else { return [] }
            tabs[id] = .attributes
            return [.readAll(id)]
        case .character("x"):
            guard isConnected(data) else { return [] }
            // Without dashes at the ends: a name such as `-x` would be taken for an option of a command.
            let words = (data.detail?.device.title ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
            let name = words.isEmpty ? "device" : words.joined(separator: "-")
            ask(for: .clone(id), LineEditor(name + ".yaml"), note: "a device file for 'harald simulate'")
        default:
            let actions = applyToAnyDevice(key, id, data)
            return actions.isEmpty ? applyToAttribute(key, id, data) : actions
        }
        return []
    }

    private mutating func isConnected(_ data: ExploreData) -> Bool {
        if data.connection?.phase == .connected { return true }
        say("the device is not connected; c connects it")
        return false
    }

    // MARK: An attribute

    private mutating func applyToAttribute(_ key: Key, _ id: PeripheralID, _ data: ExploreData) -> [ExploreAction] {
        let (isRead, isWrite) = (key == .character("r"), key == .character("w") || key == .character("W"))
        guard isRead || isWrite || key == .character("n") else {
            return page == .devices || ![.character("c"), .character("C")].contains(key)
                ? [] : applyToAnyDevice(key, id, data)
        }
        guard isConnected(data) else { return [] }
        guard let row = attribute(data), let handle = row.handle else {
            say("select a characteristic or a descriptor first")
            return []
        }
        let title = row.name ?? row.uuid.description
        if isRead {
            if !row.isReadable {
                say("\(title) is not readable" + (row.isSubscribable ? "; n subscribes" : ""))
                return []
            }
            return [.read(id, handle)]
        }
        if isWrite {
            let (withResponse, withoutResponse) = row.writes
            guard withResponse || withoutResponse else {
                say("\(title) is not writable")
                return []
            }
            let both = withResponse && withoutResponse
            let acknowledged = withResponse && !(key == .character("W") && both)
            ask(
                for: .write(id, handle, withResponse: acknowledged, offersBoth: both), LineEditor(history: writeHistory)
            )
            noteWrite()
            return []
        }
        guard row.isSubscribable else {
            say("\(title) neither notifies nor indicates")
            return []
        }
        return [row.isSubscribed ? .unsubscribe(id, handle) : .subscribe(id, handle)]
    }

    // MARK: The log

    private mutating func applyToLog(
        _ key: Key, _ id: PeripheralID?, _ data: ExploreData, _ rows: Int
    ) -> [ExploreAction] {
        if logScroll.apply(key, count: data.log.count, page: rows) {
            followsLog = logScroll.selected >= data.log.count - 1
            return []
        }
        switch key {
        case .character("e"):
            ask(
                for: .exportLog(id), LineEditor("harald-log.jsonl"),
                note: "JSON Lines, or CSV if the name ends in .csv")
        case .character("a"):
            pages[pages.count - 1] = .log(id == nil ? device : nil)
            followsLog = true
        default: break
        }
        return []
    }
}

extension DeviceOrder.Key {
    /// The order, as it follows "sorted": "by signal".
    var words: String {
        switch self {
        case .found: "in the order found"
        case .name: "by name"
        case .rssi: "by signal"
        case .lastSeen: "by the latest advertisement"
        case .interval: "by advertising interval"
        }
    }
}
