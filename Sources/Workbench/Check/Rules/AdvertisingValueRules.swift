import BluetoothModel
import BluetoothRuntime

/// Rules about values in advertising data, addresses and advertising intervals.
extension CheckRule {
    static let advertisingValueRules: [CheckRule] = [
        advertising(
            "adv-name-utf8", .error, css + "1.2", "The name is UTF-8.", fix: "Encode the name as UTF-8.",
            judge: eachStructure([0x08, 0x09]) {
                String(validating: $0.data, as: UTF8.self) == nil ? "the name is not UTF-8" : nil
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
            guard !names.isEmpty else { return .notApplicable("no name is advertised") }
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
            guard !all.isEmpty else { return .notApplicable("no service is advertised") }
            var seen: [[UInt8]: Set<BluetoothUUID>] = [:]
            return .findings(
                all.compactMap { item in
                    let isNew = seen[item.structure.packet, default: []].insert(item.uuid).inserted
                    return isNew ? nil : CheckFinding("service \(item.uuid) occurs twice", item.structure.octets)
                })
        },
        advertising(
            "adv-services-long", .warning, css + "1.1",
            "A UUID on the Bluetooth base is advertised with 16 bits: 128 bits waste 14 octets, and scanners that "
                + "filter for the short form miss it.", fix: "Move the UUID to the list of 16-bit UUIDs.",
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
            guard !all.isEmpty else { return .notApplicable("no such service is advertised") }
            return .findings(
                all.compactMap {
                    run.database.has($0.uuid)
                        ? nil : CheckFinding("service \($0.uuid) is not in the database", $0.structure.octets)
                })
        },
        advertising(
            "adv-services-reversed", .error, css + "1.1", needs: [.packets, .database, .raw],
            "A 128-bit UUID is advertised with its least significant octet first, as in the database.",
            fix: "Reverse the octets of the UUID in the advertising data."
        ) { run in
            let all = run.advertising.services.filter { $0.structure.type == 0x06 || $0.structure.type == 0x07 }
            guard !all.isEmpty else { return .notApplicable("no 128-bit UUID is advertised") }
            return .findings(
                all.compactMap { item in
                    guard !run.database.has(item.uuid), let reversed = Array(item.uuid.octets128.reversed()).uuid,
                        run.database.has(reversed)
                    else { return nil }
                    return CheckFinding("the database has service \(reversed)", item.structure.octets)
                })
        },
        advertising(
            "adv-services-complete", .warning, css + "1.1", needs: [.packets, .database, .raw],
            "A list of services that is marked complete names all primary services with UUIDs of its size, apart from "
                + "Generic Access and Generic Attribute.", fix: "Mark the list as incomplete (type 0x02, 0x06)."
        ) { run in
            let lists = run.advertising.all(0x03, 0x07)
            guard !lists.isEmpty else { return .notApplicable("no list is marked complete") }
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
                let stated = Duration.microseconds(Int(units) * 625)
                // Lost packets lengthen the time between packets, and never shorten it.
                return gaps[gaps.count / 2] > stated * 2 && gaps[0] > stated * 2 || gaps[gaps.count / 2] * 2 < stated
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
            "adv-address-private", .warning, gap + "10.7", needs: [],
            "A connectable device does not use a non-resolvable private address: no central finds it again.",
            fix: "Use a static or a resolvable private address."
        ) { run in
            guard let address = run.advertising.address else { return .notRun("the adapter does not show the address") }
            guard run.advertising.isConnectable else { return .notRun("the device is not connectable") }
            guard address.randomKind == .nonResolvablePrivate else { return .passed }
            return .found([CheckFinding("the address is non-resolvable", text: address.text)])
        },
        advertising(
            "adv-interval-slow", .warning, gap + "Appendix A",
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
            // Lost packets lengthen the time between packets, and never shorten it.
            guard gaps[0] > .milliseconds(2600), median > .milliseconds(2600) else { return .passed }
            let seconds = (last - first) / .seconds(1)
            return .found([CheckFinding("\(times.count) packets in \(Int(seconds)) s", text: "\(times.count) packets")])
        },
    ]
}
