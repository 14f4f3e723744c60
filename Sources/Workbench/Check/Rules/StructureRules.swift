import BluetoothModel

extension CheckRule {
    /// Returns a rule about the structure of the database.
    /// - Parameter needs: ``Needs/raw`` unless the client of an operating system provides all judged attributes.
    private static func structure(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, needs: Needs = .raw,
        _ text: String, fix: String, judge: @escaping @Sendable (CheckDatabase) -> [CheckFinding]?
    ) -> CheckRule {
        CheckRule(id, severity, gatt + section, test: test, needs: needs.union(.database), text, fix: fix) { run in
            judge(run.database).map { .findings($0) } ?? .notApplicable("the database has nothing of this kind")
        }
    }

    /// Returns a rule about each characteristic.
    private static func characteristic(
        _ id: String, _ severity: Severity = .error, _ section: String, needs: Needs = [], _ text: String, fix: String,
        _ problem: @escaping @Sendable (CheckDatabase, CheckDatabase.Characteristic) -> String?
    ) -> CheckRule {
        structure(id, severity, section, needs: needs, text, fix: fix) { database in
            guard !database.characteristics.isEmpty else { return nil }
            return database.characteristics.compactMap { item in
                problem(database, item).map { CheckFinding($0, handle: item.declaration, item.octets) }
            }
        }
    }

    /// Returns a rule about the value of each descriptor of a type.
    private static func descriptor(
        _ id: String, _ severity: Severity = .error, _ type: BluetoothUUID, _ section: String, test: String? = nil,
        needs: Needs = [], _ text: String, fix: String,
        _ problem: @escaping @Sendable (CheckDatabase, UInt16, [UInt8]) -> String?
    ) -> CheckRule {
        structure(id, severity, section, test: test, needs: needs, text, fix: fix) { database in
            let all = database.attributes.filter { $0.type == type }
            guard !all.isEmpty else { return nil }
            return all.compactMap { attribute in
                guard let bytes = database.values[attribute.handle]?.bytes else { return nil }
                return problem(database, attribute.handle, bytes).map {
                    CheckFinding($0, handle: attribute.handle, bytes)
                }
            }
        }
    }

    static let structureRules: [CheckRule] = serviceStructureRules + characteristicStructureRules + descriptorRules

