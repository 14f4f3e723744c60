import BluetoothModel

private let flags: [UInt8] = [2, 1, 6]

extension Faulty {
    static let advertisingTable: [Faulty] = [
        advertising("adv-structure-length", flags + [9, 9, 0x54]),
        advertising("adv-early-termination", flags + [0, 1, 2]),
        advertising("adv-flags-missing", [5, 9, 0x54, 0x65, 0x73, 0x74]),
        advertising("adv-flags-placement", [5, 9, 0x54, 0x65, 0x73, 0x74], response: flags),
        advertising("adv-flags-modes", [2, 1, 7]),
        advertising("adv-flags-undiscoverable", [2, 1, 4]),
        advertising("adv-flags-classic", [2, 1, 2]),
        advertising("adv-flags-contradiction", [2, 1, 0x0E]),
        advertising("adv-flags-reserved", [2, 1, 0x86]),
        advertising("adv-duplicate", flags + [2, 0x0A, 0, 2, 0x0A, 1]),
        advertising("adv-type-unassigned", flags + [2, 0x7C, 1]),
        advertising("adv-type-out-of-band", flags + [17, 0x10] + [UInt8](repeating: 7, count: 16)),
        advertising("adv-flags-length", [1, 1]),
        advertising("adv-services16-length", flags + [4, 3, 1, 2, 3]),
        advertising("adv-services32-length", flags + [3, 5, 1, 2]),
        advertising("adv-services128-length", flags + [3, 7, 1, 2]),
        advertising("adv-power-length", flags + [3, 0x0A, 1, 2]),
        advertising("adv-interval-range-length", flags + [3, 0x12, 6, 0]),
        advertising("adv-appearance-length", flags + [2, 0x19, 1]),
        advertising("adv-role-length", flags + [3, 0x1C, 0, 0]),
        advertising("adv-address-length", flags + [3, 0x1B, 1, 2]),
        advertising("adv-target-length", flags + [3, 0x17, 1, 2]),
        advertising("adv-advertising-interval-length", flags + [2, 0x1A, 1]),
        advertising("adv-service-data16-length", flags + [2, 0x16, 1]),
        advertising("adv-service-data128-length", flags + [4, 0x21, 1, 2, 3]),
        advertising("adv-manufacturer-length", flags + [2, 0xFF, 1]),
        advertising("adv-name-utf8", flags + [3, 9, 0xC3, 0x28]),
        advertising("adv-name-empty", flags + [1, 9]),
        advertising("adv-name-complete", flags + [4, 9, 0x54, 0x65, 0x73]),
        advertising("adv-services-duplicate", flags + [5, 2, 0x0F, 0x18, 0x0F, 0x18]),
        advertising(
            "adv-services-long",
            flags + [17, 6, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0x0F, 0x18, 0, 0]),
        Faulty("adv-services-reversed") {
            let uuid: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
            $0.advertisement =
                flags + [
                    17, 7, 0x6E, 0x40, 0, 1, 0xB5, 0xA3, 0xF3, 0x93, 0xE0, 0xA9, 0xE5, 0x0E, 0x24, 0xDC, 0xCA, 0x9E,
                ]
            $0.server = RawServer(
                RawDefinition.generic + [RawService(uuid: uuid, characteristics: [c(0xFFF1, 2, [1])])])
        },
        advertising("adv-services-exist", flags + [3, 2, 0x09, 0x18]),
        advertising("adv-services-complete", flags + [3, 3, 0x0F, 0x18]),
        advertising("adv-interval-value", flags + [3, 0x1A, 0x40, 0x06]),
        advertising("adv-appearance-match", flags + [3, 0x19, 0x40, 0x03]),
        advertising("adv-appearance-assigned", flags + [3, 0x19, 0x00, 0xF0]),
        advertising("adv-power-range", flags + [2, 0x0A, 0x80]),
        advertising("adv-interval-range", flags + [5, 0x12, 40, 0, 6, 0]),
        advertising("adv-role-value", flags + [2, 0x1C, 1]),
        advertising("adv-manufacturer-company", flags + [4, 0xFF, 0xFF, 0xFF, 1]),
        Faulty("adv-address-private") { $0.address = BluetoothAddress(value: 0x2012_3456_789A, kind: .random) },
        slow,
        Faulty("adv-address-random") { $0.address = BluetoothAddress(value: 0xFFFF_FFFF_FFFF, kind: .random) },
    ]

    private static let slow: Faulty = {
        var faulty = Faulty("adv-interval-slow") { $0.interval = 8000 }
        faulty.packets = 3
        return faulty
    }()

