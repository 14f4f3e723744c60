import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// Commands and events (Core 6.0, Vol 4, Part E, 7).
extension Dissector {
    mutating func command(_ packet: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection) {
        let opcode = HCIOpcode(rawValue: packet.uint16(at: 1))
        let text = read(PacketLayouts.commands[opcode.rawValue], packet.dropFirst(4), isCut: isCut, &result)
        result.summary = Self.line("\(opcode)", text.line)
        if commands.count >= Self.capacity { commands = [:] }
        commands[LinkKey(adapter: record.adapter, handle: opcode.rawValue)] = record.time
        if opcode == .disconnect || PacketLayouts.commands[opcode.rawValue]?.fields.first?.format == .link {
            setConnection(packet.dropFirst(4), at: 0, record, &result)
        }
        if opcode == .reset {
            links = links.filter { $0.key.adapter != record.adapter }
        }
    }

    mutating func event(_ packet: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection) {
        let code = HCIEventCode(rawValue: packet[1])
        let parameters = packet.dropFirst(3)
        switch code {
        case .commandComplete: commandComplete(parameters, record, isCut: isCut, &result)
        case .commandStatus: commandStatus(parameters, record, isCut: isCut, &result)
        case .leMeta: lowEnergyEvent(parameters, record, isCut: isCut, &result)
        default:
            let layout = PacketLayouts.events[UInt16(code.rawValue)]
            let text = read(layout, parameters, isCut: isCut, &result)
            result.summary = Self.line(code == .hardwareError ? "Hardware Error" : "\(code)", text.line)
            if code == .hardwareError || code == .dataBufferOverflow { result.fail(result.summary) }
            note(text.status, &result)
            setConnection(parameters, layout, record, &result)
            if code.rawValue == 0x03, text.status == .success, parameters.count >= 9 {
                connected(parameters, record, &result)
            }
            if code == .disconnectionComplete, text.status == .success, parameters.count >= 4 {
                ended(record, HCIStatus(rawValue: parameters[3]), &result)
            }
        }
    }

    /// Reads the fields of a packet, and records errors in them.
    private mutating func read(
        _ layout: PacketLayout?, _ bytes: ByteView, isCut: Bool, _ result: inout Dissection
    ) -> PacketText {
        guard let layout else {
            var text = PacketText()
            if !bytes.isEmpty { text.parts = [PacketLayout.concealed(bytes.count)] }
            return text
        }
        let text = layout.read(bytes)
        if let problem = text.problem {
            if !isCut { result.fail(problem) }
        }
        result.devices.formUnion(text.addresses)
        return text
    }

    static func line(_ name: String, _ fields: String) -> String { fields.isEmpty ? name : "\(name): \(fields)" }

    private func note(_ status: HCIStatus?, _ result: inout Dissection) {
        guard let status, status != .success else { return }
        result.summary = "\(result.summary): \(status)"
        result.fail("\(status)")
    }

    private mutating func commandComplete(
        _ parameters: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection
    ) {
        guard parameters.count >= 3 else {
            result.summary = "Command Complete"
            return isCut ? () : result.fail("truncated inside the opcode")
        }
        let opcode = HCIOpcode(rawValue: parameters.uint16(at: 1))
        guard opcode != .none else { return result.summary = "Command Complete: credits \(parameters[0])" }
        result.summary = "Command Complete: \(opcode)"
        answered(opcode, record, &result)
        let returned = parameters.dropFirst(3)
        guard !returned.isEmpty else { return }
        let status = HCIStatus(rawValue: returned[0])
        guard status == .success else { return note(status, &result) }
        let layout = PacketLayouts.returns[opcode.rawValue]
        if layout != nil || returned.count > 1 {
            let text = read(layout, returned.dropFirst(1), isCut: isCut, &result)
            if !text.parts.isEmpty { result.summary += ": \(text.line)" }
        }
        if layout?.fields.first?.format == .link { setConnection(returned, at: 1, record, &result) }
    }