    private static let serviceStructureRules: [CheckRule] = [
        structure(
            "db-service-range", .error, "3.1", "A service ends at or after its declaration.",
            fix: "Correct the end of the group."
        ) { database in
            guard !database.services.isEmpty else { return nil }
            return database.services.filter { $0.end < $0.start }
                .map { CheckFinding("it ends at \(hexHandle($0.end))", handle: $0.start, $0.octets) }
        },
        structure(
            "db-service-overlap", .error, "2.6.2", "Services do not overlap.", fix: "Correct the ends of the groups."
        ) { database in
            guard !database.services.isEmpty else { return nil }
            let all = database.services.sorted { $0.start < $1.start }
            return zip(all, all.dropFirst()).filter { $1.start <= $0.end }.map {
                CheckFinding("service \($1.uuid) begins inside of \($0.uuid)", handle: $1.start, $0.octets + $1.octets)
            }
        },
        structure(
            "db-service-uuid", .warning, "3.1",
            "A service with a UUID on the Bluetooth base is declared with 16 bits: clients ask for that form.",
            fix: "Declare the service with 2 octets."
        ) { database in
            guard !database.services.isEmpty else { return nil }
            return database.services.filter { $0.width == 16 && $0.uuid.shortValue != nil }
                .map { CheckFinding("\($0.uuid) with 16 octets", handle: $0.start, $0.octets) }
        },
        structure(
            "db-secondary-included", .warning, "2.6.2",
            "A secondary service is included by another: it has no meaning on its own.",
            fix: "Include it, or make it a primary service."
        ) { database in
            let all = database.services.filter { !$0.isPrimary }
            guard !all.isEmpty else { return nil }
            let included = Set(database.includes.compactMap { $0.octets.u16(0) })
            return all.filter { !included.contains($0.start) }
                .map { CheckFinding("\($0.uuid) is not included", handle: $0.start, $0.octets) }
        },
        structure(
            "db-include-target", .error, "3.2",
            "An include names a service of the database: its handle, its end, and its UUID if that has 16 bits.",
            fix: "Take the values from the included service."
        ) { database in
            guard !database.includes.isEmpty else { return nil }
            return database.includes.compactMap { include in
                let octets = include.octets
                let target = database.services.first { $0.start == octets.u16(0) }
                let uuid = octets.count == 6 ? Array(octets[4...]).uuid : nil
                if let target, target.end == octets.u16(2) || target.end == 0xFFFF,
                    target.width == 16 ? uuid == nil || uuid == target.uuid : uuid == target.uuid
                {
                    return nil
                }
                return CheckFinding("no such service", handle: include.handle, octets)
            }
        },
        structure(
            "db-include-self", .error, "3.2", "A service does not include itself.", fix: "Remove the include."
        ) { database in
            guard !database.includes.isEmpty else { return nil }
            return database.includes
                .filter { database.services[$0.service].start == $0.octets.u16(0) }
                .map { CheckFinding("the service includes itself", handle: $0.handle, $0.octets) }
        },
        structure(
            "db-include-order", .error, "3.2", "Includes come before the characteristics of a service.",
            fix: "Move the include behind the service declaration."
        ) { database in
            guard !database.includes.isEmpty else { return nil }
            return database.includes.compactMap { include in
                let first = database.characteristics.filter { $0.service == include.service }.map(\.declaration).min()
                guard let first, first < include.handle else { return nil }
                return CheckFinding("a characteristic comes before it", handle: include.handle, include.octets)
            }
        },
        structure(
            "db-orphan", .error, "2.6", "Every attribute is in a service, and after a characteristic or an include.",
            fix: "Put the attribute into a service."
        ) { database in
            guard !database.attributes.isEmpty else { return nil }
            return database.attributes.compactMap { attribute in
                guard let index = database.services.firstIndex(where: { $0.contains(attribute.handle) }) else {
                    return CheckFinding(
                        "\(attribute.type) is in no service", handle: attribute.handle,
                        le(attribute.handle) + attribute.type.octets)
                }
                let isStart = [0x2800, 0x2801, 0x2802, 0x2803].contains(attribute.type.shortValue ?? 0)
                let first = database.characteristics.filter { $0.service == index }.map(\.declaration).min()
                guard !isStart, first ?? 0xFFFF > attribute.handle else { return nil }
                return CheckFinding(
                    "\(attribute.type) belongs to no characteristic", handle: attribute.handle,
                    le(attribute.handle) + attribute.type.octets)
            }
        },
        structure(
            "db-discovery-agrees", .error, "4.7.1",
            "Find Information shows the same declarations as Read By Type and Read By Group Type.",
            fix: "Answer all discoveries from one table."
        ) { database in
            guard !database.attributes.isEmpty else { return nil }
            let seen = Dictionary(
                database.attributes.map { ($0.handle, $0.type) }, uniquingKeysWith: { first, _ in first })
            let services = database.services.compactMap { service -> CheckFinding? in
                let type: BluetoothUUID = service.isPrimary ? 0x2800 : 0x2801
                return seen[service.start] == type
                    ? nil : CheckFinding("the service is not shown", handle: service.start, service.octets)
            }
            let others = database.characteristics.compactMap { item in
                seen[item.declaration] == 0x2803
                    ? nil : CheckFinding("the characteristic is not shown", handle: item.declaration, item.octets)
            }
            let known = Set(database.services.map(\.start) + database.characteristics.map(\.declaration))
            let more = database.attributes
                .filter { [0x2800, 0x2801, 0x2803].contains($0.type.shortValue ?? 0) && !known.contains($0.handle) }
                .map {
                    CheckFinding("only Find Information shows it", handle: $0.handle, le($0.handle) + $0.type.octets)
                }
            return services + others + more
        },
        structure(
            "db-discovery-format", .error, "4.4",
            "The responses of discovery have whole entries of the right length, in the order of handles and inside "
                + "of the "
                + "requested range.", fix: "Correct the response."
        ) { database in
            guard !database.services.isEmpty || !database.faults.isEmpty else { return nil }
            return database.faults.filter { $0.kind != "discovery-end" }.map(\.finding)
        },
        structure(
            "db-discovery-end", .error, "4.4.1",
            "A discovery that finds nothing more ends with Attribute Not Found (0x0A).",
            fix: "Answer with error 0x0A."
        ) { database in
            guard !database.services.isEmpty || !database.faults.isEmpty else { return nil }
            return database.faults.filter { $0.kind == "discovery-end" }.map(\.finding)
        },
    ]

