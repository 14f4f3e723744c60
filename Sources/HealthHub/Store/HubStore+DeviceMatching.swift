import Foundation
import GRDB

/// A device in the store, found for the device of a reading.
struct FoundDevice: Sendable {
    let id: Int64
    /// See ``StoredDeviceRow/seed``.
    let seed: Data
    /// True if rows of other devices may have its readings (``HubStore/relatedSeeds(of:_:)``).
    var hasRelatives = false
    /// True if another device was merged into it now.
    var wasMerged = false
    /// True if it turned out now that other rows may have its readings, or it theirs.
    var hasNewRelatives = false
}

/// A row of the table of devices.
struct StoredDeviceRow {
    let id: Int64
    let device: SubmittedReading.Device
    let mergedInto: Int64?
    let hasAlias, hasRelatives: Bool
    /// The octets that stand for the device in the keys of its readings. They are random, so that the keys of two hubs
    /// differ.
    let seed: Data

    init(_ row: Row) {
        id = row["id"]
        device = SubmittedReading.Device(
            id: row["identifier"], serial: row["serial"], systemID: row["system_id"], address: row["address"],
            model: row["model"], name: row["name"])
        (mergedInto, hasRelatives) = (row["merged_into"], row["relatives"])
        hasAlias = row["alias"] as String? != nil
        seed = row["seed"]
    }
}

extension SubmittedReading.Device {
    /// The attributes that identify a device, the most reliable first.
    fileprivate var identifiers: [String?] { [serial, systemID, address, id] }

    /// Returns the position of the most reliable identifier that is equal; nil if none is.
    fileprivate func match(_ other: Self) -> Int? {
        zip(identifiers, other.identifiers).enumerated().first { $1.0 != nil && $1.0 == $1.1 }?.offset
    }

    /// Returns the stored attributes of the device with those that only this one has, or has in a later form.
    fileprivate func completing(_ own: Self) -> Self {
        Self(
            id: id ?? own.id, serial: own.serial ?? serial, systemID: own.systemID ?? systemID,
            address: address ?? own.address, model: model ?? own.model, name: name ?? own.name)
    }

    /// The attributes in the forms in which people type them.
    fileprivate var typedNames: [String] {
        let addresses = address.map { address in
            [":", "-", ""].map { address.replacingOccurrences(of: ":", with: $0) }
        }
        let systemIDs = systemID.map { [$0, "0x" + $0] }
        let names = [serial, id, name].compactMap { $0 } + valuesOfID + (addresses ?? []) + (systemIDs ?? [])
        return names.flatMap { [$0, $0.lowercased(), $0.uppercased()] }
    }

    /// The number of attributes that are equal.
    fileprivate func agreement(_ other: Self) -> Int {
        var count = zip(identifiers, other.identifiers).count { $0 != nil && $0 == $1 }
        if let model, let otherModel = other.model, Self.isSame(model, otherModel) { count += 1 }
        return count
    }

    /// Returns true if the attributes are those of different devices.
    ///
    /// Different serial numbers or System IDs are different devices. An equal serial number alone is not the same
    /// device, because some manufacturers give all devices the same one: without equal System IDs, another model or
    /// another fixed address is another device. An unknown attribute is no difference.
    fileprivate func isOther(_ other: Self) -> Bool {
        if let serial, let otherSerial = other.serial, serial != otherSerial { return true }
        if let systemID, let otherID = other.systemID {
            // Some gateways send the octets in the order of an EUI-64.
            return systemID != otherID && systemID != FHIRResources.reversed(otherID)
        }
        guard serial != nil, serial == other.serial else { return false }
        if let model, let otherModel = other.model, !Self.isSame(model, otherModel) { return true }
        if let address, let otherAddress = other.address, address != otherAddress {
            return Self.isFixed(address) && Self.isFixed(otherAddress)
        }
        return false
    }

    private static func isSame(_ model: String, _ other: String) -> Bool {
        model.caseInsensitiveCompare(other) == .orderedSame
    }

    /// Returns false for an address that may be a resolvable private one, which changes: its two highest bits are 01
    /// (Core 6.0, volume 6, part B, 1.3.2.2).
    private static func isFixed(_ address: String) -> Bool {
        guard let octet = UInt8(address.prefix(2), radix: 16) else { return false }
        return octet >> 6 != 0b01
    }
}

