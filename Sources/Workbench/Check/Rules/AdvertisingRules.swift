import BluetoothModel
import Foundation

private let css = "CSS v12, Part A, "

/// Judges every structure of some types: nil if it is right, else what is wrong.
private func eachStructure(
    _ types: [UInt8], _ problem: @escaping @Sendable (CheckAdvertising.Structure) -> String?
) -> CheckRule.Judge {
    { run in
        let all = run.advertising.structures.filter { types.contains($0.type) }
        guard !all.isEmpty else { return .notRun("the advertising has no such structure") }
        return .findings(all.compactMap { item in problem(item).map { CheckFinding($0, item.octets) } })
    }
}

/// Judges every packet.
private func eachPacket(
    _ problem: @escaping @Sendable (_ packet: [UInt8], _ isResponse: Bool) -> (String, [UInt8])?
) -> CheckRule.Judge {
    { run in
        let found =
            run.advertising.packets.map { problem($0, false) } + run.advertising.responses.map { problem($0, true) }
        guard !found.isEmpty else { return .notRun("no advertising packet was received") }
        return .findings(found.compactMap { $0.map { CheckFinding($0.0, $0.1) } })
    }
}

extension CheckRule {
    private static func advertising(
        _ id: String, _ severity: Severity = .error, _ section: String, needs: Needs = .packets, _ text: String,
        fix: String, judge: @escaping Judge
    ) -> CheckRule {
        CheckRule(id, severity, section, needs: needs, text, fix: fix, judge: judge)
    }

    /// A rule about the length of structures of some types.
    private static func length(
        _ id: String, _ types: [UInt8], _ section: String, _ what: String, _ isRight: @escaping @Sendable (Int) -> Bool
    ) -> CheckRule {
        advertising(
            id, .error, css + section, "\(what). A scanner discards a structure of another length.",
            fix: "Correct the length of the structure.",
            judge: eachStructure(types) { isRight($0.data.count) ? nil : "the structure has \($0.data.count) octets" })
    }

    static let advertisingRules: [CheckRule] = advertisingFormatRules + advertisingLengthRules + advertisingValueRules

