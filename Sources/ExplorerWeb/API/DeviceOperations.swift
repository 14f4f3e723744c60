import BluetoothModel
import Explorer
import Foundation
import Harald
import Hummingbird
import WebServer

extension ExplorerAPI {
    private static let queryParameters: [APIParameter] = [
        APIParameter(
            name: "filter", text: "A filter as in 'harald explore': part of the name, rssi:-70, named, beacon, ...",
            schema: .text(length: 0...1000)),
        APIParameter(name: "name", text: "Part of the name (case-insensitive).", schema: .text(length: 0...248)),
        APIParameter(name: "rssi", text: "The minimum RSSI, in dBm.", schema: .integer(-127...20)),
        APIParameter(
            name: "service", text: "An advertised service, by UUID or name.", schema: .text(length: 1...64),
            isList: true),
        APIParameter(
            name: "company", text: "The company of the manufacturer data, by number or part of the name.",
            schema: .text(length: 1...128)),
        APIParameter(
            name: "data", text: "A prefix of the manufacturer or service data: 4C 00 02 15, ?? for any byte.",
            schema: .text(pattern: "^(\\* ?)?(([0-9A-Fa-f]{2}|\\?\\?) ?){1,64}\\*?$")),
        APIParameter(name: "connectable", text: "Only devices that are connectable, or that are not.", schema: .flag),
        APIParameter(name: "favourite", text: "Only favourites.", schema: .flag),
        APIParameter(
            name: "sort", text: "The sort key of the list.",
            schema: .choice(DeviceOrder.Key.allCases.map(\.rawValue))),
        APIParameter(name: "order", text: "The direction.", schema: .choice(["ascending", "descending"])),
    ]

    var deviceOperations: [APIOperation] {
        [
            APIOperation(
                method: .get, path: "/api/v1/devices", name: "devices", summary: "The devices in range.",
                tag: "devices",
                query: Self.queryParameters, answer: .json(.named("DeviceList"))
            ) { [self] call in
                let listing = await model.devices(try query(call))
                var devices: [JSONValue] = []
                for device in listing.devices {
                    devices.append(device.json(history: await model.rssiHistory(device.id, last: 60)))
                }
                return .json([
                    "devices": .array(devices), "hidden": .int(listing.hiddenCount),
                    "total": .int(devices.count + listing.hiddenCount),
                ])
            },
            APIOperation(
                method: .get, path: "/api/v1/devices/{id}", name: "device",
                summary: "A device with all advertising fields and its newest advertisements.", tag: "devices",
                answer: .json(.named("DeviceDetail"))
            ) { [self] call in .json(try await detail(try device(call))) },
            APIOperation(
                method: .put, path: "/api/v1/devices/{id}/favourite", name: "setFavourite",
                summary: "Sets whether a device is a favourite.", tag: "devices",
                body: .body(["favourite": .flag], required: ["favourite"]), needsBody: true,
                answer: .json(.named("Device"))
            ) { [self] call in
                let id = try device(call)
                guard await model.device(id) != nil else { throw Problem.noDevice("\(id)") }
                try await model.setFavourite(call.body["favourite"]?.flag ?? true, id)
                guard let device = await model.device(id) else { throw Problem.noDevice("\(id)") }
                return .json(device.json())
            },
            APIOperation(
                method: .put, path: "/api/v1/devices/{id}/alias", name: "setAlias",
                summary: "Gives a device a name; null or an empty text removes it.", tag: "devices",
                body: .body(["alias": APISchema.text(length: 0...248).orNull], required: ["alias"]), needsBody: true,
                answer: .json(.named("Device")), isProtected: true
            ) { [self] call in
                let id = try device(call)
                guard await model.device(id) != nil else { throw Problem.noDevice("\(id)") }
                try await model.setAlias(call.body["alias"]?.string, id)
                guard let device = await model.device(id) else { throw Problem.noDevice("\(id)") }
                return .json(device.json())
            },
            APIOperation(
                method: .get, path: "/api/v1/rssi.csv", name: "rssiHistory",
                summary: "Signal strengths over time, as comma-separated values.", tag: "devices",
                query: [
                    APIParameter(
                        name: "device", text: "Only this device.", schema: Schemas.identifier, isList: true)
                ], answer: .document(type: "text/csv")
            ) { [self] call in .file(Array(try await strengths(call).utf8), type: "text/csv", name: "rssi.csv") },
        ]
    }