    private static let characteristicStructureRules: [CheckRule] = [
        characteristic(
            "db-value-handle", .error, "3.3.2", needs: .raw,
            "The value immediately follows the declaration of its characteristic.",
            fix: "Use the next handle."
        ) { _, item in Int(item.handle) == Int(item.declaration) + 1 ? nil : "the value is at \(hexHandle(item.handle))"
        },
        characteristic(
            "db-value-in-service", .error, "3.3", needs: .raw,
            "The value is inside of the service of its characteristic.",
            fix: "Correct the end of the service or the handle."
        ) { database, item in
            database.services[item.service].contains(item.handle) ? nil : "the value is at \(hexHandle(item.handle))"
        },
        characteristic(
            "db-value-type", .error, "3.3.2", needs: .raw,
            "The value attribute is there, and its type is the UUID of the declaration.",
            fix: "Use the same UUID in both places."
        ) { database, item in
            guard !database.attributes.isEmpty, database.type(of: item.handle) != item.uuid else { return nil }
            return database.type(of: item.handle).map { "the value has type \($0)" } ?? "there is no such attribute"
        },
        characteristic(
            "db-properties-empty", .warning, "3.3.1.1", "A characteristic has at least one property.",
            fix: "Set the properties, or remove the characteristic."
        ) { _, item in item.properties == 0 ? "no property" : nil },
        characteristic(
            "db-configuration-missing", .error, "3.3.3.3",
            "A characteristic that notifies or indicates has a Client Characteristic Configuration (2902).",
            fix: "Add the descriptor 2902."
        ) { database, item in
            item.sends && !database.attributes.isEmpty && database.configuration(of: item) == nil
                ? "no descriptor 2902" : nil
        },
        characteristic(
            "db-configuration-useless", .warning, "3.3.3.3",
            "A characteristic that neither notifies nor indicates has no Client Characteristic Configuration.",
            fix: "Remove the descriptor, or set the property."
        ) { database, item in
            !item.sends && database.configuration(of: item) != nil ? "a descriptor 2902" : nil
        },
        characteristic(
            "db-configuration-once", .error, "3.3.3.3",
            "A characteristic has at most one Client Characteristic Configuration.", fix: "Remove the second one."
        ) { database, item in
            let count = database.descriptors(0x2902, of: item).count
            return count > 1 ? "\(count) descriptors 2902" : nil
        },
        characteristic(
            "db-broadcast-configuration", .error, "3.3.3.4",
            "A characteristic with the property Broadcast has a Server Characteristic Configuration (2903).",
            fix: "Add the descriptor 2903, or clear the property."
        ) { database, item in
            item.has(0x01) && database.descriptors(0x2903, of: item).isEmpty ? "no descriptor 2903" : nil
        },
        characteristic(
            "db-extended-properties", .error, "3.3.3.1", needs: .raw,
            "A characteristic has Extended Properties (2900) exactly if the property bit 7 is set.",
            fix: "Add the descriptor 2900, or clear the bit."
        ) { database, item in
            let count = database.descriptors(0x2900, of: item).count
            if item.has(0x80), count == 0 { return "no descriptor 2900" }
            if !item.has(0x80), count > 0 { return "a descriptor 2900 without the property" }
            return count > 1 ? "\(count) descriptors 2900" : nil
        },
        characteristic(
            "db-description-once", .error, "3.3.3.2", "A characteristic has at most one User Description (2901).",
            fix: "Remove the second one."
        ) { database, item in
            let count = database.descriptors(0x2901, of: item).count
            return count > 1 ? "\(count) descriptors 2901" : nil
        },
        characteristic(
            "db-description-writable", .error, "3.3.3.2",
            "Writable Auxiliaries (Extended Properties, bit 1) needs a User Description.",
            fix: "Add the descriptor 2901, or clear the bit."
        ) { database, item in
            let bits = database.descriptors(0x2900, of: item).first.flatMap { database.values[$0.handle]?.bytes?.first }
            return (bits ?? 0) & 2 != 0 && database.descriptors(0x2901, of: item).isEmpty ? "no descriptor 2901" : nil
        },
        characteristic(
            "db-format-aggregate", .error, "3.3.3.6",
            "A characteristic with several Presentation Formats (2904) has an Aggregate Format (2905).",
            fix: "Add the descriptor 2905."
        ) { database, item in
            database.descriptors(0x2904, of: item).count > 1 && database.descriptors(0x2905, of: item).isEmpty
                ? "no descriptor 2905" : nil
        },
        characteristic(
            "db-uuid-long", .warning, "3.3.1.3", needs: .raw,
            "A characteristic with a UUID on the Bluetooth base is declared with 16 bits.",
            fix: "Declare it with 2 octets."
        ) { _, item in item.octets.count > 5 && item.uuid.shortValue != nil ? "\(item.uuid) with 16 octets" : nil },
        structure(
            "db-value-length", .error, "3.3.2", needs: [], "A value has at most 512 octets.", fix: "Shorten the value."
        ) { database in
            guard !database.readable.isEmpty else { return nil }
            return database.readable.filter { $0.bytes.count > 512 }
                .map { CheckFinding("\($0.bytes.count) octets", handle: $0.item.handle, Array($0.bytes.suffix(16))) }
        },
    ]

