import BluetoothModel

private let group: UInt16 = 0x2800

/// A request that begins with a range of handles. Each request has three rules about its range.
private struct RangeRequest: Sendable {
    var name: String
    var title: String
    var opcode: UInt8
    var rest: [UInt8]
    var section: String
    /// The test cases of the Bluetooth SIG for a reversed range, and for a range without a matching attribute.
    var tests: (reversed: String?, nothing: String?) = (nil, nil)

    static let all = [
        RangeRequest(
            name: "find-information", title: "Find Information Request", opcode: 0x04, rest: [], section: "3.4.3.1"),
        RangeRequest(
            name: "find-by-type", title: "Find By Type Value Request", opcode: 0x06, rest: le(0x2800) + le(0x1800),
            section: "3.4.3.3"),
        RangeRequest(
            name: "read-by-type", title: "Read By Type Request", opcode: 0x08, rest: le(0x2803), section: "3.4.4.1",
            tests: ("GATT/SR/GAR/BI-08-C", "GATT/SR/GAR/BI-07-C")),
        RangeRequest(
            name: "read-by-group", title: "Read By Group Type Request", opcode: 0x10, rest: le(0x2800),
            section: "3.4.4.9"),
    ]
}

extension CheckRule {
    static let findRules: [CheckRule] = rangeRules + findValueRules

    private static let rangeRules: [CheckRule] = RangeRequest.all.flatMap { kind -> [CheckRule] in
        [
            refusal(
                "att-\(kind.name)-zero", kind.section,
                "A \(kind.title) that begins at handle 0x0000 is refused with Invalid Handle.",
                fix: "Check the first handle before the search.", codes: [0x01]
            ) { _ in [[kind.opcode] + le(0) + le(0xFFFF) + kind.rest] },
            refusal(
                "att-\(kind.name)-reversed", kind.section, test: kind.tests.reversed,
                "A \(kind.title) whose first handle is greater than the last is refused with Invalid Handle.",
                fix: "Compare the handles before the search.", codes: [0x01]
            ) { _ in [[kind.opcode] + le(3) + le(2) + kind.rest] },
            refusal(
                "att-\(kind.name)-nothing", kind.section, test: kind.tests.nothing,
                "A \(kind.title) for a range without such an attribute is answered with Attribute Not Found.",
                fix: "Answer with error 0x0A.", codes: [0x0A], missing: "all handles are in use"
            ) { run in run.database.freeHandle.map { [[kind.opcode] + le($0) + le($0 + 1) + kind.rest] } ?? [] },
        ]
    }

