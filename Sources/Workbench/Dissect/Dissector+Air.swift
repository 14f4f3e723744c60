import BluetoothHCI
import BluetoothModel

/// Packets of the link layer of LE (Core 6.0, Vol 6, Part B, 2).
extension Dissector {
    /// The adapter of the links of the air, which have no connection handles of a host.
    private static let airAdapter = UInt16.max

    mutating func air(_ packet: AirPacket, _ record: CaptureRecord, _ result: inout Dissection) {
        result.layers = ["air"]
        guard !packet.hasWrongCRC else {
            result.summary = "a packet of \(packet.pdu.count) octets"
            return result.fail("the CRC is wrong")
        }
        packet.pdu.withByteView { pdu in
            packet.accessAddress == AirPacket.advertising
                ? advertising(pdu, packet, &result) : data(pdu, packet, record, &result)
        }
    }

    // MARK: Advertising

    private static let advertisingNames = [
        "ADV_IND", "ADV_DIRECT_IND", "ADV_NONCONN_IND", "SCAN_REQ", "SCAN_RSP", "CONNECT_IND", "ADV_SCAN_IND",
        "ADV_EXT_IND",
    ]

    private mutating func advertising(_ pdu: ByteView, _ packet: AirPacket, _ result: inout Dissection) {
        result.layers.append("advertising")
        let type = Int(pdu[0] & 0x0F), payload = pdu.dropFirst(2)
        let isKnown = type < Self.advertisingNames.count
        let name = isKnown ? Self.advertisingNames[type] : "Advertising PDU of type \(type)"
        func address(_ offset: Int, isRandom: Bool) -> BluetoothAddress? {
            guard payload.count >= offset + 6 else { return nil }
            return BluetoothAddress(
                littleEndian: payload.dropFirst(offset).prefix(6), kind: isRandom ? .random : .public)
        }
        let first = address(0, isRandom: pdu[0] & 0x40 != 0), second = address(6, isRandom: pdu[0] & 0x80 != 0)
        var parts: [String] = []
        switch type {
        case 0, 2, 4, 6:
            guard let first else { return malformed(name, &result) }
            result.devices.insert(first)
            let data = AdvertisingData(parsing: payload.dropFirst(6).array)
            parts = [first.text, PacketLayout.text(data)]
            if let local = data.localName, names.count < Self.capacity { names[first] = local }
            if !data.malformedTail.isEmpty { result.fail("the last structure of the advertising data is truncated") }
            if keepsPackets {
                result.advertisements = [
                    .init(
                        address: first, isScanResponse: type == 4, isConnectable: type == 0,
                        data: payload.dropFirst(6).array)
                ]
            }
        case 1, 3, 5:
            guard let first, let second, type != 5 || payload.count >= 34 else { return malformed(name, &result) }
            result.devices = [first, second]
            parts = ["\(first.text) to \(second.text)"]
            if type == 5 {
                let accessAddress = UInt32(payload.uint16(at: 12)) | UInt32(payload.uint16(at: 14)) << 16
                let link = begin(accessAddress, &result)
                link.peer = second
                result.connection = link.key.handle
                parts.append("access address \(PacketLayout.hex(UInt64(accessAddress), digits: 8))")
            }
        default: if !payload.isEmpty { parts = [PacketLayout.concealed(payload.count)] }
        }
        if let rssi = packet.rssi { parts.append("\(rssi) dBm") }
        result.summary = Self.line(name, parts.joined(separator: " "))
    }

    private func malformed(_ name: String, _ result: inout Dissection) {
        result.summary = name
        result.fail("truncated")
    }

    // MARK: Links

    private mutating func begin(_ accessAddress: UInt32, _ result: inout Dissection) -> DissectedLink {
        if airLinks.count >= 0x0EFF { airLinks = [:] }
        // A pseudo handle, which fits the 12 bits of one.
        let key = LinkKey(adapter: Self.airAdapter, handle: UInt16(linkCount % 0x0EFF + 1))
        airLinks[accessAddress] = AirLink(handle: key.handle, keys: airKeys)
        return begin(DissectedLink(index: linkCount, key: key, time: result.time), &result)
    }

