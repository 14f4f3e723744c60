import BluetoothRuntime
import Foundation
import Harald

/// The list of devices.
extension ExplorerModel {
    /// Returns the devices that match a query, and the number of those that its filter hides.
    package func devices(_ query: DeviceQuery = .init()) -> DeviceListing {
        let found = records.values.sorted { $0.order < $1.order }
        let all = found.map { $0.device(connection: phase(of: $0.peripheral.id)) }
        let shown = query.filter.isEmpty ? all : all.filter(query.filter.shows)
        return DeviceListing(devices: query.order.sorted(shown), hiddenCount: all.count - shown.count)
    }

    /// Returns the list entry of a device; nil if it was not discovered.
    package func device(_ id: PeripheralID) -> ExplorerDevice? { records[id]?.device(connection: phase(of: id)) }

    /// Returns all known data about a device's advertising; nil if it was not discovered.
    package func detail(_ id: PeripheralID) -> DeviceDetail? {
        guard let record = records[id] else { return nil }
        return DeviceDetail(
            device: record.device(connection: phase(of: id)), fields: record.fields, history: record.history.elements,
            rssiHistory: record.rssiHistory.elements)
    }

    /// Returns the latest signal strengths of a device, oldest first.
    package func rssiHistory(_ id: PeripheralID, last count: Int = .max) -> [RSSISample] {
        records[id]?.rssiHistory.suffix(count) ?? []
    }

    /// Marks a device as a favourite, or removes the mark. Favourites are stored in
    /// ``ExplorerSettings/favouritesFile``.
    /// - Throws: ``InputError`` if they cannot be stored.
    package func setFavourite(_ isFavourite: Bool, _ id: PeripheralID) throws(InputError) {
        var marked = favourites
        if isFavourite { marked.insert(id) } else { marked.remove(id) }
        guard marked != favourites else { return }
        try save(marked.map(\.description), in: settings.favouritesFile)
        favourites = marked
        records[id]?.isFavourite = isFavourite
        changed(id)
    }

    /// Gives a device a name of the user's, or removes it. Names are stored in ``ExplorerSettings/aliasesFile``.
    /// - Parameter alias: nil or only white space to remove the name.
    /// - Throws: ``InputError`` if the name is too long or cannot be stored.
    package func setAlias(_ alias: String?, _ id: PeripheralID) throws(InputError) {
        let text = (alias ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard text.utf8.count <= 248 else { throw InputError("a name has at most 248 bytes") }
        var names = aliases
        names[id] = text.isEmpty ? nil : text
        guard names != aliases else { return }
        try save(names.map { "\($0) \($1)" }, in: settings.aliasesFile)
        aliases = names
        records[id]?.alias = names[id]
        changed(id)
    }

    func loadMarks() {
        favourites = Set(Self.lines(of: settings.favouritesFile).compactMap { PeripheralID($0) })
        for line in Self.lines(of: settings.aliasesFile) {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            if parts.count == 2, let id = PeripheralID(parts[0]) { aliases[id] = parts[1] }
        }
    }

    private static func lines(of file: String?) -> [String] {
        guard let file, let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    private func save(_ lines: [String], in file: String?) throws(InputError) {
        guard let file else { return }
        let text = lines.sorted().map { $0 + "\n" }.joined()
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw InputError("cannot store \(file): \(error.localizedDescription)")
        }
    }

    // MARK: Recording advertisements

    func hear(_ found: ScanResult) {
        if !found.isScanResponse { advertisementCount += 1 }
        let (id, date, time) = (found.id, settings.now(), loop.now)
        // Removed from the dictionary during the change, so that its buffers are not copied.
        if var record = records.removeValue(forKey: id) {
            record.note(found, at: date, time)
            records[id] = record
        } else {
            makeRoom()
            records[id] = DeviceRecord(
                found, order: nextOrder, isFavourite: favourites.contains(id), alias: aliases[id], at: date, time)
            nextOrder += 1
        }
        changed(id)
    }

    /// Removes the device with the oldest last advertisement if the limit is reached.
    private func makeRoom() {
        guard records.count >= settings.deviceLimit else { return }
        let candidates = records.values.filter {
            !$0.isFavourite && $0.alias == nil && sessions[$0.peripheral.id] == nil
        }
        guard let oldest = candidates.min(by: { $0.lastHeard < $1.lastHeard }) else { return }
        let id = oldest.peripheral.id
        records[id] = nil
        dirty.remove(id)
        emit(.gone(id))
    }

    /// Schedules an update of the device's list entry for the observers.
    func changed(_ id: PeripheralID) {
        guard records[id] != nil else { return }
        dirty.insert(id)
        guard updateTimer == nil else { return }
        let timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.tellUpdates() } }
        updateTimer = timer
        timer.arm(at: loop.now + settings.updateInterval)
    }

    private func tellUpdates() {
        updateTimer = nil
        let changed = dirty
        dirty.removeAll(keepingCapacity: true)
        guard !observers.isEmpty else { return }
        for id in changed { if let device = device(id) { emit(.device(device)) } }
    }

    /// Returns the connection phase of a device; disconnected if it has no session.
    package func connectionPhase(_ id: PeripheralID) -> ConnectionPhase { phase(of: id) }

    func phase(of id: PeripheralID) -> ConnectionPhase { sessions[id]?.phase ?? .disconnected }
}

extension DeviceOrder {
    /// Sorts devices in this order; the sort is stable.
    package func sorted(_ devices: [ExplorerDevice]) -> [ExplorerDevice] {
        if key == .found { return isAscending ? devices : devices.reversed() }
        return devices.enumerated().sorted { left, right in
            switch compare(left.element, right.element) {
            case .some(let isBefore): isBefore
            case nil: left.offset < right.offset
            }
        }.map(\.element)
    }

    /// Returns nil if both are equal.
    private func compare(_ left: ExplorerDevice, _ right: ExplorerDevice) -> Bool? {
        switch key {
        case .found: nil
        case .name: before((left.alias ?? left.name)?.lowercased(), (right.alias ?? right.name)?.lowercased())
        case .rssi: before(left.rssi, right.rssi)
        case .lastSeen: before(left.lastSeen, right.lastSeen)
        case .interval: before(left.interval, right.interval)
        }
    }

    private func before<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool? {
        switch (left, right) {
        case (nil, nil): nil
        case (_?, nil): true
        case (nil, _?): false
        case (let left?, let right?): left == right ? nil : (left < right) == isAscending
        }
    }
}
