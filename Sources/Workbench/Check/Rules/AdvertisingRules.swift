import BluetoothModel

/// The prefix of citations of the Core Specification Supplement, which defines the structures of advertising data.
let css = "CSS v12, Part A, "

/// Returns a judge of the structures of the given types. `problem` returns nil for a valid structure.
func eachStructure(
    _ types: [UInt8], _ problem: @escaping @Sendable (CheckAdvertising.Structure) -> String?
) -> CheckRule.Judge {
    { run in
        let all = run.advertising.structures.filter { types.contains($0.type) }
        guard !all.isEmpty else { return .notApplicable("the advertising has no such structure") }
        return .findings(all.compactMap { item in problem(item).map { CheckFinding($0, item.octets) } })
    }
}

/// Returns a judge of all packets and scan responses. `problem` returns nil for a valid packet.
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
    static func advertising(
        _ id: String, _ severity: Severity = .error, _ section: String, needs: Needs = .packets, _ text: String,
        fix: String, judge: @escaping Judge
    ) -> CheckRule {
        CheckRule(id, severity, section, needs: needs, text, fix: fix, judge: judge)
    }

    /// Returns a rule about the length of the structures of the given types.
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
            "adv-structure-length", .error, gap + "11",
            "The length of a structure does not exceed the packet. Scanners discard the rest of such a packet.",
            fix: "Correct the length octet: it counts the type and the data.",
            judge: eachPacket { packet, _ in
                let rest = CheckAdvertising.rest(packet)
                guard let length = rest.first, length > 0 else { return nil }
                return ("a structure of \(length) octets begins \(rest.count - 1) octets before the end", rest)
            }),
        advertising(
            "adv-early-termination", .error, gap + "11",
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
            "Flags are not in a scan response, where scanners do not look for them.",
            fix: "Move the Flags to the advertising packet.",
            judge: eachPacket { packet, isResponse in
                let flags = CheckAdvertising.structures(packet, isResponse: true).first { $0.type == 0x01 }
                guard isResponse, let flags else { return nil }
                return ("Flags in the scan response", flags.octets)
            }),
        advertising(
            "adv-flags-modes", .error, gap + "9.2.3",
            "A device is in the limited or in the general discoverable mode, not in both.",
            fix: "Set one of the bits 0 and 1 of the Flags.",
            judge: eachStructure([0x01]) { $0.data.first.map { $0 & 3 == 3 } == true ? "both modes are set" : nil }),
        advertising(
            "adv-flags-undiscoverable", .warning, gap + "9.2.2",
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
            "Flags, the name, TX Power Level, Appearance, LE Role, the interval and each list of services occur at "
                + "most once in a packet: a scanner uses one of them.",
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
            "Types of structures are assigned by the Bluetooth SIG; a vendor's data goes into Manufacturer Specific "
                + "Data.",
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
}