    private static let advertisingFormatRules: [CheckRule] = [
        advertising(
            "adv-structure-length", .error, "Core 5.4, Vol 3, Part C, 11",
            "The length of a structure does not exceed the packet. Scanners discard the rest of such a packet.",
            fix: "Correct the length octet: it counts the type and the data.",
            judge: eachPacket { packet, _ in
                let rest = CheckAdvertising.rest(packet)
                guard let length = rest.first, length > 0 else { return nil }
                return ("a structure of \(length) octets begins \(rest.count - 1) octets before the end", rest)
            }),
        advertising(
            "adv-early-termination", .error, "Core 5.4, Vol 3, Part C, 11",
            "After a structure of length zero all octets are zero: nothing of it is read.",
            fix: "Remove the empty structure from the middle of the packet.",
            judge: eachPacket { packet, _ in
                let rest = CheckAdvertising.rest(packet)
                guard rest.first == 0, rest.contains(where: { $0 != 0 }) else { return nil }
                return ("octets after the end of the structures", rest)
            }),
        advertising(
            "adv-flags-missing", .warning, css + "1.3",
            "A connectable device sends Flags. Without them it is not in a discoverable mode, and phones may hide it.",
            fix: "Add the structure 02 01 06: general discoverable, BR/EDR not supported."
        ) { run in
            guard run.advertising.isConnectable else { return .notRun("the device is not connectable") }
            guard let packet = run.advertising.packets.first else { return .notRun("no packet was received") }
            guard run.advertising.all(0x01).isEmpty else { return .passed }
            return .finding("no Flags", packet)
        },
        advertising(
            "adv-flags-placement", .error, css + "1.3.1",
            "Flags are not in a scan response, where nobody looks for them.",
            fix: "Move the Flags to the advertising packet.",
            judge: eachPacket { packet, isResponse in
                let flags = CheckAdvertising.structures(packet, isResponse: true).first { $0.type == 0x01 }
                guard isResponse, let flags else { return nil }
                return ("Flags in the scan response", flags.octets)
            }),
        advertising(
            "adv-flags-modes", .error, "Core 5.4, Vol 3, Part C, 9.2.3",
            "A device is in the limited or in the general discoverable mode, not in both.",
            fix: "Set one of the bits 0 and 1 of the Flags.",
            judge: eachStructure([0x01]) { $0.data.first.map { $0 & 3 == 3 } == true ? "both modes are set" : nil }),
        advertising(
            "adv-flags-undiscoverable", .warning, "Core 5.4, Vol 3, Part C, 9.2.2",
            "A connectable device that wants to be found sets a discoverable mode.",
            fix: "Set bit 1 of the Flags (general discoverable).",
            judge: { run in
                guard run.advertising.isConnectable else { return .notRun("the device is not connectable") }
                return try await eachStructure([0x01]) {
                    $0.data.first.map { $0 & 3 == 0 } == true ? "no discoverable mode is set" : nil
                }(run)
            }),
        advertising(
            "adv-flags-classic", .warning, css + "1.3",
            "A device with a random address has no BR/EDR under that address, and says so in bit 2 of the Flags.",
            fix: "Set bit 2 of the Flags (BR/EDR Not Supported)."
        ) { run in
            guard run.advertising.address?.kind == .random else { return .notRun("the address is public or unknown") }
            return try await eachStructure([0x01]) {
                $0.data.first.map { $0 & 4 == 0 } == true ? "BR/EDR Not Supported is not set" : nil
            }(run)
        },
        advertising(
            "adv-flags-contradiction", .error, css + "1.3",
            "Simultaneous LE and BR/EDR is not combined with BR/EDR Not Supported.",
            fix: "Clear bits 3 and 4 of the Flags of a device without BR/EDR.",
            judge: eachStructure([0x01]) {
                $0.data.first.map { $0 & 4 != 0 && $0 & 0x18 != 0 } == true
                    ? "BR/EDR is not supported and simultaneous" : nil
            }),
        advertising(
            "adv-flags-reserved", .warning, css + "1.3", "The reserved bits 5 to 7 of the Flags are zero.",
            fix: "Clear the reserved bits.",
            judge: eachStructure([0x01]) {
                $0.data.first.map { $0 & 0xE0 != 0 } == true ? "reserved bits are set" : nil
            }),
        advertising(
            "adv-duplicate", .error, css + "1",
            "Flags, the name, TX Power Level, Appearance, LE Role, the interval and each list of services occur at most "
                + "once in a packet: a scanner uses one of them.",
            fix: "Remove the repeated structure.",
            judge: eachPacket { packet, isResponse in
                let once: [[UInt8]] = [
                    [0x01], [0x08, 0x09], [0x0A], [0x19], [0x1C], [0x1A], [0x12], [0x02, 0x03], [0x04, 0x05],
                    [0x06, 0x07],
                ]
                let all = CheckAdvertising.structures(packet, isResponse: isResponse)
                for types in once {
                    let found = all.filter { types.contains($0.type) }
                    if found.count > 1 {
                        return ("\(found.count) structures of type 0x\([types[0]].hexText())", found.flatMap(\.octets))
                    }
                }
                return nil
            }),
        advertising(
            "adv-type-unassigned", .warning, "Assigned Numbers, 2.3",
            "Types of structures are assigned by the Bluetooth SIG; a vendor's data goes into Manufacturer Specific Data.",
            fix: "Use type 0xFF with the company's identifier.",
            judge: eachPacket { packet, isResponse in
                CheckAdvertising.structures(packet, isResponse: isResponse)
                    .first { !ADType(rawValue: $0.type).isKnown }.map { ("an unassigned type", $0.octets) }
            }),
        advertising(
            "adv-type-out-of-band", .error, css + "1",
            "Values for pairing out of band are never advertised: everybody would hear the secret.",
            fix: "Remove the structure; send it over the other channel.",
            judge: eachPacket { packet, isResponse in
                CheckAdvertising.structures(packet, isResponse: isResponse)
                    .first { [0x0E, 0x0F, 0x10, 0x11, 0x1D, 0x1E, 0x22, 0x23].contains($0.type) }
                    .map { ("a value for pairing out of band", $0.octets) }
            }),
    ]