    private static let findValueRules: [CheckRule] = [
        exchange(
            "att-find-information-single", .error, att + "3.4.3.2", test: "GATT/SR/GAD/BV-06-C",
            "A Find Information Request for one handle is answered with that handle alone.",
            fix: "Respect both ends of the range."
        ) { run in
            guard let attribute = run.database.attributes.dropFirst().first else { return .notRun("no attribute") }
            let answer = try await run.request(.findInformation(attribute.handle, attribute.handle))
            let type = attribute.type.octets
            let expected: [UInt8] = [0x05, type.count == 2 ? 1 : 2] + le(attribute.handle) + type
            return answer.bytes == expected ? .passed : .found([answer.finding("\(answer.words), of other attributes")])
        },
        exchange(
            "att-find-by-type-group", .error, att + "3.4.3.4", test: "GATT/SR/GAD/BV-02-C",
            "A Find By Type Value Request for each service finds its first and its last handle.",
            fix: "Answer with the group's ends, as Read By Group Type does."
        ) { run in
            let primary = run.database.services.filter { $0.isPrimary && $0.end >= $0.start }
            guard !primary.isEmpty else { return .notApplicable("there is no primary service") }
            var findings: [CheckFinding] = []
            for service in primary.prefix(6) {
                let value = service.width == 2 ? service.uuid.octets : service.uuid.octets128
                let answer = try await run.request(.findByTypeValue(service.start, 0xFFFF, le(group) + value))
                if answer.body.map({ Array($0.prefix(4)) }) != le(service.start) + le(service.end) {
                    findings.append(answer.finding("service \(service.uuid) is not found as it was discovered"))
                }
            }
            return .findings(findings)
        },
        refusal(
            "att-find-by-type-unknown", "3.4.3.3", test: nil,
            "A Find By Type Value Request for a service that the device does not have finds nothing.",
            fix: "Compare the whole value.", codes: [0x0A]
        ) { _ in [.findByTypeValue(1, 0xFFFF, le(group) + le(0xFEDC))] },
        exchange(
            "att-find-by-type-prefix", .error, att + "3.4.3.3",
            "A Find By Type Value Request compares the whole value: the first octet of a service's UUID finds nothing.",
            fix: "Compare the lengths too."
        ) { run in
            let answer = try await run.request(.findByTypeValue(1, 0xFFFF, le(group) + [0x00]))
            return answer.refused(with: [0x0A]).map { .found([$0]) } ?? .passed
        },
        exchange(
            "att-read-by-type-range", .error, att + "3.4.4.2", test: "GATT/SR/GAD/BV-04-C",
            "A Read By Type Request for the range of one declaration is answered with that declaration alone.",
            fix: "Respect both ends of the range."
        ) { run in
            guard let item = run.database.characteristics.last else {
                return .notApplicable("there is no characteristic")
            }
            let answer = try await run.request(.readByType(item.declaration, item.declaration, le(0x2803)))
            let expected = [UInt8(item.octets.count + 2)] + le(item.declaration) + item.octets
            return answer.body == expected ? .passed : .found([answer.finding("not the declaration alone")])
        },
        exchange(
            "att-read-by-type-long-uuid", .error, att + "3.2.1",
            "A Read By Type Request with the 128-bit form of a 16-bit UUID is answered as one with the short form.",
            fix: "Compare UUIDs in their 128-bit form."
        ) { run in
            guard let item = run.database.characteristics.first else {
                return .notApplicable("there is no characteristic")
            }
            let (handle, type) = (item.declaration, BluetoothUUID(0x2803 as UInt16))
            let short = try await run.request(.readByType(handle, handle, type.octets))
            let long = try await run.request(.readByType(handle, handle, type.octets128))
            return long.bytes == short.bytes ? .passed : .found([long.finding("\(long.words), another than for 2803")])
        },
        exchange(
            "att-read-by-type-value", .error, gatt + "4.8.2", test: "GATT/SR/GAR/BV-03-C",
            "Reading by UUID gives the value that reading by handle gives.",
            fix: "Answer both from one place."
        ) { run in
            guard let (item, bytes) = run.database.constants.first(where: { !$0.bytes.isEmpty }) else {
                return .notApplicable("there is no constant value to read")
            }
            let answer = try await run.request(.readByType(item.handle, item.handle, item.uuid.octets))
            let expected = le(item.handle) + bytes.prefix(min(run.mtu - 4, 253))
            return answer.body.map { Array($0.dropFirst()) } == expected
                ? .passed : .found([answer.finding("not the value of \(item.uuid)")])
        },
        refusal(
            "att-read-by-type-permission", "3.4.4.1", test: "GATT/SR/GAR/BI-06-C",
            "Reading by UUID a characteristic that cannot be read is refused with Read Not Permitted.",
            fix: "Check the permission as for a Read Request.", codes: .securityRefusals.union([0x02]),
            missing: "every characteristic can be read"
        ) { run in
            run.database.characteristics.filter { !$0.isReadable }.prefix(3)
                .map { .readByType($0.handle, $0.handle, $0.uuid.octets) }
        },
        refusal(
            "att-read-by-group-unsupported", "3.4.4.9",
            "A Read By Group Type Request for a type that groups nothing is refused with Unsupported Group Type.",
            fix: "Accept the types 2800 and 2801 only.", codes: [0x10]
        ) { _ in [.readByGroupType(1, 0xFFFF, le(0x2803)), .readByGroupType(1, 0xFFFF, le(0x2A00))] },
        exchange(
            "att-read-by-group-single", .error, att + "3.4.4.10", test: "GATT/SR/GAD/BV-01-C",
            "A Read By Group Type Request for the range of one service is answered with that service alone.",
            fix: "Respect both ends of the range."
        ) { run in
            guard let service = run.database.services.last(where: \.isPrimary), service.end >= service.start else {
                return .notApplicable("there is no primary service")
            }
            let answer = try await run.request(.readByGroupType(service.start, service.end, le(group)))
            return answer.body == [UInt8(service.octets.count)] + service.octets
                ? .passed : .found([answer.finding("not service \(service.uuid) alone")])
        },
        exchange(
            "att-read-by-group-long-uuid", .error, att + "3.2.1",
            "A Read By Group Type Request with the 128-bit form of 2800 is answered as one with the short form.",
            fix: "Compare UUIDs in their 128-bit form."
        ) { run in
            let short = try await run.request(.readByGroupType(1, 0xFFFF, le(group)))
            let long = try await run.request(.readByGroupType(1, 0xFFFF, BluetoothUUID(group).octets128))
            return long.bytes == short.bytes ? .passed : .found([long.finding("\(long.words), another than for 2800")])
        },
    ]
}
