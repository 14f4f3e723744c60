import BluetoothHost
import BluetoothModel

/// Returns a judge of the values of a characteristic. `problem` returns nil for a valid value.
private func eachValue(
    _ uuid: BluetoothUUID, _ problem: @escaping @Sendable ([UInt8]) -> String?
) -> CheckRule.Judge {
    { run in
        let all = run.database.values(of: uuid)
        guard !all.isEmpty else { return .notApplicable("there is no such value to read") }
        return .findings(
            all.compactMap { item in problem(item.bytes).map { CheckFinding($0, handle: item.item.handle, item.bytes) }
            })
    }
}

/// Returns a judge of the declarations of a characteristic. `problem` returns nil for a valid declaration.
private func eachCharacteristic(
    _ uuid: BluetoothUUID,
    _ problem: @escaping @Sendable (CheckDatabase, CheckDatabase.Characteristic) -> String?
) -> CheckRule.Judge {
    { run in
        let all = run.database.all(uuid)
        guard !all.isEmpty else { return .notApplicable("there is no such characteristic") }
        return .findings(
            all.compactMap { item in
                problem(run.database, item).map { CheckFinding($0, handle: item.declaration, item.octets) }
            })
    }
}

extension CheckRule {
    private static func surveyed(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, _ text: String,
        fix: String, judge: @escaping Judge
    ) -> CheckRule {
        CheckRule(id, severity, section, test: test, needs: [.raw, .database], text, fix: fix, judge: judge)
    }

    /// Returns a rule that a characteristic is present exactly once in a service, and is readable.
    private static func present(
        _ id: String, _ uuid: BluetoothUUID, in service: BluetoothUUID, _ section: String, _ what: String
    ) -> CheckRule {
        surveyed(id, .error, section, "\(what) is present once, and is readable.", fix: "Add the characteristic.") {
            run in
            guard run.database.has(service) else { return .notApplicable("there is no service \(service)") }
            let all = run.database.all(uuid, in: service)
            if all.count != 1 {
                return .finding(
                    "\(all.count) characteristics \(uuid)", handle: all.dropFirst().first?.declaration,
                    all.flatMap(\.octets))
            }
            if !all[0].isReadable { return .finding("no property Read", handle: all[0].declaration, all[0].octets) }
            if case .refused(let error)? = run.database.values[all[0].handle] {
                return .finding("reading is refused", handle: all[0].handle, error)
            }
            return .passed
        }
    }

    private static func once(_ id: String, _ uuid: BluetoothUUID, _ section: String, _ what: String) -> CheckRule {
        surveyed(
            id, .error, section, "There is exactly one \(what) service, as a primary service.", fix: "Declare it once."
        ) {
            run in
            let all = run.database.services.filter { $0.uuid == uuid }
            if all.count == 1, all[0].isPrimary { return .passed }
            return .finding("\(all.count) services \(uuid)", handle: all.last?.start, all.flatMap(\.octets))
        }
    }

