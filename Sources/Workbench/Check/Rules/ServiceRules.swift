import BluetoothModel
import BluetoothProfiles

extension CheckRule {
    static let serviceRules: [CheckRule] = StandardService.all.flatMap(rules) + particularRules

    private static func service(
        _ id: String, _ severity: Severity = .error, _ service: StandardService, needs: Needs = [.database],
        _ text: String, fix: String, judge: @escaping @Sendable (CheckRun) -> CheckVerdict
    ) -> CheckRule {
        CheckRule(id, severity, service.document, needs: needs, text, fix: fix) { run in
            guard run.database.has(service.uuid) else { return .notApplicable("there is no service \(service.uuid)") }
            return judge(run)
        }
    }

    /// Returns the rules that apply to every service.
    private static func rules(_ service: StandardService) -> [CheckRule] {
        let mandatory = service.items.filter(\.isMandatory).map(\.uuid)
        let names = (mandatory.map(\.description) + (service.oneOf.isEmpty ? [] : ["one of \(service.oneOf[0]), ..."]))
            .joined(separator: ", ")
        var rules: [CheckRule] = []
        if !mandatory.isEmpty || !service.oneOf.isEmpty {
            rules.append(
                Self.service(
                    "\(service.prefix)-mandatory", .error, service,
                    "A \(service.name) service has its mandatory characteristics: \(names).",
                    fix: "Add the characteristic."
                ) { run in
                    var findings: [CheckFinding] = []
                    for (index, found) in run.database.services.enumerated() where found.uuid == service.uuid {
                        let have = Set(run.database.characteristics.filter { $0.service == index }.map(\.uuid))
                        for uuid in mandatory where !have.contains(uuid) {
                            findings.append(CheckFinding("there is no \(uuid)", handle: found.start, found.octets))
                        }
                        if !service.oneOf.isEmpty, have.isDisjoint(with: service.oneOf) {
                            findings.append(CheckFinding("there is none of them", handle: found.start, found.octets))
                        }
                    }
                    return .findings(findings)
                })
        }
        rules.append(
            Self.service(
                "\(service.prefix)-properties", .error, service,
                "The characteristics of a \(service.name) service have the properties of its specification.",
                fix: "Set the mandatory properties, and clear those that are excluded."
            ) { run in
                var findings: [CheckFinding] = []
                for item in run.database.characteristics where run.database.services[item.service].uuid == service.uuid
                {
                    guard let rule = service.items.first(where: { $0.uuid == item.uuid }) else { continue }
                    let missing = rule.must & ~item.properties
                    let excess = item.properties & ~(rule.must | rule.may | 0x80)
                    if missing != 0 {
                        findings.append(
                            CheckFinding(
                                "\(item.uuid) lacks \(Self.names(missing))", handle: item.declaration, item.octets))
                    }
                    if excess != 0 {
                        findings.append(
                            CheckFinding(
                                "\(item.uuid) has \(Self.names(excess))", handle: item.declaration, item.octets))
                    }
                }
                return .findings(findings)
            })
        if service.isSingle {
            rules.append(
                Self.service(
                    "\(service.prefix)-once", .error, service, needs: [.database, .raw],
                    "A device has one \(service.name) service, and each of its characteristics once.",
                    fix: "Remove the second one."
                ) { run in
                    let all = run.database.services.filter { $0.uuid == service.uuid }
                    let more = all.dropFirst().map { CheckFinding("a second service", handle: $0.start, $0.octets) }
                    let items = service.items.flatMap { item in
                        run.database.all(item.uuid, in: service.uuid).dropFirst(all.count)
                            .map { CheckFinding("\($0.uuid) again", handle: $0.declaration, $0.octets) }
                    }
                    return .findings(more + items)
                })
        }
        if service.hasValues {
            rules.append(
                Self.service(
                    "\(service.prefix)-values", .error, service,
                    "The values of a \(service.name) service, read or sent, have the fields of their characteristics.",
                    fix: "Correct the length, the flags or the field that the finding names."
                ) { run in values(of: service, run) })
        }
        return rules
    }

    private static func names(_ bits: UInt8) -> String {
        CharacteristicProperties(rawValue: UInt16(bits)).names.joined(separator: ", ")
    }