    private mutating func commandStatus(
        _ parameters: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection
    ) {
        guard parameters.count >= 4 else {
            result.summary = "Command Status"
            return isCut ? () : result.fail("truncated inside the opcode")
        }
        let opcode = HCIOpcode(rawValue: parameters.uint16(at: 2))
        result.summary = opcode == .none ? "Command Status: credits \(parameters[1])" : "Command Status: \(opcode)"
        answered(opcode, record, &result)
        note(HCIStatus(rawValue: parameters[0]), &result)
    }

    private mutating func answered(_ opcode: HCIOpcode, _ record: CaptureRecord, _ result: inout Dissection) {
        let key = LinkKey(adapter: record.adapter, handle: opcode.rawValue)
        guard let given = commands.removeValue(forKey: key), let time = record.time, time >= given else { return }
        result.notes.append(.answered(what: "\(opcode)", nanoseconds: time &- given))
    }

    // MARK: LE Meta

    private mutating func lowEnergyEvent(
        _ parameters: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection
    ) {
        guard !parameters.isEmpty else {
            result.summary = "LE Meta"
            return isCut ? () : result.fail("truncated inside the subevent")
        }
        let code = LEEventCode(rawValue: parameters[0])
        let rest = parameters.dropFirst(1)
        result.layers.append("le")
        switch code {
        case .advertisingReport, .extendedAdvertisingReport, .directedAdvertisingReport:
            return advertising(code, rest, record, isCut: isCut, &result)
        default: break
        }
        let layout = PacketLayouts.lowEnergyEvents[UInt16(code.rawValue)]
        let text = read(layout, rest, isCut: isCut, &result)
        result.summary = Self.line("\(code)", text.line)
        note(text.status, &result)
        guard text.status == nil || text.status == .success else { return }
        let isEnhanced = code == .enhancedConnectionComplete || code.rawValue == 0x29
        if isEnhanced || code == .connectionComplete {
            guard case .established(let connection) = LEConnectionComplete(rest, isEnhanced: isEnhanced) else {
                return isCut ? () : result.fail("fields are out of range")
            }
            let key = LinkKey(adapter: record.adapter, handle: connection.handle)
            let link = DissectedLink(index: linkCount, key: key, time: record.time)
            link.isFromItsBeginning = true
            link.role = connection.role
            link.peer = connection.peerAddress
            _ = begin(link, &result)
            result.connection = connection.handle
            result.devices.insert(connection.peerAddress)
        } else {
            setConnection(rest, layout, record, &result)
        }
    }

    private mutating func advertising(
        _ code: LEEventCode, _ parameters: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection
    ) {
        guard !parameters.isEmpty else { return isCut ? () : result.fail("truncated inside the count") }
        var (rest, lines) = (parameters.dropFirst(1), [String]())
        for _ in 0..<Int(parameters[0]) {
            guard let (report, status) = Self.next(code, &rest) else { break }
            lines.append(line(report, status, record, &result))
        }
        if lines.count < Int(parameters[0]), !isCut { result.fail("truncated inside report \(lines.count + 1)") }
        result.summary = Self.line("\(code)", lines.joined(separator: " | "))
    }

    /// Reads the next report of an event. Returns nil if it is cut off; a report without an address is nil itself. The
    /// status is that of an extended report.
    private static func next(
        _ code: LEEventCode, _ rest: inout ByteView
    ) -> (AdvertisingReport?, ExtendedReportAssembler.Status?)? {
        switch code {
        case .advertisingReport: AdvertisingReport.legacy(&rest).map { ($0, nil) }
        case .directedAdvertisingReport: AdvertisingReport.directed(&rest).map { ($0, nil) }
        default: AdvertisingReport.extended(&rest).map { ($0.0, $0.1) }
        }
    }