    static let genericAccessRules: [CheckRule] = [
        once("gap-service", 0x1800, gap + "12", "Generic Access"),
        present("gap-name", 0x2A00, in: 0x1800, gap + "12.1", "The Device Name (2A00)"),
        surveyed(
            "gap-name-utf8", .error, gap + "12.1", "The Device Name is UTF-8.", fix: "Encode the name as UTF-8.",
            judge: eachValue(0x2A00) { String(validating: $0, as: UTF8.self) == nil ? "the name is not UTF-8" : nil }),
        surveyed(
            "gap-name-length", .error, gap + "12.1", "The Device Name has at most 248 octets.",
            fix: "Shorten the name.",
            judge: eachValue(0x2A00) { $0.count > 248 ? "\($0.count) octets" : nil }),
        surveyed(
            "gap-name-empty", .warning, gap + "12.1", "The Device Name is not empty: it is what a person chooses by.",
            fix: "Give the device a name.",
            judge: eachValue(0x2A00) { $0.allSatisfy { $0 == 0 || $0 == 0x20 } ? "no name" : nil }),
        surveyed(
            "gap-name-zero", .warning, gap + "12.1",
            "The Device Name has no zero octets: clients show them, or compare names in vain.",
            fix: "Send the characters of the name alone, not the buffer.",
            judge: eachValue(0x2A00) { $0.contains(0) ? "a zero in the name" : nil }),
        present("gap-appearance", 0x2A01, in: 0x1800, gap + "12.2", "The Appearance (2A01)"),
        surveyed(
            "gap-appearance-length", .error, gap + "12.2", "The Appearance has 2 octets.", fix: "Use a 16-bit number.",
            judge: eachValue(0x2A01) { $0.count == 2 ? nil : "\($0.count) octets" }),
        surveyed(
            "gap-appearance-assigned", .warning, "Assigned Numbers, 2.6", "The category of the Appearance is assigned.",
            fix: "Use an assigned category, or 0 for unknown.",
            judge: eachValue(0x2A01) { bytes in
                guard let value = bytes.u16(0) else { return nil }
                return Appearance(rawValue: value).categoryName == nil ? "the category is not assigned" : nil
            }),
        surveyed(
            "gap-parameters-length", .error, gap + "12.3",
            "Peripheral Preferred Connection Parameters (2A04) have 8 octets.", fix: "Use four 16-bit numbers.",
            judge: eachValue(0x2A04) { $0.count == 8 ? nil : "\($0.count) octets" }),
        surveyed(
            "gap-parameters-interval", .error, gap + "12.3",
            "The preferred intervals are 7.5 ms to 4 s (0x0006 to 0x0C80) or 0xFFFF, and the smaller one comes first.",
            fix: "Correct the range; 0xFFFF states no preference.",
            judge: eachValue(0x2A04) { bytes in
                guard bytes.count == 8, let low = bytes.u16(0), let high = bytes.u16(2) else { return nil }
                let isValid = [low, high].allSatisfy { (6...3200).contains($0) || $0 == 0xFFFF }
                return isValid && (low <= high || low == 0xFFFF) ? nil : "\(low) to \(high)"
            }),
        surveyed(
            "gap-parameters-latency", .error, gap + "12.3", "The preferred latency is at most 499.",
            fix: "Correct the latency.",
            judge: eachValue(0x2A04) { bytes in
                guard bytes.count == 8, let latency = bytes.u16(4) else { return nil }
                return latency <= 499 || latency == 0xFFFF ? nil : "\(latency)"
            }),
        surveyed(
            "gap-parameters-timeout", .error, gap + "12.3",
            "The preferred supervision timeout is 100 ms to 32 s (0x000A to 0x0C80) or 0xFFFF, and longer than twice "
                + "the interval times (latency + 1).", fix: "Lengthen the timeout.",
            judge: eachValue(0x2A04) { bytes in
                guard bytes.count == 8, let high = bytes.u16(2), let latency = bytes.u16(4), let timeout = bytes.u16(6)
                else { return nil }
                if timeout == 0xFFFF { return nil }
                guard (10...3200).contains(timeout) else { return "\(timeout)" }
                guard high != 0xFFFF, latency <= 499 else { return nil }
                return Int(timeout) * 4 > (Int(latency) + 1) * Int(high) ? nil : "\(timeout) is too short"
            }),
        surveyed(
            "gap-address-resolution", .error, gap + "12.4", "Central Address Resolution (2AA6) is one octet, 0 or 1.",
            fix: "Use the value 0 or 1.",
            judge: eachValue(0x2AA6) { $0.count == 1 && $0[0] <= 1 ? nil : "another value" }),
        surveyed(
            "gap-private-only", .error, gap + "12.5", "Resolvable Private Address Only (2AC9) is one octet of value 0.",
            fix: "Use the value 0.", judge: eachValue(0x2AC9) { $0 == [0] ? nil : "another value" }),
        surveyed(
            "gap-duplicates", .error, gap + "12",
            "Each characteristic of the Generic Access service is there at most once.",
            fix: "Remove the repeated characteristic."
        ) { run in
            guard run.database.has(0x1800) else { return .notApplicable("there is no service 1800") }
            let uuids: [BluetoothUUID] = [0x2A04, 0x2AA6, 0x2AC9]
            return .findings(
                uuids.flatMap { uuid in
                    run.database.all(uuid, in: 0x1800).dropFirst().map {
                        CheckFinding("\(uuid) again", handle: $0.declaration, $0.octets)
                    }
                })
        },
    ]

