import BluetoothModel

/// Returns a readable characteristic with a constant value of more than one octet; nil if there is none.
private func long(_ run: CheckRun) -> (item: CheckDatabase.Characteristic, bytes: [UInt8])? {
    run.database.constants.last { $0.bytes.count > 1 }
}

extension CheckRule {
    static let readRules: [CheckRule] = readHandleRules + readBlobRules + readMultipleRules

    private static let readHandleRules: [CheckRule] = [
        refusal(
            "att-read-zero", "3.4.4.3", test: "GATT/SR/GAR/BI-02-C",
            "A Read Request for handle 0x0000 is refused with Invalid Handle.", fix: "Check the handle.",
            codes: [0x01]
        ) { _ in [.read(0)] },
        refusal(
            "att-read-unknown", "3.4.4.3", test: "GATT/SR/GAR/BI-02-C",
            "A Read Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.",
            codes: [0x01]
        ) { run in run.database.freeHandle.map { [.read($0), .read(0xFFFF)] } ?? [] },
        refusal(
            "att-read-not-permitted", "3.4.4.3", test: "GATT/SR/GAR/BI-01-C",
            "Reading a characteristic without the property Read is refused with Read Not Permitted.",
            fix: "Take the permission from the properties.", codes: .securityRefusals.union([0x02]),
            missing: "every characteristic can be read"
        ) { run in run.database.characteristics.filter { !$0.isReadable }.prefix(8).map { .read($0.handle) } },
        exchange(
            "att-read-property", .error, gatt + "3.3.1.1", test: "GATT/SR/GAR/BV-01-C",
            "A characteristic with the property Read can be read, or says which security that takes.",
            fix: "Clear the property, or permit reading."
        ) { run in
            let readable = run.database.characteristics.filter(\.isReadable)
            guard !readable.isEmpty else { return .notApplicable("no characteristic has the property Read") }
            return .findings(
                readable.compactMap { item in
                    guard let value = run.database.values[item.handle] else {
                        return CheckFinding("no answer", handle: item.handle, .read(item.handle))
                    }
                    // A value may be temporarily unavailable, so application errors are not judged.
                    guard case .refused(let error) = value,
                        error.count < 5 || [0x01, 0x02, 0x04, 0x06, 0x07, 0x0A, 0x0B, 0x0D, 0x10].contains(error[4])
                    else { return nil }
                    return CheckFinding("reading is refused", handle: item.handle, error)
                })
        },
        exchange(
            "att-read-declaration", .error, gatt + "3.1",
            "Declarations can be read, without security, and have the value that discovery showed.",
            fix: "Permit reading of declarations."
        ) { run in
            var findings: [CheckFinding] = []
            let services = run.database.services.prefix(3).map { ($0.start, Array($0.octets.dropFirst(4))) }
            let items = run.database.characteristics.prefix(4).map { ($0.declaration, $0.octets) }
            guard !services.isEmpty || !items.isEmpty else { return .notApplicable("there is no declaration") }
            for (handle, value) in services + items {
                let answer = try await run.request(.read(handle))
                if answer.body != value {
                    findings.append(answer.finding("\(answer.words), another than in discovery"))
                }
            }
            return .findings(findings)
        },
        exchange(
            "att-read-constant", .error, gatt + "4.8.1",
            "A value that does not change is the same in two reads.", fix: "Return the value from its beginning."
        ) { run in
            let all = run.database.constants
            guard !all.isEmpty else { return .notApplicable("there is no constant value to read") }
            var findings: [CheckFinding] = []
            for (item, bytes) in all.prefix(4) {
                guard let value = try await run.read(item.handle), value != .bytes(bytes) else { continue }
                findings.append(CheckFinding("before: \(bytes.hexText())", handle: item.handle, value.bytes ?? []))
            }
            return .findings(findings)
        },
    ]