extension HubStore {
    /// Returns the device with these attributes; creates it if there is none. Unknown attributes of the stored device
    /// are completed, and stored devices that turn out to be one are merged.
    ///
    /// The stored device that agrees in the most reliable attribute (serial number, System ID, address, identifier) is
    /// taken, if no attribute contradicts. If the attributes fit several different devices, the reading belongs to none
    /// of them, but to a device of its own.
    /// - Parameter device: attributes normalised for comparison (``SubmittedReading/Device/trim()``).
    /// - Throws: ``ReadingProblem`` if nothing identifies the device.
    static func device(of device: SubmittedReading.Device, _ db: any StoreConnection) throws -> FoundDevice {
        guard device.identifiers.contains(where: { $0 != nil }) || device.name != nil else {
            throw ReadingProblem(
                "device requires serial, systemID, address, id or name; a System ID or an address of only zeros or "
                    + "ones identifies no device")
        }
        if let found = try known(device, db) { return found }
        if let lock = db.dialect.deviceLock {
            try db.run(lock, [])
            // Another transaction may have added the device since the lookup.
            if let found = try known(device, db) { return found }
        }
        let others = try candidates(device, db)
        try noteRelatives(others, db)
        let seed = newSeed
        let id = try db.insert(
            """
            INSERT INTO device(serial, system_id, address, identifier, model, name, last_contact, relatives, seed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                device.serial, device.systemID, device.address, device.id, device.model, device.name, now,
                !others.isEmpty, seed,
            ])
        return FoundDevice(id: id, seed: seed, hasRelatives: !others.isEmpty, hasNewRelatives: !others.isEmpty)
    }

    /// The ``StoredDeviceRow/seed`` of a new device.
    static var newSeed: Data { Data((0..<16).map { _ in UInt8.random(in: 0...255) }) }

    /// Returns the rows that share an identifier with a device.
    private static func candidates(
        _ device: SubmittedReading.Device, _ db: any StoreConnection
    ) throws -> [StoredDeviceRow] {
        try db.rows(
            """
            SELECT * FROM device WHERE serial = ? OR system_id = ? OR address = ? OR identifier = ? ORDER BY id
            """, [device.serial, device.systemID, device.address, device.id]
        ).map(StoredDeviceRow.init)
    }

    /// Returns the devices that share an identifier, or the name by which they were assigned, with a device.
    static func rootsOfCandidates(_ device: SubmittedReading.Device, _ db: any StoreConnection) throws -> Set<Int64> {
        let rows = try candidates(device, db) + [assignedInAdvance(device, db)].compactMap { $0 }
        if rows.isEmpty, let found = try named(device, isCompleting: false, db) { return [found.id] }
        return Set(rows.map { $0.mergedInto ?? $0.id })
    }

    private static func row(_ id: Int64, _ db: any StoreConnection) throws -> StoredDeviceRow? {
        try db.row("SELECT * FROM device WHERE id = ?", [id]).map(StoredDeviceRow.init)
    }

    /// - Parameter isLocked: true if no other transaction can change devices now.
    private static func known(
        _ device: SubmittedReading.Device, isLocked: Bool = false, _ db: any StoreConnection
    ) throws -> FoundDevice? {
        let rows = try candidates(device, db)
        guard !rows.isEmpty else { return try named(device, db) }
        // A merged device stands for the one into which it was merged.
        var matches: [(row: StoredDeviceRow, rank: Int, agreement: Int)] = []
        for row in rows {
            let rank = row.device.match(device) ?? Int.max
            let agreement = row.device.agreement(device)
            guard let root = try row.mergedInto.map({ try self.row($0, db) }) ?? row else { continue }
            if let index = matches.firstIndex(where: { $0.row.id == root.id }) {
                matches[index].rank = min(matches[index].rank, rank)
                matches[index].agreement = max(matches[index].agreement, agreement)
            } else {
                matches.append((root, rank, agreement))
            }
        }
        let fitting = matches.filter { !$0.row.device.isOther(device) }
            .sorted { ($0.rank, -$0.agreement, $0.row.id) < ($1.rank, -$1.agreement, $1.row.id) }
        guard var best = fitting.first else { return try named(device, db) }
        let equal = fitting.filter { $0.rank == best.rank && $0.agreement == best.agreement }
        if equal.contains(where: { one in equal.contains { one.row.device.isOther($0.row.device) } }) {
            // The attributes fit several devices. The reading belongs to the row of readings that fit all of them.
            let vague = fitting.filter { one in
                !fitting.contains { $0.row.id != one.row.id && one.row.device.isOther($0.row.device) }
            }
            guard let own = vague.first else { return nil }
            best = own
        } else {
            var same = try fitting.dropFirst().map(\.row).filter { other in
                // A row that may just as well be that of another device stays apart.
                let fitsAnother = matches.map(\.row.device).contains {
                    $0.isOther(best.row.device) && $0.match(other.device) != nil && !$0.isOther(other.device)
                }
                return try !fitsAnother && canMerge(other.id, into: best.row.id, db)
            }
            if device.completing(best.row.device) != best.row.device,
                let assigned = try assignedInAdvance(device, db), assigned.id != best.row.id,
                try canMerge(assigned.id, into: best.row.id, db)
            {
                same.append(assigned)
            }
            if !same.isEmpty {
                guard isLocked else {
                    if let lock = db.dialect.storeLock { try db.run(lock, []) }
                    return try known(device, isLocked: true, db)
                }
                for other in same { try merge(other.id, into: best.row.id, db) }
                try complete(best.row, device, db)
                return FoundDevice(id: best.row.id, seed: best.row.seed, hasRelatives: true, wasMerged: true)
            }
        }
        if matches.count > 1 { try noteRelatives(matches.map(\.row), db) }
        // An attribute of a row that stays apart stays with that row.
        var own = device
        for other in fitting.map(\.row) where other.id != best.row.id {
            if other.device.systemID == own.systemID { own.systemID = nil }
            if other.device.address == own.address { own.address = nil }
            if other.device.id == own.id { own.id = nil }
        }
        try complete(best.row, own, db)
        return FoundDevice(
            id: best.row.id, seed: best.row.seed, hasRelatives: best.row.hasRelatives || matches.count > 1,
            hasNewRelatives: matches.count > 1 && matches.contains { !$0.row.hasRelatives })
    }

    /// Finds a device by a text that is an identifier of another kind, or by a name.
    /// - Parameter isCompleting: false to leave the row as it is.
    private static func named(
        _ device: SubmittedReading.Device, isCompleting: Bool = true, _ db: any StoreConnection
    ) throws -> FoundDevice? {
        // A gateway's identifier may be another gateway's serial number. Those of FHIR have their system with them.
        if let text = device.id, device.serial == nil, device.systemID == nil, device.address == nil {
            let ids: [Int64] = try db.values(
                """
                SELECT DISTINCT coalesce(merged_into, id) AS root FROM device
                WHERE serial = ? OR system_id = ? OR address = ?
                """, [text, SubmittedReading.Device.systemID(text), SubmittedReading.Device.address(text)])
            if ids.count == 1, let row = try row(ids[0], db) {
                var device = device
                device.id = nil
                if isCompleting { try complete(row, device, db) }
                return FoundDevice(id: row.id, seed: row.seed, hasRelatives: row.hasRelatives)
            }
        }
        var found = try assignedInAdvance(device, db)?.id
        if found == nil, device.identifiers.allSatisfy({ $0 == nil }) {
            found = try db.value(
                """
                SELECT id FROM device WHERE name = ? AND serial IS NULL AND system_id IS NULL AND address IS NULL
                AND identifier IS NULL AND merged_into IS NULL LIMIT 1
                """, [device.name])
        }
        if found == nil { found = try deviceWithErasedName(device, db) }
        guard let found, let row = try row(found, db) else { return nil }
        let others = try candidates(device, db)
        if !others.isEmpty { try noteRelatives(others + [row], db) }
        if isCompleting { try complete(row, device, db) }
        return FoundDevice(
            id: found, seed: row.seed, hasRelatives: row.hasRelatives || !others.isEmpty,
            hasNewRelatives: !others.isEmpty)
    }

    /// Returns the row of a device that was assigned by one of these attributes before it had sent a reading; nil if
    /// there is none.
    private static func assignedInAdvance(
        _ device: SubmittedReading.Device, _ db: any StoreConnection
    ) throws -> StoredDeviceRow? {
        let names = device.typedNames
        let marks = names.map { _ in "?" }.joined(separator: ",")
        return try db.row("SELECT * FROM device WHERE alias IN (\(marks)) ORDER BY id LIMIT 1", StoreArguments(names))
            .map(StoredDeviceRow.init)
    }

    /// Adds the attributes that the row does not have. A row that has them is not written, and thus not locked.
    private static func complete(
        _ row: StoredDeviceRow, _ device: SubmittedReading.Device, _ db: any StoreConnection
    ) throws {
        guard device.completing(row.device) != row.device || row.hasAlias else { return }
        // Another transaction may have completed the row since it was read.
        try db.run(
            """
            UPDATE device SET serial = coalesce(serial, ?), system_id = coalesce(system_id, ?),
            address = coalesce(?, address), identifier = coalesce(?, identifier), model = coalesce(?, model),
            name = coalesce(?, name), alias = NULL WHERE id = ?
            """,
            [device.serial, device.systemID, device.address, device.id, device.model, device.name, row.id])
    }

    // MARK: Readings of a device in rows of others

    private static func noteRelatives(_ rows: [StoredDeviceRow], _ db: any StoreConnection) throws {
        for row in rows where !row.hasRelatives {
            try db.run("UPDATE device SET relatives = 1 WHERE id = ?", [row.id])
        }
    }

    /// Returns the seeds of the other rows that may have readings of a device: devices that were merged into it, and
    /// rows of readings that may be of this device or of another one.
    static func relatedSeeds(of id: Int64, _ db: any StoreConnection) throws -> [Data] {
        guard let own = try row(id, db) else { return [] }
        var related = try db.rows("SELECT * FROM device WHERE merged_into = ?", [id]).map(StoredDeviceRow.init)
        for device in [own.device] + related.map(\.device) {
            related += try candidates(device, db).filter { other in
                other.id != id && other.mergedInto != id && !other.device.isOther(own.device)
                    && !related.contains { $0.id == other.id }
            }
        }
        return related.map(\.seed)
    }
}