    private static func values(of service: StandardService, _ run: CheckRun) -> CheckVerdict {
        var findings: [CheckFinding] = []
        var count = 0
        for item in run.database.characteristics where run.database.services[item.service].uuid == service.uuid {
            guard let type = Profiles.type(of: item.uuid) else { continue }
            let sent = run.values.filter { $0.handle == item.handle && $0.octets.first != 0x23 && $0.mtu > 64 }.prefix(
                20
            )
            .map { Array($0.octets.dropFirst(3)) }
            let read = run.database.bytes(item.handle).map { [$0] } ?? []
            for bytes in read + sent {
                count += 1
                do throws(ValueError) { _ = try type.fields(of: bytes) } catch {
                    findings.append(CheckFinding("\(item.uuid): \(error)", handle: item.handle, bytes))
                    break
                }
            }
        }
        return count == 0 ? .notApplicable("no value of known fields was read or sent") : .findings(findings)
    }

    // MARK: Rules of one service

    /// Returns a rule about the values of a characteristic, read or received.
    private static func value(
        _ id: String, _ severity: Severity = .error, _ uuid: BluetoothUUID, _ section: String, _ text: String,
        fix: String, _ problem: @escaping @Sendable ([UInt8]) -> String?
    ) -> CheckRule {
        CheckRule(id, severity, section, needs: .database, text, fix: fix) { run in
            let items = run.database.all(uuid)
            let all = items.flatMap { item in
                (run.database.bytes(item.handle).map { [$0] } ?? []).map { (item.handle, $0) }
                    + run.values.filter { $0.handle == item.handle && $0.octets.first != 0x23 && $0.mtu > 64 }
                    .map { (item.handle, Array($0.octets.dropFirst(3))) }
            }
            guard !all.isEmpty else { return .notApplicable("no value of \(uuid) was read or sent") }
            return .findings(
                all.compactMap { handle, bytes in problem(bytes).map { CheckFinding($0, handle: handle, bytes) } }
                    .prefix(8).map { $0 })
        }
    }

    /// Returns a rule that the flags of a measurement are declared in the feature characteristic.
    private static func feature(
        _ id: String, _ measurement: BluetoothUUID, _ feature: BluetoothUUID, _ section: String, _ name: String,
        _ bits: [(flag: UInt8, feature: UInt16)]
    ) -> CheckRule {
        CheckRule(
            id, .error, section, needs: .database,
            "The fields of a \(name) Measurement are supported by the \(name) Feature (\(feature)).",
            fix: "Set the bit of the feature, or leave the field out."
        ) { run in
            guard let features = run.database.values(of: feature).first?.bytes.u16(0) else {
                return .notApplicable("there is no \(name) Feature to read")
            }
            let handles = Set(run.database.all(measurement).map(\.handle))
            let all = run.values.filter { handles.contains($0.handle) && $0.octets.count > 3 }
            guard !all.isEmpty else { return .notRun("no \(name) Measurement was sent") }
            for value in all {
                for bit in bits where value.octets[3] & bit.flag != 0 && features & bit.feature == 0 {
                    return .finding("flag \(bit.flag) is no feature", handle: value.handle, value.octets)
                }
            }
            return .passed
        }
    }

    /// Returns a rule that a sensor with certain features has an SC Control Point.
    private static func controlPoint(
        _ id: String, _ feature: BluetoothUUID, in service: BluetoothUUID, _ section: String, _ kind: String,
        needing bits: UInt16
    ) -> CheckRule {
        CheckRule(
            id, .error, section, needs: .database,
            "A \(kind) sensor with a cumulative value, a calibration or several locations has an SC Control Point "
                + "(2A55) to "
                + "set them.", fix: "Add the characteristic, or clear the bits of the feature."
        ) { run in
            guard let (item, bytes) = run.database.values(of: feature).first, let features = bytes.u16(0) else {
                return .notApplicable("there is no \(feature) to read")
            }
            guard features & bits != 0, run.database.all(0x2A55, in: service).isEmpty else { return .passed }
            return .finding("there is no 2A55", handle: item.handle, bytes)
        }
    }

