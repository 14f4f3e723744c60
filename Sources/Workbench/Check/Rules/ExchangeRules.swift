import BluetoothModel

extension CheckRule {
    static let exchangeRules: [CheckRule] = [
        exchange(
            "att-mtu-response", .error, att + "3.4.2.2", test: "GATT/SR/GAC/BV-01-C",
            "An Exchange MTU Request is answered with the server's MTU, at least 23, or with Request Not Supported.",
            fix: "Answer with your own MTU, of two octets."
        ) { run in
            try await run.fresh()
            let answer = try await run.exchangeMTU(247)
            if answer.code == 0x06 { return .passed }
            guard let body = answer.body, body.count == 2, let mtu = body.u16(0) else {
                return .found([answer.finding("\(answer.words) instead of the server's MTU")])
            }
            return mtu >= 23 ? .passed : .found([answer.finding("an MTU of \(mtu)")])
        },
        exchange(
            "att-mtu-own", .warning, att + "3.4.2.2",
            "The server's MTU in the response is its own: it does not depend on that of the client.",
            fix: "Send the MTU that the device supports; both sides use the smaller one."
        ) { run in
            var sizes: [UInt16] = []
            var last: CheckAnswer?
            for size: UInt16 in [23, 64, 517] {
                try await run.fresh()
                let answer = try await run.exchangeMTU(size)
                guard let body = answer.body, let mtu = body.u16(0) else { return .notRun("the exchange was refused") }
                sizes.append(mtu)
                last = answer
            }
            guard let last, sizes[0] != sizes[2], sizes[0] <= 23, sizes[1] <= 64 else { return .passed }
            return .found([
                last.finding("\(sizes.map(String.init).joined(separator: ", ")) for requests of 23, 64, 517")
            ])
        },
        exchange(
            "att-mtu-default", .error, att + "3.2.8",
            "Before an exchange the MTU is 23: no packet of the server is longer.",
            fix: "Begin each link with an MTU of 23."
        ) { run in
            try await run.fresh()
            let first = try await run.raw(.findInformation(1, 0xFFFF))
            let second = try await run.raw(.readByType(1, 0xFFFF, le(0x2803)))
            await run.close()
            return .findings(
                [first, second].filter { $0.bytes?.count ?? 0 > 23 }.map {
                    $0.finding("\($0.bytes?.count ?? 0) octets")
                })
        },
        exchange(
            "att-mtu-small", .error, att + "3.4.2.1",
            "After an exchange with a client whose MTU is 23, no packet of the server is longer than that.",
            fix: "Use the smaller of both MTUs."
        ) { run in
            try await run.fresh()
            _ = try await run.exchangeMTU(23)
            let first = try await run.raw(.findInformation(1, 0xFFFF))
            let second = try await run.raw(.readByType(1, 0xFFFF, le(0x2803)))
            await run.close()
            return .findings(
                [first, second].filter { $0.bytes?.count ?? 0 > 23 }.map {
                    $0.finding("\($0.bytes?.count ?? 0) octets")
                })
        },
        exchange(
            "att-mtu-again", .warning, att + "3.4.2.1",
            "A second Exchange MTU Request, which a client may not send, is answered all the same, and with the same "
                + "MTU: silence would block the link permanently, and another value is not that of the server.",
            fix: "Repeat the response, or answer with Request Not Supported."
        ) { run in
            for size: UInt16 in [100, 64, 517] {
                try await run.fresh()
                let first = try await run.exchangeMTU(100)
                let again = try await run.raw(.exchangeMTU(size))
                await run.close()
                if again.code == nil, again.body?.count != 2 { return .found([again.finding(again.words)]) }
                guard again.code == nil, first.code == nil, again.bytes != first.bytes else { continue }
                return .found([
                    again.finding("the first answer was \(first.bytes?.hexText(separator: " ") ?? "none")")
                ])
            }
            return .passed
        },
        exchange(
            "att-request-unknown", .error, att + "3.3", test: "GATT/SR/UNS/BI-01-C",
            "An unknown request is refused with Request Not Supported, also one with data.",
            fix: "Answer every opcode without bit 6 that is not known with error 0x06."
        ) { run in
            var findings: [CheckFinding] = []
            for pdu: [UInt8] in [[0x24], [0x3E, 1, 0], [0x14, 1, 0, 1, 0]] {
                let answer = try await run.request(pdu)
                if let finding = answer.refused(with: [0x06]) { findings.append(finding) }
            }
            return .findings(findings)
        },
        exchange(
            "att-command-unknown", .error, att + "3.3", test: "GATT/SR/UNS/BI-02-C",
            "An unknown command (bit 6 is set) is ignored.", fix: "Answer no opcode with bit 6."
        ) { run in
            var findings: [CheckFinding] = []
            for pdu: [UInt8] in [[0x7E, 1, 0], [0x40], [0xFF, 0, 0]] {
                if let answer = try await run.silence(after: pdu) {
                    findings.append(answer.finding("\(answer.words) to a command"))
                }
            }
            return .findings(findings)
        },
    ]
}