    private static let descriptorRules: [CheckRule] = [
        descriptor(
            "db-extended-value", .error, 0x2900, "3.3.3.1", "Extended Properties are 2 octets with bits 0 and 1 only.",
            fix: "Correct the value."
        ) { _, _, bytes in bytes.count == 2 && bytes[0] & 0xFC == 0 && bytes[1] == 0 ? nil : "another value" },
        descriptor(
            "db-description-utf8", .error, 0x2901, "3.3.3.2", "A User Description is UTF-8.", fix: "Encode it as UTF-8."
        ) { _, _, bytes in String(validating: bytes, as: UTF8.self) == nil ? "not UTF-8" : nil },
        descriptor(
            "db-format-length", .error, 0x2904, "3.3.3.5", test: "GATT/SR/GPA/BV-12-C",
            "A Presentation Format has 7 octets.",
            fix: "Correct the value."
        ) { _, _, bytes in bytes.count == 7 ? nil : "\(bytes.count) octets" },
        descriptor(
            "db-format-type", .error, 0x2904, "3.3.3.5.2", "The format of a Presentation Format is 0x01 to 0x1C.",
            fix: "Use an assigned format."
        ) { _, _, bytes in bytes.count < 7 || (0x01...0x1C).contains(bytes[0]) ? nil : "format \(bytes[0])" },
        descriptor(
            "db-format-unit", .error, 0x2904, "3.3.3.5.4", "The unit of a Presentation Format is assigned.",
            fix: "Use an assigned unit, 0x2700 for none."
        ) { _, _, bytes in
            guard bytes.count == 7, let unit = bytes.u16(2) else { return nil }
            return AssignedNumbers.unitName(BluetoothUUID(unit)) == nil ? "unit \(hexHandle(unit))" : nil
        },
        descriptor(
            "db-format-namespace", .warning, 0x2904, "3.3.3.5.5",
            "The name space of a Presentation Format is 1 (Bluetooth SIG) or 0.", fix: "Use 1."
        ) { _, _, bytes in bytes.count == 7 && bytes[4] > 1 ? "name space \(bytes[4])" : nil },
        descriptor(
            "db-aggregate-value", .error, 0x2905, "3.3.3.6", test: "GATT/SR/GPA/BV-11-C", needs: .raw,
            "An Aggregate Format is a list of handles of Presentation Formats.", fix: "Correct the handles."
        ) { database, _, bytes in
            guard bytes.count >= 4, bytes.count % 2 == 0 else { return "\(bytes.count) octets" }
            let handles = stride(from: 0, to: bytes.count, by: 2).compactMap { bytes.u16($0) }
            return handles.first { database.type(of: $0) != 0x2904 }.map {
                "\(hexHandle($0)) is no Presentation Format"
            }
        },
    ]
}