    private func query(_ call: APICall) throws -> DeviceQuery {
        var filter = try DeviceFilter(call.value("filter") ?? "", isTyped: true)
        if let name = call.value("name") { filter.name = name }
        if let least = call.value("rssi").flatMap({ Int($0) }) { filter.minimumRSSI = least }
        if let wanted = call.value("connectable") { filter.isConnectable = wanted == "true" }
        if call.value("favourite") == "true" { filter.favouritesOnly = true }
        for text in call.query["service"] ?? [] {
            let uuids = BluetoothUUID(text).map { [$0] } ?? AssignedNumbers.uuids(named: text, kind: .service)
            // An unknown name must match no device.
            filter.services.formUnion(uuids.isEmpty ? [Self.nobody] : uuids)
        }
        if let text = call.value("company") {
            let companies = Self.companies(text)
            guard !companies.isEmpty else { throw InputError("no company is named '\(text)'") }
            filter.companies = Set(companies)
        }
        if let text = call.value("data") { filter.data = try DataPattern(text) }
        let key = call.value("sort").flatMap { DeviceOrder.Key(rawValue: $0) } ?? .found
        return DeviceQuery(
            filter: filter, order: DeviceOrder(key, isAscending: call.value("order").map { $0 == "ascending" }))
    }

    private static let nobody = BluetoothUUID(high: 0, low: 0)

    private static func companies(_ text: String) -> [CompanyIdentifier] {
        if let number = UInt16(decimalOrHex: text) {
            return [CompanyIdentifier(rawValue: number)]
        }
        return AssignedNumbers.companies(containing: text)
    }

    private func detail(_ id: PeripheralID) async throws -> JSONValue {
        guard let detail = await model.detail(id), case .object(var object) = detail.device.json() else {
            throw Problem.noDevice("\(id)")
        }
        object["rssiHistory"] = .array(detail.rssiHistory.map(\.json))
        object["fields"] = .array(
            detail.fields.map { heard in
                [
                    "part": .string(heard.part.rawValue), "name": .string(heard.field.name),
                    "value": .string(heard.field.value),
                    "type": .optional(heard.field.type.map { Int($0.rawValue) }),
                    "hex": .string(heard.field.raw.hexText()), "changed": .optional(heard.changed?.jsonText),
                ]
            })
        object["history"] = .array(
            detail.history.map { heard in
                [
                    "time": .string(heard.time.jsonText), "rssi": .optional(heard.rssi),
                    "hex": .string(heard.bytes.hexText()), "part": .string(heard.part.rawValue),
                ]
            })
        object["values"] = .array(
            detail.device.values.map { value in
                guard case .object(var object) = value.json else { return value.json }
                object["parts"] = .array(ValuePart.parts(of: value.fields).map(\.json))
                return .object(object)
            })
        object["merged"] = .bool(detail.isMerged)
        object["link"] = try await model.connection(id).json
        return .object(object)
    }

    private func strengths(_ call: APICall) async throws -> String {
        var wanted: Set<PeripheralID> = []
        for text in call.query["device"] ?? [] {
            guard let id = PeripheralID(text), await model.device(id) != nil else { throw Problem.noDevice(text) }
            wanted.insert(id)
        }
        var lines = ["time,id,name,rssi"]
        for device in await model.devices().devices where wanted.isEmpty || wanted.contains(device.id) {
            for sample in await model.rssiHistory(device.id) {
                lines.append(
                    "\(sample.time.jsonText),\(device.id),\(CSVText.field(device.name ?? "")),\(sample.rssi)")
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}
