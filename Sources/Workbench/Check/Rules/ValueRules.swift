import BluetoothModel
import BluetoothRuntime

extension CheckRule {
    /// Rules about notifications and indications.
    static let valueRules: [CheckRule] = [
        exchange(
            "value-format", .error, att + "3.4.7.1",
            "Notifications and indications fit the MTU, name a characteristic with that property, and come in the form "
                + "that was subscribed to.", fix: "Shorten the value to MTU - 3; send what the configuration asks for."
        ) { run in
            var heard = 0
            var findings: [CheckFinding] = []
            for sender in run.database.senders.prefix(8) {
                let isNotification = sender.item.has(0x10)
                let values = try await run.subscribing(sender) {
                    try await run.observe(run.options.observation) { $0.count >= 2 }
                }
                for value in values ?? [] {
                    heard += 1
                    if value.octets.count > value.mtu {
                        findings.append(
                            CheckFinding(
                                "\(value.octets.count) octets with an MTU of \(value.mtu)", handle: value.handle,
                                value.octets))
                    }
                    if value.octets.count < 3 { findings.append(CheckFinding("no handle", value.octets)) }
                    if value.handle == sender.item.handle, value.octets.first == (isNotification ? 0x1D : 0x1B) {
                        findings.append(
                            CheckFinding("not the form that was subscribed to", handle: value.handle, value.octets))
                    }
                }
            }
            return heard == 0 ? .notRun("no value was sent in the time of the check") : .findings(findings)
        },
        exchange(
            "value-mtu", .error, att + "3.4.7.1",
            "With the smallest MTU of 23 no notification or indication is longer than that.",
            fix: "Truncate the value to MTU - 3."
        ) { run in
            let all = run.database.senders
            guard !all.isEmpty else { return .notApplicable("no characteristic sends values") }
            try await run.fresh()
            try await run.exchangeMTU(23)
            var heard = 0
            var findings: [CheckFinding] = []
            for sender in all.prefix(8) {
                let values = try await run.subscribing(sender) {
                    try await run.observe(run.options.observation) { !$0.isEmpty }
                }
                heard += values?.count ?? 0
                for value in values ?? [] where value.octets.count > 23 {
                    findings.append(CheckFinding("\(value.octets.count) octets", handle: value.handle, value.octets))
                }
            }
            await run.close()
            return heard == 0 ? .notRun("no value was sent in the time of the check") : .findings(findings)
        },
        exchange(
            "value-unsubscribed", .error, gatt + "4.10",
            "After the end of a subscription no further value is sent.",
            fix: "Look at the configuration before each value."
        ) { run in
            var heard = 0
            var findings: [CheckFinding] = []
            for sender in run.database.senders.prefix(8) {
                let first = try await run.subscribing(sender) {
                    try await run.observe(run.options.observation) { !$0.isEmpty }
                }
                guard let first, !first.isEmpty else { continue }
                heard += 1
                let handle = sender.item.handle
                let late = try await run.observe(.milliseconds(1500)) { $0.contains { $0.handle == handle } }
                for value in late.filter({ $0.handle == handle }).prefix(1) {
                    findings.append(CheckFinding("a value after the end", handle: value.handle, value.octets))
                }
                // A few characteristics with regular values suffice.
                if heard == 3 { break }
            }
            return heard > 0 ? .findings(findings) : .notRun("no value was sent in the time of the check")
        },
        exchange(
            "indication-one", .error, att + "3.3.2", test: "GATT/SR/GAI/BV-01-C",
            "A second indication is not sent before the first is confirmed.",
            fix: "Wait for the confirmation before the next indication."
        ) { run in
            try await run.judgeIndications(otherwise: "no indication was sent in the time of the check") {
                try await run.withholdingConfirmations {
                    var values = try await run.observe(run.options.observation) { !$0.isEmpty }
                    if values.contains(where: \.isIndication) {
                        values += try await run.observe(run.options.observation) { $0.contains(where: \.isIndication) }
                    }
                    return values
                }
            } judge: { values in
                guard values.count > 1 else { return values.isEmpty ? nil : .passed }
                return .finding(
                    "a second indication before the confirmation", handle: values[1].handle, values[1].octets)
            }
        },
        exchange(
            "indication-repeated", .warning, att + "3.4.7.3",
            "An indication that was confirmed is not sent again.",
            fix: "Remove the value when the confirmation arrives."
        ) { run in
            try await run.judgeIndications(
                otherwise: "fewer than two indications were sent in the time of the check"
            ) {
                try await run.observe(run.options.observation) { $0.filter(\.isIndication).count > 3 }
            } judge: { values in
                guard values.count > 1 else { return nil }
                for (first, second) in zip(values, values.dropFirst())
                where first.octets == second.octets && second.time - first.time < .milliseconds(400) {
                    return .finding("the same indication again", handle: second.handle, second.octets)
                }
                return .passed
            }
        },
        exchange(
            "indication-timeout", .error, att + "3.3.3", test: "GATT/SR/GAT/BV-01-C", needs: .slow,
            "After an indication that is not confirmed for 30 s the server sends no further value on this link.",
            fix: "End the link, or send nothing more on it."
        ) { run in
            for sender in run.database.senders.filter({ $0.item.has(0x20) }).prefix(4) {
                let answer = try await run.configure(sender.configuration, 2)
                guard answer.isAccepted else { continue }
                let verdict = try await run.unconfirmedIndication()
                await run.close()
                if let verdict { return verdict }
            }
            return .notRun("no indication was sent in the time of the check")
        },
    ]
}

extension CheckRun {
    /// Subscribes to the indications of up to four characteristics in turn, until those of one can be judged.
    /// - Parameters:
    ///   - reason: the reason why none could be.
    ///   - receive: receives values while the subscription lasts.
    ///   - judge: judges the indications; returns nil to go on with the next characteristic.
    fileprivate func judgeIndications(
        otherwise reason: String, _ receive: () async throws -> [ReceivedValue],
        judge: ([ReceivedValue]) -> CheckVerdict?
    ) async throws -> CheckVerdict {
        let all = database.senders.filter { $0.item.has(0x20) }
        guard !all.isEmpty else { return .notApplicable("no characteristic indicates") }
        for sender in all.prefix(4) {
            let answer = try await configure(sender.configuration, 2)
            guard answer.isAccepted else { continue }
            let values = try await receive().filter(\.isIndication)
            _ = try await configure(sender.configuration, 0)
            if let verdict = judge(values) { return verdict }
        }
        return .notRun(reason)
    }

    /// Withholds the confirmation of the next indication, and judges values that the device sends after the transaction
    /// timeout. Returns nil if the device sends no indication. The device may end the link.
    fileprivate func unconfirmedIndication() async throws -> CheckVerdict? {
        try await withholdingConfirmations {
            let first = try await observe(options.observation) { $0.contains(where: \.isIndication) }
            guard first.contains(where: \.isIndication) else { return nil }
            let late = try await permittingLoss {
                _ = try await observe(options.transactionTimeout + .seconds(1))
                let count = values.count
                // A device may hold queued values until it responds to a request.
                try await send(.findInformation(1, 1))
                _ = try await observe(options.observation)
                return Array(values[count...])
            }
            return .findings(
                (late ?? []).prefix(4).map { CheckFinding("a value after it", handle: $0.handle, $0.octets) })
        }
    }
}