    private static let readBlobRules: [CheckRule] = [
        refusal(
            "att-blob-zero", "3.4.4.5", "A Read Blob Request for handle 0x0000 is refused with Invalid Handle.",
            fix: "Check the handle.", codes: [0x01, 0x06]
        ) { _ in [.readBlob(0, offset: 0)] },
        refusal(
            "att-blob-unknown", "3.4.4.5", test: "GATT/SR/GAR/BI-14-C",
            "A Read Blob Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.", codes: [0x01, 0x06]
        ) { run in run.database.freeHandle.map { [.readBlob($0, offset: 0)] } ?? [] },
        refusal(
            "att-blob-offset", "3.4.4.5", test: "GATT/SR/GAR/BI-13-C",
            "A Read Blob Request beyond the end of the value is refused with Invalid Offset (or Attribute Not Long).",
            fix: "Compare the offset with the length.", codes: [0x07, 0x0B, 0x06],
            missing: "there is no constant value to read"
        ) { run in
            run.database.constants.prefix(2).flatMap { item, bytes -> [[UInt8]] in
                [.readBlob(item.handle, offset: UInt16(bytes.count + 1)), .readBlob(item.handle, offset: 0xFFFF)]
            }
        },
        refusal(
            "att-blob-not-permitted", "3.4.4.5", test: "GATT/SR/GAR/BI-12-C",
            "A Read Blob Request for a characteristic without the property Read is refused with Read Not Permitted.",
            fix: "Check the permission as for a Read Request.", codes: [0x02, 0x05, 0x06, 0x08, 0x0C, 0x0F],
            missing: "every characteristic can be read"
        ) { run in
            run.database.characteristics.filter { !$0.isReadable }.prefix(4).map { .readBlob($0.handle, offset: 0) }
        },
        exchange(
            "att-blob-middle", .error, att + "3.4.4.6", test: "GATT/SR/GAR/BV-04-C",
            "A Read Blob Request is answered with the value from the offset on.",
            fix: "Count the offset in octets from 0."
        ) { run in
            guard let (item, bytes) = long(run) else {
                return .notApplicable("there is no constant value of two octets")
            }
            let answer = try await run.request(.readBlob(item.handle, offset: 1))
            if answer.code == 0x0B || answer.code == 0x06 { return .passed }
            let expected = Array(bytes.dropFirst().prefix(run.mtu - 1))
            return answer.body == expected ? .passed : .found([answer.finding("not the value from octet 1 on")])
        },
        exchange(
            "att-blob-end", .error, att + "3.4.4.6",
            "A Read Blob Request at the end of the value is answered with no octets (or Attribute Not Long).",
            fix: "Accept an offset that equals the length."
        ) { run in
            guard let (item, bytes) = long(run) else {
                return .notApplicable("there is no constant value of two octets")
            }
            let answer = try await run.request(.readBlob(item.handle, offset: UInt16(bytes.count)))
            if answer.code == 0x0B || answer.code == 0x06 || answer.body == [] { return .passed }
            return .found([answer.finding("\(answer.words) at the end of \(bytes.count) octets")])
        },
        exchange(
            "att-read-whole", .error, att + "3.4.4.4",
            "A Read Response has the whole value, or MTU - 1 octets of it: a client takes a shorter one for the whole.",
            fix: "Fill the response up to the MTU of the link."
        ) { run in
            let all = run.database.readable.filter { $0.bytes.count > 15 && $0.bytes.count < 512 }
            guard !all.isEmpty else { return .notApplicable("there is no value of more than 15 octets") }
            var findings: [CheckFinding] = []
            for (item, _) in all.suffix(8) {
                let first = try await run.request(.read(item.handle))
                guard let body = first.body, body.count < run.mtu - 1 else { continue }
                let more = try await run.request(.readBlob(item.handle, offset: UInt16(body.count)))
                if let rest = more.body, !rest.isEmpty {
                    findings.append(first.finding("\(body.count) octets with an MTU of \(run.mtu), and there are more"))
                }
            }
            return .findings(findings)
        },
        exchange(
            "att-long-value", .error, gatt + "4.8.3", test: "GATT/SR/GAR/BV-04-C",
            "A value that is read in parts with the smallest MTU is the value that is read with a large one.",
            fix: "Return the parts from one value, without gaps."
        ) { run in
            let long = run.database.readable.filter { $0.bytes.count > 22 }.prefix(6)
            // Only constant values can be compared.
            var stable: (item: CheckDatabase.Characteristic, bytes: [UInt8])?
            for (item, bytes) in long where stable == nil {
                if try await run.read(item.handle) == .bytes(bytes) { stable = (item, bytes) }
            }
            guard let (item, bytes) = stable else {
                return .notApplicable("there is no constant value of more than 22 octets")
            }
            try await run.fresh()
            var value: [UInt8] = []
            var answer = try await run.raw(.read(item.handle))
            while let body = answer.body, value.count < 520 {
                value += body
                guard body.count == 22 else { break }
                answer = try await run.raw(.readBlob(item.handle, offset: UInt16(value.count)))
            }
            await run.close()
            if let code = answer.code, value.count < bytes.count {
                return .found([
                    answer.finding("\(ATTErrorCode(rawValue: code)) after \(value.count) of \(bytes.count) octets")
                ])
            }
            if value == bytes { return .passed }
            return .finding("with a large MTU: \(bytes.hexText())", handle: item.handle, value)
        },
    ]

