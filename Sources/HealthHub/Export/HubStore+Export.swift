import BluetoothModel
import Foundation
import GRDB
import JSON

package enum ExportFormat: String, Codable, Sendable, CaseIterable {
    /// One line per quantity (RFC 4180).
    case csv
    /// One reading per line, in the form of `POST /api/v1/readings`.
    case jsonl
    /// FHIR R4 Bundles, one in each line, of a size that `POST /fhir` accepts.
    case fhir
}

/// The numbers of readings of an export.
package struct ExportCount: Sendable, Equatable {
    /// The readings in the file.
    package var written = 0
    /// The readings that the format cannot express: in CSV those without a quantity, in FHIR those without a code.
    package var omitted = 0
}

extension HubStore {
    /// Writes readings to a new file while the hub runs. Readings are processed one at a time, so memory use does not
    /// grow with their number.
    /// - Parameters:
    ///   - person: the person whose readings are exported; nil for all readings, including unassigned ones.
    /// - Throws: ``HubProblem`` for an unknown person, or if the file exists or cannot be written.
    package func export(to path: String, format: ExportFormat, person: Int64?) throws -> ExportCount {
        let file = try NewFile(path)
        do {
            let count = try database.read { db in
                // After a lost connection to a server the export begins again.
                try file.restart()
                if let person { try Self.knownPerson(person, db) }
                return try write(format, person, db) { try file.write($0) }
            }
            try file.close()
            return count
        } catch {
            file.discard()
            throw error
        }
    }

    /// Returns the readings of a person in a format.
    /// - Throws: ``HubProblem`` for an unknown person.
    package func export(_ format: ExportFormat, of person: Int64, by who: String) throws -> [UInt8] {
        var octets: [UInt8] = []
        try database.read { db in
            octets.removeAll()
            try Self.knownPerson(person, db)
            _ = try write(format, person, db) { octets += $0.utf8 }
        }
        try audit(who, "export \(format.rawValue) person \(person)")
        return octets
    }

    /// Returns the latest readings of a person as a Bundle that every hub accepts, at most 1,000 entries; nil for an
    /// unknown person.
    package func fhirBundle(of id: Int64) throws -> JSONValue? {
        try database.read { db in
            guard let person = try Self.person(id, db) else { return nil }
            var readings = try db.rows(
                StoredReading.sql + " WHERE reading.person_id = ? ORDER BY taken DESC LIMIT ?",
                [id, Self.largestBatch]
            ).map(StoredReading.init)
            while true {
                var bundle = FHIRBundle()
                bundle.add(person)
                for reading in readings.reversed() {
                    let judgement = reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
                    bundle.add(reading, person: person, judgement: judgement)
                }
                // The person and the devices are entries too.
                let excess = bundle.entries.count - Self.largestBatch
                guard excess > 0 else { return bundle.resource }
                readings.removeLast(excess)
            }
        }
    }

    private func write(
        _ format: ExportFormat, _ person: Int64?, _ db: any StoreConnection, _ write: (String) throws -> Void
    ) throws -> ExportCount {
        var people: [Int64: Person] = [:]
        var count = ExportCount()
        var bundles = FHIRExport()
        switch format {
        case .csv: try write(CSVExport.header)
        case .jsonl, .fhir: break
        }
        let condition = " WHERE " + (person == nil ? StoredReading.isOriginal : "reading.person_id = ?")
        let arguments: StoreArguments = person.map { [$0] } ?? []
        try db.forEachRow(StoredReading.sql + condition + " ORDER BY reading.id", arguments) { row in
            let reading = StoredReading(row)
            if let id = reading.person, people[id] == nil { people[id] = try Self.person(id, db) }
            let owner = reading.person.flatMap { people[$0] }
            let judgement = reading.measurement.map { assessor.judge($0, of: owner, at: reading.taken) }
            switch format {
            case .csv:
                let lines = CSVExport.lines(reading, judgement)
                for line in lines { try write(line) }
                if lines.isEmpty {
                    count.omitted += 1
                    return
                }
            case .jsonl: try write(reading.submitted.text + "\n")
            case .fhir:
                if FHIRResources.code(of: reading) == nil {
                    count.omitted += 1
                    return
                }
                if let bundle = bundles.add(reading, person: owner, judgement: judgement) { try write(bundle) }
            }
            count.written += 1
        }
        if format == .fhir { try write(bundles.end()) }
        return count
    }
}

extension StoredReading {
    /// The time on the device's clock; nil if it is incomplete. Such a time does not identify a reading, and the octets
    /// contain it.
    fileprivate var completeDeviceTime: String? { deviceTime.flatMap { $0.contains("?") ? nil : $0 } }