    static let genericTable: [Faulty] = [
        Faulty("gap-service") { $0.server = RawServer(Array(RawDefinition.services.dropFirst())) },
        access("gap-name", items: [c(0x2A01, 2, [0, 0])]),
        access("gap-name-utf8", items: [c(0x2A00, 2, [0xC3, 0x28]), c(0x2A01, 2, [0, 0])]),
        access("gap-name-length", items: [c(0x2A00, 2, [UInt8](repeating: 0x41, count: 260)), c(0x2A01, 2, [0, 0])]),
        access("gap-name-zero", items: [c(0x2A00, 2, [0x54, 0x65, 0, 0]), c(0x2A01, 2, [0, 0])]),
        access("gap-name-empty", items: [c(0x2A00, 2, []), c(0x2A01, 2, [0, 0])]),
        access("gap-appearance", items: [c(0x2A00, 2, [0x41])]),
        access("gap-appearance-length", items: [c(0x2A00, 2, [0x41]), c(0x2A01, 2, [0])]),
        access("gap-appearance-assigned", items: [c(0x2A00, 2, [0x41]), c(0x2A01, 2, [0, 0xF0])]),
        access("gap-parameters-length", items: [c(0x2A04, 2, [6, 0, 6, 0])]),
        access("gap-parameters-interval", items: [c(0x2A04, 2, [40, 0, 6, 0, 0, 0, 100, 0])]),
        access("gap-parameters-latency", items: [c(0x2A04, 2, [6, 0, 6, 0, 0x58, 2, 100, 0])]),
        access("gap-parameters-timeout", items: [c(0x2A04, 2, [6, 0, 200, 0, 10, 0, 100, 0])]),
        access("gap-address-resolution", items: [c(0x2AA6, 2, [2])]),
        access("gap-private-only", items: [c(0x2AC9, 2, [1])]),
        access("gap-duplicates", items: [c(0x2AA6, 2, [1]), c(0x2AA6, 2, [1])]),
        Faulty("gatt-service") {
            $0.server = RawServer(RawDefinition.services + [RawService(uuid: 0x1801)])
        },
        attribute("gatt-changed-properties", items: [c(0x2A05, 0x22, [1, 0, 0xFF, 0xFF])]),
        attribute("gatt-changed-configuration", items: [c(0x2A05, 0x20, [], hasConfiguration: false)]),
        attribute("gatt-hash-properties", items: [c(0x2B2A, 0x0A, [UInt8](repeating: 1, count: 16))]),
        attribute("gatt-hash-length", items: [c(0x2B2A, 2, [1, 2, 3])]),
        attribute("gatt-hash-open", items: [c(0x2B2A, 2, [UInt8](repeating: 1, count: 16), security: 0x05)]),
        attribute("gatt-hash-value", items: [c(0x2B2A, 2, [UInt8](repeating: 1, count: 16))]),
        attribute("gatt-features-properties", items: [c(0x2B29, 2, [0])]),
        attribute("gatt-features-length", items: [c(0x2B29, 0x0A, [])]),
        attribute("gatt-features-zero", items: [c(0x2B29, 0x0A, [1])]),
        attribute("gatt-server-features", items: [c(0x2B3A, 0x0A, [1])]),
        attribute("gatt-caching-complete", items: [c(0x2B29, 0x0A, [0])]),
    ]