    private static let advertisingLengthRules: [CheckRule] = [
        length("adv-flags-length", [0x01], "1.3.2", "Flags have at least one octet") { $0 >= 1 },
        length(
            "adv-services16-length", [0x02, 0x03, 0x14], "1.1", "A list of 16-bit UUIDs has whole UUIDs of 2 octets"
        ) {
            $0 % 2 == 0
        },
        length(
            "adv-services32-length", [0x04, 0x05, 0x1F], "1.1", "A list of 32-bit UUIDs has whole UUIDs of 4 octets"
        ) {
            $0 % 4 == 0
        },
        length(
            "adv-services128-length", [0x06, 0x07, 0x15], "1.1", "A list of 128-bit UUIDs has whole UUIDs of 16 octets"
        ) { $0 % 16 == 0 },
        length("adv-power-length", [0x0A], "1.5", "TX Power Level has one octet") { $0 == 1 },
        length("adv-interval-range-length", [0x12], "1.9", "Peripheral Connection Interval Range has 4 octets") {
            $0 == 4
        },
        length("adv-appearance-length", [0x19], "1.12", "Appearance has 2 octets") { $0 == 2 },
        length("adv-role-length", [0x1C], "1.17", "LE Role has one octet") { $0 == 1 },
        length("adv-address-length", [0x1B], "1.16", "LE Bluetooth Device Address has 7 octets") { $0 == 7 },
        length("adv-target-length", [0x17, 0x18], "1.13", "A target address has 6 octets each") {
            $0 > 0 && $0 % 6 == 0
        },
        length("adv-advertising-interval-length", [0x1A], "1.15", "Advertising Interval has 2 octets") { $0 == 2 },
        length("adv-service-data16-length", [0x16], "1.11", "Service Data begins with a UUID of 2 octets") { $0 >= 2 },
        length("adv-service-data128-length", [0x21], "1.11", "Service Data begins with a UUID of 16 octets") {
            $0 >= 16
        },
        length(
            "adv-manufacturer-length", [0xFF], "1.4", "Manufacturer Specific Data begins with a company of 2 octets"
        ) { $0 >= 2 },
    ]