    /// The reading in the form in which a gateway sends it, with the additional members `person`, `kind`, `taken` and
    /// `text`. Sent to any hub, it is the same reading: the device's time, the identifier of the gateway or the time of
    /// reception identifies it there as it does here, else `identity`.
    var submitted: JSONValue {
        let decoded = fields.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        let deviceTime = completeDeviceTime
        let isTimed = deviceTime != nil && isClockUsed
        let isDerivable = isTimed || sentID != nil || received != nil || measurement?.isGlucoseContext == true
        return .known([
            "id": sentID.map { .string($0) },
            "device": .known([
                "id": device.identifier.map { .string($0) }, "serial": device.serial.map { .string($0) },
                "systemID": device.systemID.map { .string($0) }, "address": device.address.map { .string($0) },
                "model": device.model.map { .string($0) }, "name": device.name.map { .string($0) },
            ]), "characteristic": characteristic.map { .string($0) }, "hex": hex.map { .string($0) }, "fields": decoded,
            "deviceTime": deviceTime.map { .string($0) }, "clockOffset": clockOffset.map { .decimal("\($0)") },
            "time": .string(received ?? FHIRResources.time(isTimed ? arrived : taken)),
            "gateway": gateway.map { .string($0) }, "simulated": .bool(isSimulated),
            "identity": isDerivable ? nil : .string(key), "retracted": isRetracted ? .bool(true) : nil,
            "person": person.map { .string(String($0)) }, "taken": .string(FHIRResources.time(taken)),
            "kind": measurement.map { .string($0.kind.name) }, "text": measurement.map { .string($0.text) },
        ])
    }
}

/// Divides readings into Bundles that a hub accepts. Each has the resources to which its readings refer.
struct FHIRExport {
    /// The maximum size of the entries, in octets: less than that of a request's body.
    let largestText: Int

    private var bundle = FHIRBundle()
    private var entries: [String] = []
    private var size = 0

    init(largestText: Int = 7 << 19) { self.largestText = largestText }

    /// Adds a reading.
    /// - Returns: the line of the Bundle that is full without it; nil if it was added to the present one.
    mutating func add(_ reading: StoredReading, person: Person?, judgement: Judgement?) -> String? {
        bundle.add(reading, person: person, judgement: judgement)
        let added = bundle.takeEntries().map(\.text)
        let addedSize = added.reduce(0) { $0 + $1.utf8.count + 1 }
        guard !entries.isEmpty,
            entries.count + added.count > HubStore.largestBatch || size + addedSize > largestText
        else {
            entries += added
            size += addedSize
            return nil
        }
        let line = end()
        // The resources to which the reading refers are added again.
        _ = add(reading, person: person, judgement: judgement)
        return line
    }

    /// Returns the line of the present Bundle, and begins another one.
    mutating func end() -> String {
        let line = FHIRBundle.frame.beginning + entries.joined(separator: ",") + FHIRBundle.frame.end + "\n"
        self = FHIRExport(largestText: largestText)
        return line
    }
}

/// Formats lines of comma-separated values.
enum CSVExport {
    static let header =
        "reading,person,name,kind,quantity,value,special,unit,taken,deviceTime,clockOffset,serial,device,gateway,simulated,"
        + "judgement,status\r\n"

    /// Returns the cell of a special value. Another hub may have sent any text; `-INF` is no formula.
    private static func special(_ text: String) -> String {
        HealthMeasurement.isSpecial(text) ? text : CSVText.withoutFormula(text)
    }

    static func lines(_ reading: StoredReading, _ judgement: Judgement?) -> [String] {
        guard let measurement = reading.measurement else { return [] }
        return measurement.quantities.map { quantity in
            [
                String(reading.id), reading.person.map { String($0) } ?? "",
                CSVText.withoutFormula(reading.personName ?? ""),
                measurement.kind.name, quantity.name, quantity.value == nil ? "" : quantity.text,
                quantity.value == nil ? special(quantity.text) : "", CSVText.withoutFormula(quantity.unit),
                FHIRResources.time(reading.taken),
                reading.completeDeviceTime ?? "", reading.clockOffset.map { "\($0)" } ?? "",
                CSVText.withoutFormula(reading.device.serial ?? ""),
                CSVText.withoutFormula(reading.device.name ?? ""), CSVText.withoutFormula(reading.gateway ?? ""),
                reading.isSimulated ? "true" : "false",
                judgement?.code ?? "", reading.isRetracted ? FHIRResources.enteredInError : "final",
            ].map(CSVText.quoted).joined(separator: ",") + "\r\n"
        }
    }
}