    static let genericAttributeRules: [CheckRule] = [
        once("gatt-service", 0x1801, gatt + "7", "Generic Attribute"),
        surveyed(
            "gatt-changed-properties", .error, gatt + "7.1",
            "Service Changed (2A05) has the property Indicate and no other.", fix: "Set the properties to 0x20.",
            judge: eachCharacteristic(0x2A05) { $1.properties == 0x20 ? nil : "other properties" }),
        surveyed(
            "gatt-changed-configuration", .error, gatt + "7.1",
            "Service Changed has a Client Characteristic Configuration: without it no client learns of a change.",
            fix: "Add the descriptor 2902.",
            judge: eachCharacteristic(0x2A05) { $0.configuration(of: $1) == nil ? "no descriptor 2902" : nil }),
        surveyed(
            "gatt-hash-properties", .error, gatt + "7.3", "Database Hash (2B2A) has the property Read and no other.",
            fix: "Set the properties to 0x02.",
            judge: eachCharacteristic(0x2B2A) { $1.properties == 0x02 ? nil : "other properties" }),
        surveyed(
            "gatt-hash-length", .error, gatt + "7.3", "Database Hash has 16 octets.", fix: "Use the whole AES-CMAC.",
            judge: eachValue(0x2B2A) { $0.count == 16 ? nil : "\($0.count) octets" }),
        CheckRule(
            "gatt-hash-open", .error, gatt + "7.3", test: nil, needs: [.raw, .database],
            "Database Hash can be read without pairing: a client needs it before it may trust its cache.",
            fix: "Permit reading without security."
        ) { run in
            guard let item = run.database.all(0x2B2A).first, item.isReadable else {
                return .notApplicable("there is no Database Hash to read")
            }
            guard case .refused(let error)? = run.database.values[item.handle] else { return .passed }
            return .finding("reading is refused", handle: item.handle, error)
        },
        CheckRule(
            "gatt-hash-value", .error, gatt + "7.3.1", test: "GATT/SR/GAS/BV-02-C", needs: [.raw, .database],
            sends: true,
            "Database Hash is the AES-CMAC of the declarations with a key of zeros. A client with a hash that does not "
                + "change keeps an outdated database permanently.",
            fix: "Compute the hash from the database, again after each change."
        ) { run in try await run.databaseHash() },
        surveyed(
            "gatt-features-properties", .error, gatt + "7.2",
            "Client Supported Features (2B29) has the properties Read and Write.", fix: "Set the properties to 0x0A.",
            judge: eachCharacteristic(0x2B29) { $1.properties == 0x0A ? nil : "other properties" }),
        surveyed(
            "gatt-features-length", .error, gatt + "7.2", "Client Supported Features has at least one octet.",
            fix: "Return a zero octet for a client without features.",
            judge: eachValue(0x2B29) { $0.isEmpty ? "no octet" : nil }),
        surveyed(
            "gatt-features-zero", .error, gatt + "7.2",
            "Client Supported Features are zero for a client that is not bonded and has written nothing.",
            fix: "Keep the value for each client.",
            judge: eachValue(0x2B29) { $0.contains { $0 != 0 } ? "bits that this client did not set" : nil }),
        surveyed(
            "gatt-server-features", .error, gatt + "7.4",
            "Server Supported Features (2B3A) has the property Read, and at least one octet.",
            fix: "Set the properties to 0x02 and return an octet."
        ) { run in
            guard let item = run.database.all(0x2B3A).first else {
                return .notApplicable("there is no such characteristic")
            }
            if item.properties != 0x02 { return .finding("other properties", handle: item.declaration, item.octets) }
            if run.database.values[item.handle]?.bytes?.isEmpty == true {
                return .finding("no octet", handle: item.handle, [])
            }
            return .passed
        },
        surveyed(
            "gatt-caching-complete", .error, gatt + "2.5.2.1",
            "A server with Database Hash or Client Supported Features has both, and Service Changed: robust caching "
                + "needs all three.", fix: "Add what is missing."
        ) { run in
            let uuids: [BluetoothUUID] = [0x2B29, 0x2B2A]
            let have = uuids.filter { !run.database.all($0, in: 0x1801).isEmpty }
            guard !have.isEmpty else { return .notRun("the server does not do robust caching") }
            let missing = (uuids + [0x2A05]).filter { run.database.all($0, in: 0x1801).isEmpty }
            guard let first = missing.first else { return .passed }
            let octets = run.database.all(have[0]).flatMap(\.octets)
            return .finding("there is no \(first)", handle: run.database.all(have[0]).first?.declaration, octets)
        },
    ]
}

extension CheckRun {
    /// Compares the Database Hash with the hash of the discovered database.
    func databaseHash() async throws -> CheckVerdict {
        guard let item = database.all(0x2B2A).first, item.isReadable else {
            return .notApplicable("there is no Database Hash to read")
        }
        guard case .bytes(let hash)? = try await read(item.handle), hash.count == 16 else {
            return .notRun("the hash could not be read")
        }
        var input: [UInt8] = []
        for attribute in database.attributes {
            guard let type = attribute.type.shortValue else { continue }
            switch type {
            case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900:
                guard case .bytes(let value)? = try await read(attribute.handle) else {
                    return .notRun("the declaration at \(hexHandle(attribute.handle)) could not be read")
                }
                input += le(attribute.handle) + le(type) + value
            case 0x2901...0x2905: input += le(attribute.handle) + le(type)
            default: break
            }
        }
        let expected = Array(DatabaseHash.digest(input).reversed())
        if expected == hash { return .passed }
        return .finding("it should be \(expected.hexText())", handle: item.handle, hash)
    }
}