    private static let readMultipleRules: [CheckRule] = [
        refusal(
            "att-multiple-unknown", "3.4.4.7", test: "GATT/SR/GAR/BI-19-C",
            "A Read Multiple Request with a handle without an attribute is refused with Invalid Handle.",
            fix: "Check each handle before the answer.", codes: [0x01, 0x06]
        ) { run in
            guard let first = run.database.readable.first?.item.handle, let free = run.database.freeHandle else {
                return []
            }
            return [.readMultiple([first, free]), .readMultiple([0, first])]
        },
        refusal(
            "att-multiple-not-permitted", "3.4.4.7", test: "GATT/SR/GAR/BI-18-C",
            "A Read Multiple Request with a characteristic that cannot be read is refused.",
            fix: "Check each permission before the answer.", codes: [0x02, 0x05, 0x06, 0x08, 0x0C, 0x0F],
            missing: "every characteristic can be read"
        ) { run in
            guard let first = run.database.readable.first?.item.handle else { return [] }
            return run.database.characteristics.filter { !$0.isReadable }.prefix(2)
                .map { .readMultiple([first, $0.handle]) }
        },
        exchange(
            "att-multiple-values", .error, att + "3.4.4.8", test: "GATT/SR/GAR/BV-05-C",
            "A Read Multiple Request is answered with the values one after the other, or with Request Not Supported.",
            fix: "Concatenate the values."
        ) { run in
            let all = run.database.constants.prefix(2)
            guard let first = all.first, let last = all.last else {
                return .notApplicable("there is no constant value")
            }
            let answer = try await run.request(.readMultiple([first.item.handle, last.item.handle]))
            if answer.code == 0x06 { return .passed }
            let expected = Array((first.bytes + last.bytes).prefix(run.mtu - 1))
            return answer.body == expected ? .passed : .found([answer.finding("not both values")])
        },
        exchange(
            "att-multiple-variable", .error, att + "3.4.4.12", test: "GATT/SR/GAR/BV-09-C",
            "A Read Multiple Variable Request is answered with each length and value, or with Request Not Supported.",
            fix: "Put the length before each value."
        ) { run in
            let all = run.database.constants.prefix(2)
            guard let first = all.first, let last = all.last else {
                return .notApplicable("there is no constant value")
            }
            let answer = try await run.request(.readMultipleVariable([first.item.handle, last.item.handle]))
            if answer.code == 0x06 { return .passed }
            let whole = [first, last].flatMap { le(UInt16($0.bytes.count)) + $0.bytes }
            return answer.body == Array(whole.prefix(run.mtu - 1))
                ? .passed : .found([answer.finding("not both lengths and values")])
        },
        refusal(
            "att-multiple-variable-unknown", "3.4.4.11", test: "GATT/SR/GAR/BI-38-C",
            "A Read Multiple Variable Request with a handle without an attribute is refused with Invalid Handle.",
            fix: "Check each handle before the answer.", codes: [0x01, 0x06]
        ) { run in
            guard let first = run.database.readable.first?.item.handle, let free = run.database.freeHandle else {
                return []
            }
            return [.readMultipleVariable([first, free])]
        },
    ]
}