    private mutating func data(
        _ pdu: ByteView, _ packet: AirPacket, _ record: CaptureRecord, _ result: inout Dissection
    ) {
        if airLinks[packet.accessAddress] == nil { _ = begin(packet.accessAddress, &result) }
        guard let air = airLinks[packet.accessAddress] else { return }
        let key = LinkKey(adapter: Self.airAdapter, handle: air.handle)
        result.connection = air.handle
        if let peer = links[key]?.peer { result.devices.insert(peer) }
        let direction = record.direction ?? air.direction(of: pdu, at: record.time)
        result.direction = direction
        guard air.isNew(pdu[0], direction) else { return result.summary = "a repeated packet" }
        guard pdu.count > 2 else { return result.summary = "an empty packet" }
        let payload = packet.isDecrypted ? pdu.dropFirst(2).array : air.open(pdu, direction)
        guard let payload else {
            return result.summary = "an encrypted packet of \(pdu.count - 2) octets"
        }
        if air.isEncrypted, !packet.isDecrypted { result.layers.append("decrypted") }
        let kind = pdu[0] & 3
        guard kind != 3 else { return control(payload, direction, air, &result) }
        // The packet as it would cross HCI at the central.
        let boundary: UInt16 = kind == 1 ? 1 : direction == .sent ? 0 : 2
        let field = air.handle | boundary << 12
        let bytes =
            [HCIPacketType.acl.rawValue, UInt8(truncatingIfNeeded: field), UInt8(field >> 8)]
            + [UInt8(truncatingIfNeeded: payload.count), UInt8(payload.count >> 8)] + payload
        var acl = record
        (acl.adapter, acl.direction) = (Self.airAdapter, direction)
        bytes.withByteView { data($0, acl, isCut: record.missingCount > 0, &result) }
    }

    private static let controlNames = [
        "LL_CONNECTION_UPDATE_IND", "LL_CHANNEL_MAP_IND", "LL_TERMINATE_IND", "LL_ENC_REQ", "LL_ENC_RSP",
        "LL_START_ENC_REQ", "LL_START_ENC_RSP", "LL_UNKNOWN_RSP", "LL_FEATURE_REQ", "LL_FEATURE_RSP",
        "LL_PAUSE_ENC_REQ", "LL_PAUSE_ENC_RSP", "LL_VERSION_IND", "LL_REJECT_IND", "LL_PERIPHERAL_FEATURE_REQ",
        "LL_CONNECTION_PARAM_REQ", "LL_CONNECTION_PARAM_RSP", "LL_REJECT_EXT_IND", "LL_PING_REQ", "LL_PING_RSP",
        "LL_LENGTH_REQ", "LL_LENGTH_RSP", "LL_PHY_REQ", "LL_PHY_RSP", "LL_PHY_UPDATE_IND", "LL_MIN_USED_CHANNELS_IND",
    ]

    private mutating func control(
        _ payload: [UInt8], _ direction: CaptureRecord.Direction, _ air: AirLink, _ result: inout Dissection
    ) {
        result.layers.append("control")
        guard let code = payload.first else { return result.fail("a control packet without an opcode") }
        let isKnown = Int(code) < Self.controlNames.count
        let name = isKnown ? Self.controlNames[Int(code)] : "LL control 0x\([code].hexText())"
        let count = payload.count - 1
        result.summary = Self.line(name, count > 0 ? PacketLayout.concealed(count) : "")
        air.follow(payload, direction)
        let key = LinkKey(adapter: Self.airAdapter, handle: air.handle)
        if code == 0x02, payload.count == 2, let link = links.removeValue(forKey: key) {
            result.summary = "\(name): \(HCIStatus(rawValue: payload[1]))"
            result.notes.append(.linkEnded(link.index, HCIStatus(rawValue: payload[1])))
        }
    }
}