    private mutating func line(
        _ report: AdvertisingReport?, _ status: ExtendedReportAssembler.Status?, _ record: CaptureRecord,
        _ result: inout Dissection
    ) -> String {
        guard let report else { return "an advertisement without an address" }
        result.devices.insert(report.address)
        var parts = [report.address.text]
        if let rssi = report.rssi { parts.append("\(rssi) dBm") }
        if report.isScanResponse { parts.append("scan response") }
        if report.properties.contains(.directed) { parts.append("directed") }
        if report.isConnectable { parts.append("connectable") }
        if !report.properties.contains(.legacy) { parts.append("extended") }
        if let sid = report.sid { parts.append("set \(sid)") }
        if report.isTruncated { parts.append("truncated") }
        switch status.map({ assemblers[record.adapter, default: .init()].add(report, $0) }) ?? .asIs {
        case .asIs: note(report.data.array, of: report, &parts, &result)
        case .assembled(let bytes): note(bytes, of: report, &parts, &result)
        case .waiting: parts.append("\(report.data.count.counted("octet")), continued in the next report")
        case .dropped: result.fail("more advertising data than 1650 octets")
        }
        return parts.joined(separator: " ")
    }

    /// Notes the whole data of an advertisement.
    private mutating func note(
        _ bytes: [UInt8], of report: AdvertisingReport, _ parts: inout [String], _ result: inout Dissection
    ) {
        if keepsPackets {
            result.advertisements.append(
                .init(
                    address: report.address, isScanResponse: report.isScanResponse,
                    isConnectable: report.isConnectable, data: bytes))
        }
        let data = AdvertisingData(parsing: bytes)
        if !bytes.isEmpty { parts.append(PacketLayout.text(data)) }
        if !data.malformedTail.isEmpty { result.fail("the last structure of the advertising data is truncated") }
        if let name = data.localName, names.count < Self.capacity { names[report.address] = name }
    }

    // MARK: Links

    /// Sets the connection handle if it is the first field of a packet, or the second after a status.
    private mutating func setConnection(
        _ parameters: ByteView, _ layout: PacketLayout?, _ record: CaptureRecord, _ result: inout Dissection
    ) {
        guard let fields = layout?.fields, !fields.contains(where: { $0.format == .count }) else { return }
        if fields.first?.format == .link { setConnection(parameters, at: 0, record, &result) }
        if fields.count > 1, fields[0].format == .status, fields[1].format == .link {
            setConnection(parameters, at: 1, record, &result)
        }
    }

    private mutating func setConnection(
        _ parameters: ByteView, at offset: Int, _ record: CaptureRecord, _ result: inout Dissection
    ) {
        guard parameters.count >= offset + 2 else { return }
        let handle = parameters.uint16(at: offset) & 0x0FFF
        result.connection = handle
        if let peer = links[LinkKey(adapter: record.adapter, handle: handle)]?.peer { result.devices.insert(peer) }
    }

    /// Adds a link of BR/EDR after Connection Complete.
    private mutating func connected(_ parameters: ByteView, _ record: CaptureRecord, _ result: inout Dissection) {
        let handle = parameters.uint16(at: 1) & 0x0FFF
        let key = LinkKey(adapter: record.adapter, handle: handle)
        let link = DissectedLink(index: linkCount, key: key, time: record.time)
        link.isFromItsBeginning = true
        link.peer = BluetoothAddress(littleEndian: parameters.dropFirst(3).prefix(6), kind: .public)
        _ = begin(link, &result)
    }

    private mutating func ended(_ record: CaptureRecord, _ reason: HCIStatus, _ result: inout Dissection) {
        let ordinary: Set<HCIStatus> = [
            .remoteUserTerminated, .remoteLowResources, .remotePowerOff, .localHostTerminated,
        ]
        if !ordinary.contains(reason) { result.fail("the link ended: \(reason)") }
        guard let handle = result.connection,
            let link = links.removeValue(forKey: LinkKey(adapter: record.adapter, handle: handle))
        else { return }
        result.notes.append(.linkEnded(link.index, reason))
    }
}