    static let structureTable: [Faulty] = [
        table("db-service-range") { $0.ends[1] = 0 },
        table("db-service-overlap") { $0.ends[1] = 8 },
        Faulty("db-service-uuid") {
            $0.server = RawServer(RawDefinition.services)
            let place = $0.server.index($0.server.handle(0x2A19) - 2) ?? 0
            $0.server.attributes[place].value = BluetoothUUID(0x180F as UInt16).wideOctets
        },
        Faulty("db-secondary-included") {
            $0.server = RawServer(RawDefinition.services + [RawService(uuid: 0xFFE0, isPrimary: false)])
        },
        Faulty("db-include-target") {
            $0.server = RawServer(RawDefinition.services + [RawService(uuid: 0xFFE0, includes: [2])])
            $0.server.attributes[$0.server.first(0x2802) ?? 0].value[2] ^= 1
        },
        Faulty("db-include-self") {
            let own = RawDefinition.services.count
            $0.server = RawServer(RawDefinition.services + [RawService(uuid: 0xFFE0, includes: [own])])
        },
        Faulty("db-include-order") {
            $0.server = RawServer(
                RawDefinition.services + [
                    RawService(uuid: 0xFFE0, characteristics: [c(0xFFE1, 2), c(0xFFE2, 2)])
                ])
            let place = $0.server.first(0xFFE2) ?? 1
            $0.server.attributes[place - 1].type = 0x2802
            $0.server.attributes[place - 1].value = le(1) + le($0.server.ends[1] ?? 0) + le(0x1800)
        },
        table("db-orphan") { server in
            let last = (server.attributes.last?.handle ?? 0) + 3
            server.attributes.append(RawAttribute(handle: last, type: 0x2901, value: [0x41]))
        },
        answers("db-discovery-agrees", to: [0x08]) { pdu, right, _ in
            // Characteristics of the last service are not found by their declarations.
            let isHidden = pdu[5] == 0x03 && pdu[6] == 0x28 && pdu[1] > 20
            return [isHidden ? [0x01, 0x08, pdu[1], pdu[2], 0x0A] : right ?? []]
        },
        answers("db-discovery-format", to: [0x10]) { _, right, _ in
            guard var right, right.count > 8, right[0] == 0x11 else { return right.map { [$0] } ?? [] }
            // The first two groups change places.
            let length = Int(right[1])
            guard right.count >= 2 + 2 * length else { return [right] }
            let (first, second) = (right[2..<(2 + length)], right[(2 + length)..<(2 + 2 * length)])
            right.replaceSubrange(2..<(2 + 2 * length), with: Array(second) + Array(first))
            return [right]
        },
        wrongCode(["db-discovery-end"], 0x04, 0x08, 0x10),
        table("db-value-handle") { server in
            let place = (server.first(0xFFF1) ?? 1) - 1
            server.attributes[place].value[1] += 2
        },
        table("db-value-in-service") { server in
            let place = (server.first(0x2A19) ?? 1) - 1
            server.attributes[place].value[1] = 1
        },
        table("db-value-type") { $0.attributes[$0.first(0xFFF1) ?? 0].type = 0xFFF9 },
        table("db-properties-empty") { $0.attributes[($0.first(0xFFF1) ?? 1) - 1].value[0] = 0 },
        descriptors("db-configuration-missing", properties: 0x12, hasConfiguration: false, descriptors: []),
        descriptors("db-configuration-useless", descriptors: [(0x2902, [0, 0])]),
        descriptors("db-configuration-once", properties: 0x12, descriptors: [(0x2902, [0, 0])]),
        descriptors("db-broadcast-configuration", properties: 3, descriptors: []),
        descriptors("db-extended-properties", properties: 0x82, descriptors: []),
        descriptors("db-description-once", descriptors: [(0x2901, [0x41]), (0x2901, [0x42])]),
        descriptors("db-description-writable", properties: 0x82, descriptors: [(0x2900, [2, 0])]),
        descriptors(
            "db-format-aggregate",
            descriptors: [(0x2904, [4, 0, 0xAD, 0x27, 1, 0, 0]), (0x2904, [4, 0, 0xAD, 0x27, 1, 0, 0])]),
        table("db-uuid-long") { server in
            let place = (server.first(0x2A19) ?? 1) - 1
            server.attributes[place].value =
                Array(server.attributes[place].value.prefix(3)) + BluetoothUUID(0x2A19 as UInt16).wideOctets
        },
        table("db-value-length") { $0.attributes[$0.first(0xFFF1) ?? 0].value = [UInt8](repeating: 1, count: 600) },
        descriptors("db-extended-value", properties: 0x82, descriptors: [(0x2900, [1])]),
        descriptors("db-description-utf8", descriptors: [(0x2901, [0xC3, 0x28])]),
        descriptors("db-format-length", descriptors: [(0x2904, [4, 0, 0xAD, 0x27, 1, 0])]),
        descriptors("db-format-type", descriptors: [(0x2904, [0x60, 0, 0xAD, 0x27, 1, 0, 0])]),
        descriptors("db-format-unit", descriptors: [(0x2904, [4, 0, 0xAD, 0x10, 1, 0, 0])]),
        descriptors("db-format-namespace", descriptors: [(0x2904, [4, 0, 0xAD, 0x27, 9, 0, 0])]),
        descriptors("db-aggregate-value", descriptors: [(0x2905, [1, 0, 2, 0])]),
    ]
}

extension BluetoothUUID {
    /// The 16 octets as in a packet.
    var wideOctets: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        write128(to: &writer)
        return writer.bytes
    }
}