    private static let particularRules: [CheckRule] = [
        value(
            "bas-level-range", .error, 0x2A19, "BAS 1.1, 3.1", "The Battery Level is one octet, 0 to 100 %.",
            fix: "Use percent."
        ) {
            $0.count == 1 && $0[0] <= 100 ? nil : "another value"
        },
        value(
            "hrs-location-range", .error, 0x2A38, "HRS 1.0, 3.2", "The Body Sensor Location is one octet, 0 to 6.",
            fix: "Use an assigned location."
        ) { $0.count == 1 && $0[0] <= 6 ? nil : "another value" },
        value(
            "hrs-contact-flags", .error, 0x2A37, "HRS 1.0, 3.1.1.2",
            "The contact bit of a Heart Rate Measurement is clear unless contact is supported (bits 1 and 2).",
            fix: "Set bit 2 of the flags, or clear bit 1."
        ) { ($0.first ?? 0) & 6 == 2 ? "contact without support" : nil },
        value(
            "hrs-flags-reserved", .error, 0x2A37, "HRS 1.0, 3.1.1",
            "The reserved bits 5 to 7 of the flags of a Heart Rate Measurement are zero.", fix: "Clear the bits."
        ) { ($0.first ?? 0) & 0xE0 != 0 ? "reserved bits are set" : nil },
        value(
            "hrs-rate-range", .warning, 0x2A37, "HRS 1.0, 3.1.1.2",
            "A Heart Rate Measurement has less than 400 beats per minute: a greater one has its octets reversed.",
            fix: "Send the least significant octet first."
        ) { bytes in
            guard let flags = bytes.first, flags & 1 != 0, let rate = bytes.u16(1) else { return nil }
            return rate < 400 ? nil : "\(rate) beats per minute"
        },
        CheckRule(
            "hrs-control-point", .error, "HRS 1.0, 3.3", needs: .database,
            "A sensor that sends Energy Expended has a Heart Rate Control Point (2A39) to reset it.",
            fix: "Add the characteristic."
        ) { run in
            let handles = Set(run.database.all(0x2A37).map(\.handle))
            let all = run.values.filter { handles.contains($0.handle) && $0.octets.count > 3 }
            guard !all.isEmpty else { return .notRun("no Heart Rate Measurement was sent") }
            guard let energy = all.first(where: { $0.octets[3] & 8 != 0 }), run.database.all(0x2A39).isEmpty else {
                return .passed
            }
            return .finding("there is no 2A39", handle: energy.handle, energy.octets)
        },
        value(
            "dis-system-length", .error, 0x2A23, "DIS 1.1, 3.8", "The System ID has 8 octets.",
            fix: "Correct the value."
        ) { $0.count == 8 ? nil : "\($0.count) octets" },
        value(
            "dis-pnp-length", .error, 0x2A50, "DIS 1.1, 3.10", "The PnP ID has 7 octets.", fix: "Correct the value."
        ) { $0.count == 7 ? nil : "\($0.count) octets" },
        value(
            "dis-pnp-source", .error, 0x2A50, "DIS 1.1, 3.10",
            "The Vendor ID Source of the PnP ID is 1 (Bluetooth SIG) or 2 (USB).",
            fix: "Use 1 or 2."
        ) { $0.first.map { $0 != 1 && $0 != 2 } == true ? "source \($0[0])" : nil },
        CheckRule(
            "dis-strings", .error, "DIS 1.1, 3.1", needs: .database,
            "The strings of Device Information are UTF-8, not empty, and without a zero at the end.",
            fix: "Encode as UTF-8, send the characters alone; leave out what has no text."
        ) { run in
            let all = [0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29]
                .flatMap { run.database.values(of: BluetoothUUID(UInt16($0))) }
            guard !all.isEmpty else { return .notApplicable("there is no such value to read") }
            return .findings(
                all.compactMap { item, bytes in
                    if String(validating: bytes, as: UTF8.self) == nil {
                        return CheckFinding("not UTF-8", handle: item.handle, bytes)
                    }
                    if bytes.isEmpty { return CheckFinding("no text", handle: item.handle, bytes) }
                    return bytes.contains(0) ? CheckFinding("a zero in the text", handle: item.handle, bytes) : nil
                })
        },
        value(
            "hts-type-range", .error, 0x2A1D, "HTS 1.0, 3.2", "The Temperature Type is one octet, 1 to 9.",
            fix: "Use an assigned type."
        ) { $0.count == 1 && (1...9).contains($0[0]) ? nil : "another value" },
        value(
            "cscs-feature-reserved", .error, 0x2A5C, "CSCS 1.0, 3.2", "The reserved bits of the CSC Feature are zero.",
            fix: "Clear the bits."
        ) { ($0.u16(0) ?? 0) & 0xFFF8 != 0 ? "reserved bits are set" : nil },
        value(
            "rscs-feature-reserved", .error, 0x2A54, "RSCS 1.0, 3.2", "The reserved bits of the RSC Feature are zero.",
            fix: "Clear the bits."
        ) { ($0.u16(0) ?? 0) & 0xFFE0 != 0 ? "reserved bits are set" : nil },
        value(
            "ias-level-range", .error, 0x2A06, "LLS 1.0, 3.1", "The Alert Level is one octet, 0 to 2.",
            fix: "Use an assigned level."
        ) { $0.count == 1 && $0[0] <= 2 ? nil : "another value" },
        CheckRule(
            "hids-security", .error, "HIDS 1.0, 2.1", needs: [.database, .raw],
            "The Report Map of a Human Interface Device takes an encrypted link.",
            fix: "Require encryption for reading."
        ) { run in
            let all = run.database.all(0x2A4B)
            guard !all.isEmpty else { return .notApplicable("there is no Report Map") }
            guard run.peripheral.security.level == .none else { return .notRun("the link is encrypted") }
            return .findings(
                all.compactMap { item in
                    run.database.values[item.handle]?.bytes.map {
                        CheckFinding("read without encryption", handle: item.handle, Array($0.prefix(16)))
                    }
                })
        },
        controlPoint("cscs-control-point", 0x2A5C, in: 0x1816, "CSCS 1.0, 3", "cycling", needing: 0x05),
        controlPoint("rscs-control-point", 0x2A54, in: 0x1814, "RSCS 1.0, 3", "running", needing: 0x1A),
        feature("cscs-measurement", 0x2A5B, 0x2A5C, "CSCS 1.0, 3.1.1", "CSC", [(0x01, 0x01), (0x02, 0x02)]),
        feature(
            "rscs-measurement", 0x2A53, 0x2A54, "RSCS 1.0, 3.1.1", "RSC", [(0x01, 0x01), (0x02, 0x02), (0x04, 0x04)]),
        CheckRule(
            "bas-format", .error, "BAS 1.1, 3.1.2", needs: [.database, .raw],
            "Where there are several Battery services, a Presentation Format (2904) with a description tells each "
                + "level from the others.", fix: "Add the descriptor 2904 to each Battery Level."
        ) { run in
            let all = run.database.all(0x2A19, in: 0x180F)
            guard all.count > 1 else { return .notApplicable("there is one Battery service at most") }
            return .findings(
                all.filter { run.database.descriptors(0x2904, of: $0).isEmpty }
                    .map { CheckFinding("no descriptor 2904", handle: $0.declaration, $0.octets) })
        },
        value(
            "tps-level-range", .error, 0x2A07, "TPS 1.0, 3.1", "The Tx Power Level is one octet, -100 to 20 dBm.",
            fix: "Use dBm, as a signed octet."
        ) { bytes in
            guard bytes.count == 1 else { return "\(bytes.count) octets" }
            let level = Int8(bitPattern: bytes[0])
            return (-100...20).contains(level) ? nil : "\(level) dBm"
        },
        CheckRule(
            "cscs-location", .error, "CSCS 1.0, 3", needs: .database,
            "A cycling sensor that supports several locations has a Sensor Location (2A5D).",
            fix: "Add the characteristic, or clear the feature bit 2."
        ) { run in
            guard let (item, bytes) = run.database.values(of: 0x2A5C).first, let bits = bytes.u16(0) else {
                return .notApplicable("there is no CSC Feature to read")
            }
            guard bits & 4 != 0, run.database.all(0x2A5D, in: 0x1816).isEmpty else { return .passed }
            return .finding("there is no 2A5D", handle: item.handle, bytes)
        },
    ]
}