    private static let advertisingValueRules: [CheckRule] = [
        advertising(
            "adv-name-utf8", .error, css + "1.2", "The name is UTF-8.", fix: "Encode the name as UTF-8.",
            judge: eachStructure([0x08, 0x09]) {
                String(validating: $0.data, as: UTF8.self) == nil ? "the name is no UTF-8" : nil
            }),
        advertising(
            "adv-name-empty", .warning, css + "1.2", "A name has at least one character that is not zero.",
            fix: "Give the device a name, or leave the structure out.",
            judge: eachStructure([0x08, 0x09]) { $0.data.allSatisfy { $0 == 0 || $0 == 0x20 } ? "no name" : nil }),
        advertising(
            "adv-name-complete", .error, css + "1.2.1", needs: [.packets, .raw, .database],
            "The Complete Local Name is the Device Name (2A00), and the Shortened Local Name is a beginning of it.",
            fix: "Advertise the value of the Device Name, or shorten it and use type 0x08."
        ) { run in
            guard let name = run.database.values(of: 0x2A00).first?.bytes, !name.isEmpty else {
                return .notRun("the Device Name could not be read")
            }
            let names = run.advertising.all(0x08, 0x09)
            guard !names.isEmpty else { return .notRun("no name is advertised") }
            let trimmed = Array(name.prefix { $0 != 0 })
            return .findings(
                names.compactMap { item in
                    let isRight = item.type == 0x09 ? trimmed == item.data : trimmed.starts(with: item.data)
                    let text = String(decoding: trimmed, as: UTF8.self)
                    return isRight ? nil : CheckFinding("the Device Name is '\(text)'", item.octets)
                })
        },
        advertising(
            "adv-services-duplicate", .warning, css + "1.1", "A service is advertised once.",
            fix: "Remove the repeated UUID."
        ) { run in
            let all = run.advertising.services
            guard !all.isEmpty else { return .notRun("no service is advertised") }
            var seen: [[UInt8]: Set<BluetoothUUID>] = [:]
            return .findings(
                all.compactMap { item in
                    let isNew = seen[item.structure.packet, default: []].insert(item.uuid).inserted
                    return isNew ? nil : CheckFinding("service \(item.uuid) occurs twice", item.structure.octets)
                })
        },
        advertising(
            "adv-services-long", .warning, css + "1.1",
            "A UUID on the Bluetooth base is advertised with 16 bits: 128 bits waste 14 octets, and scanners that filter "
                + "for the short form miss it.", fix: "Move the UUID to the list of 16-bit UUIDs.",
            judge: eachStructure([0x06, 0x07]) { item in
                let uuids = stride(from: 0, to: item.data.count - 15, by: 16)
                    .compactMap { Array(item.data[$0..<($0 + 16)]).uuid }
                return uuids.first { $0.shortValue != nil }.map { "\($0) is a 16-bit UUID" }
            }),
        advertising(
            "adv-services-exist", .warning, css + "1.1", needs: [.packets, .database, .raw],
            "An advertised service of the Bluetooth SIG is in the database.",
            fix: "Advertise the services that the device has; a member's beacon uses Service Data."
        ) { run in
            let all = run.advertising.services.filter { AssignedNumbers.entry(of: $0.uuid)?.isStandard == true }
            guard !all.isEmpty else { return .notRun("no such service is advertised") }
            return .findings(
                all.compactMap {
                    run.database.has($0.uuid)
                        ? nil : CheckFinding("service \($0.uuid) is not in the database", $0.structure.octets)
                })
        },
        advertising(
            "adv-services-complete", .warning, css + "1.1", needs: [.packets, .database, .raw],
            "A list of services that is marked complete names all primary services with UUIDs of its size, apart from "
                + "Generic Access and Generic Attribute.", fix: "Mark the list as incomplete (type 0x02, 0x06)."
        ) { run in
            let lists = run.advertising.all(0x03, 0x07)
            guard !lists.isEmpty else { return .notRun("no list is marked complete") }
            let listed = Set(run.advertising.services.map(\.uuid))
            let widths = Set(lists.map { $0.type == 0x03 ? 2 : 16 })
            return .findings(
                run.database.services.compactMap { service in
                    let width = service.uuid.shortValue == nil ? 16 : 2
                    guard service.isPrimary, service.uuid != 0x1800, service.uuid != 0x1801, widths.contains(width),
                        !listed.contains(service.uuid)
                    else { return nil }
                    return CheckFinding("\(service.uuid) is missing", handle: service.start, lists[0].octets)
                })
        },
        advertising(
            "adv-interval-value", .warning, css + "1.15",
            "The Advertising Interval in the data is that of the advertising, at most twice as long or short.",
            fix: "Advertise the interval that is used."
        ) { run in
            let times = run.advertising.times
            guard times.count > 6 else { return .notRun("too few packets were received") }
            let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
            return try await eachStructure([0x1A]) { item in
                guard let units = item.data.u16(0) else { return nil }
                let told = Duration.microseconds(Int(units) * 625)
                // Lost packets make gaps longer, never shorter.
                return gaps[gaps.count / 2] > told * 2 && gaps[0] > told * 2 || gaps[gaps.count / 2] * 2 < told
                    ? "\(Int(gaps[gaps.count / 2] / .milliseconds(1))) ms between packets" : nil
            }(run)
        },
        advertising(
            "adv-appearance-match", .warning, css + "1.12", needs: [.packets, .database, .raw],
            "The advertised Appearance is that of the Generic Access service (2A01).",
            fix: "Use the same number in both places."
        ) { run in
            guard let value = run.database.values(of: 0x2A01).first?.bytes else {
                return .notRun("the Appearance could not be read")
            }
            return try await eachStructure([0x19]) { item in
                item.data == value ? nil : "the characteristic is \(value.hexText(separator: " "))"
            }(run)
        },
        advertising(
            "adv-appearance-assigned", .warning, "Assigned Numbers, 2.6",
            "The category of the Appearance is assigned.", fix: "Use an assigned category, or 0 for unknown.",
            judge: eachStructure([0x19]) { item in
                guard let value = item.data.u16(0) else { return nil }
                return Appearance(rawValue: value).categoryName == nil ? "the category is not assigned" : nil
            }),
        advertising(
            "adv-power-range", .warning, css + "1.5",
            "TX Power Level is the power in dBm at the antenna: no device sends with less than -60 or more than 30.",
            fix: "Advertise the power in dBm, as a signed octet.",
            judge: eachStructure([0x0A]) { item in
                guard let power = item.data.first.map({ Int8(bitPattern: $0) }) else { return nil }
                return (-60...30).contains(power) ? nil : "\(power) dBm"
            }),
        advertising(
            "adv-interval-range", .error, css + "1.9",
            "The connection intervals are 7.5 ms to 4 s (0x0006 to 0x0C80) or 0xFFFF, and the smaller one comes first.",
            fix: "Correct the range.",
            judge: eachStructure([0x12]) { item in
                guard let low = item.data.u16(0), let high = item.data.u16(2), item.data.count == 4 else { return nil }
                let isValid = [low, high].allSatisfy { (6...3200).contains($0) || $0 == 0xFFFF }
                return isValid && (low <= high || high == 0xFFFF || low == 0xFFFF) ? nil : "\(low) to \(high)"
            }),
        advertising(
            "adv-role-value", .error, css + "1.17", "LE Role is 0 to 3, and not 1 (central only) for a peripheral.",
            fix: "Use 0 (peripheral only), 2 or 3.",
            judge: eachStructure([0x1C]) { item in
                item.data.first.map { $0 > 3 || $0 == 1 } == true ? "the role is \(item.data[0])" : nil
            }),
        advertising(
            "adv-manufacturer-company", .warning, "Assigned Numbers, 7.1",
            "Manufacturer Specific Data begins with the company's own identifier; 0xFFFF is for tests only.",
            fix: "Use your company's identifier.",
            judge: eachStructure([0xFF]) { item in
                guard let company = item.data.u16(0) else { return nil }
                if company == 0xFFFF { return "the identifier is that for tests" }
                return AssignedNumbers.companyName(CompanyIdentifier(rawValue: company)) == nil
                    ? "company \(hexHandle(company)) is not assigned" : nil
            }),
        advertising(
            "adv-address-random", .error, "Core 5.4, Vol 6, Part B, 1.3.2", needs: [],
            "The random part of a static address is neither all zeros nor all ones.",
            fix: "Derive the address from a random number or the serial number."
        ) { run in
            guard let address = run.advertising.address else { return .notRun("the adapter does not show the address") }
            guard address.randomKind == .staticAddress else { return .notRun("the address is not a static one") }
            let part = address.value & 0x3FFF_FFFF_FFFF
            guard part == 0 || part == 0x3FFF_FFFF_FFFF else { return .passed }
            return .found([CheckFinding("the random part has equal bits only", text: address.text)])
        },
        advertising(
            "adv-address-private", .warning, "Core 5.4, Vol 3, Part C, 10.7", needs: [],
            "A connectable device does not use a non-resolvable private address: no central finds it again.",
            fix: "Use a static or a resolvable private address."
        ) { run in
            guard let address = run.advertising.address else { return .notRun("the adapter does not show the address") }
            guard run.advertising.isConnectable else { return .notRun("the device is not connectable") }
            guard address.randomKind == .nonResolvablePrivate else { return .passed }
            return .found([CheckFinding("the address is non-resolvable", text: address.text)])
        },
        advertising(
            "adv-interval-slow", .warning, "Core 5.4, Vol 3, Part C, Appendix A",
            "A connectable device advertises at least every 2.5 s: a phone that scans in the background needs minutes "
                + "to find a slower one.", fix: "Shorten the interval, at least for some time after a change."
        ) { run in
            guard run.advertising.isConnectable else { return .notRun("the device is not connectable") }
            let times = run.advertising.times
            guard times.count > 1, let first = times.first, let last = times.last else {
                return .notRun("fewer than two packets were received")
            }
            let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
            let median = gaps[gaps.count / 2]
            // Lost packets lengthen a gap, and never shorten it.
            guard gaps[0] > .milliseconds(2600), median > .milliseconds(2600) else { return .passed }
            let seconds = (last - first) / .seconds(1)
            return .found([CheckFinding("\(times.count) packets in \(Int(seconds)) s", text: "\(times.count) packets")])
        },
    ]
}
