import BluetoothHCI
import BluetoothHost
import BluetoothModel
import BluetoothProfiles
import Explorer

/// The attribute protocol (Core 6.0, Vol 3, Part F, 3.4).
extension Dissector {
    /// A packet of the attribute protocol and its context.
    struct AttributePacket {
        let frame: Frame
        /// The channel identifier of the bearer.
        let channel: UInt16
        let opcode: ATTOpcode
        let link: DissectedLink
        /// The names of the server's attributes.
        let names: AttributeNames
        let time: Int64?

        var way: DissectedLink.Way { link.way(frame.direction) }
        var otherWay: DissectedLink.Way { link.way(frame.direction.reversed) }
    }

    mutating func attribute(_ packet: ByteView, _ channel: UInt16, _ frame: Frame, _ result: inout Dissection) {
        result.layers.append("att")
        guard !packet.isEmpty else {
            result.summary = "ATT"
            return frame.isCut ? () : result.fail("a packet without an opcode")
        }
        result.att = .init(opcode: packet[0])
        guard let opcode = ATTOpcode(rawValue: packet[0]) else {
            result.summary = "ATT opcode 0x\([packet[0]].hexText()): \(PacketLayout.concealed(packet.count - 1))"
            return result.fail("an unknown opcode")
        }
        let isFromServer = [.response, .notification, .indication].contains(opcode.kind)
        // The captured host is the server if it sends a server's packet or receives a client's packet.
        let isOfHost = (frame.direction == .sent) == isFromServer
        if keepsPackets, !frame.isCut {
            result.exchange = .init(
                link: frame.link.index, peer: frame.link.peer, isOfHost: isOfHost, channel: channel,
                packet: packet.array)
        }
        let attribute = AttributePacket(
            frame: frame, channel: channel, opcode: opcode, link: frame.link,
            names: names(on: frame.link, ofHost: isOfHost), time: result.time)
        let name = opcode.name
        switch opcode.kind {
        case .request, .command: request(packet, attribute, &result)
        case .response: response(packet, attribute, &result)
        case .notification, .indication: sentValue(packet, attribute, &result)
        case .confirmation: confirmation(attribute, &result)
        }
        result.summary = Self.line(name, result.summary)
        if opcode.kind != .response, opcode.kind != .confirmation {
            result.notes.append(.procedure(frame.link.index, name))
        }
    }

    // MARK: Requests and commands

    private func request(_ packet: ByteView, _ attribute: AttributePacket, _ result: inout Dissection) {
        var pending = DissectedLink.Request(opcode: attribute.opcode, time: attribute.time)
        let isKnown = describe(packet, attribute, &pending, &result)
        if !isKnown, !attribute.frame.isCut { result.fail("malformed: \(packet.count.counted("octet"))") }
        result.att?.handles = pending.handles
        guard attribute.opcode.kind == .request else { return }
        if let before = attribute.way.requests[attribute.channel], attribute.opcode != .exchangeMTURequest {
            result.fail("a request before the response to the previous request, \(before.opcode.name)")
        }
        attribute.way.requests[attribute.channel] = pending
    }

    /// Describes the parameters of a request; returns false if it is malformed.
    private func describe(
        _ packet: ByteView, _ attribute: AttributePacket, _ pending: inout DissectedLink.Request,
        _ result: inout Dissection
    ) -> Bool {
        let names = attribute.names
        if attribute.opcode == .signedWriteCommand, packet.count >= 15 {
            let handle = packet.uint16(at: 1)
            pending.handles = [handle]
            let value = packet.dropFirst(3).prefix(packet.count - 15)
            result.summary = written(value, to: handle, attribute, &result) + ", signed"
            return true
        }
        guard let request = ATTIncomingRequest(attribute.opcode, packet) else {
            // A packet that was captured in part may contain the handle.
            if [.writeRequest, .writeCommand, .readRequest, .readBlobRequest].contains(attribute.opcode),
                packet.count >= 3
            {
                pending.handles = [packet.uint16(at: 1)]
                result.summary = names.text(packet.uint16(at: 1))
            }
            return false
        }
        switch request {
        case .exchangeMTU(let mtu):
            pending.mtu = mtu
            result.summary = "\(mtu) octets"
        case .findInformation(let range):
            pending.range = range.range
            result.summary = text(range, &result)
        case .findByTypeValue(let range, let type, let value):
            pending.range = range.range
            pending.type = BluetoothUUID(type)
            let isShown = Disclosure.shows(valueOf: BluetoothUUID(type))
            let what =
                isShown
                ? BluetoothUUID(littleEndian: value).map(Self.name) ?? Self.hex(value)
                : PacketLayout.concealed(value.count)
            result.summary = "\(text(range, &result)), \(Self.name(BluetoothUUID(type))) \(what)"
        case .readByType(let range, let type), .readByGroupType(let range, let type):
            pending.range = range.range
            pending.type = type
            result.summary = "\(text(range, &result)), \(Self.name(type))"
        case .read(let handle):
            pending.handles = [handle]
            result.summary = names.text(handle)
        case .readBlob(let handle, let offset):
            pending.handles = [handle]
            result.summary = "\(names.text(handle)) from \(offset)"
        case .readMultiple(let view), .readMultipleVariable(let view):
            pending.handles = stride(from: 0, to: view.count, by: 2).map { view.uint16(at: $0) }
            result.summary = pending.handles.map(names.text).joined(separator: ", ")
        case .write(let handle, let value), .writeCommand(let handle, let value):
            pending.handles = [handle]
            result.summary = written(value, to: handle, attribute, &result)
        case .prepareWrite(let handle, let offset, let value):
            pending.handles = [handle]
            note(value.count, attribute, &result)
            result.summary = "\(names.text(handle)) from \(offset): \(names.hex(value, of: [handle]))"
        case .executeWrite(let isWritten): result.summary = isWritten ? "write" : "cancel"
        }
        return true
    }

    private func text(_ range: ATTHandleRange, _ result: inout Dissection) -> String {
        if range.range == nil { result.fail("invalid handle range") }
        let ends = [range.first, range.last].map { PacketLayout.hex(UInt64($0), digits: 4) }
        return "\(ends[0]) to \(ends[1])"
    }

    static func name(_ uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(of: uuid).map { "\($0) (\(uuid))" } ?? "\(uuid)"
    }

    private func written(
        _ value: ByteView, to handle: UInt16, _ attribute: AttributePacket, _ result: inout Dissection
    ) -> String {
        note(value.count, attribute, &result)
        return self.value(value, of: handle, isWhole: !attribute.frame.isCut, attribute, &result)
    }

    func note(_ count: Int, _ attribute: AttributePacket, _ result: inout Dissection) {
        result.notes.append(.value(attribute.link.index, attribute.frame.direction, count))
    }

    /// Returns the name of an attribute and its value, which is decoded if its type is known.
    func value(
        _ bytes: ByteView, of handle: UInt16, isWhole: Bool, _ attribute: AttributePacket, _ result: inout Dissection
    ) -> String {
        let title = attribute.names.text(handle)
        guard isWhole, let uuid = attribute.names[handle], bytes.count <= 512 else {
            return "\(title): \(bytes.isEmpty ? "(empty)" : attribute.names.hex(bytes, of: [handle]))"
        }
        guard Disclosure.shows(valueOf: uuid) else { return "\(title): \(PacketLayout.concealed(bytes.count))" }
        if uuid == GATTType.characteristic || uuid == GATTType.primaryService || uuid == GATTType.secondaryService {
            return "\(title): \(Self.hex(bytes))"
        }
        let value = ValueText(bytes.array, of: uuid)
        if let problem = value.problem { result.fail("\(AssignedNumbers.name(of: uuid) ?? "\(uuid)"): \(problem)") }
        return "\(title): \(value.line)"
    }

    // MARK: Values that the server sends by itself

    private func sentValue(_ packet: ByteView, _ attribute: AttributePacket, _ result: inout Dissection) {
        guard attribute.opcode != .multipleHandleValueNotification else {
            return sentValues(packet, attribute, &result)
        }
        guard packet.count >= 3 else {
            return attribute.frame.isCut ? () : result.fail("truncated inside the handle")
        }
        let (handle, bytes) = (packet.uint16(at: 1), packet.dropFirst(3))
        result.att?.handles = [handle]
        note(bytes.count, attribute, &result)
        // A value that fills the packet may be truncated.
        let isWhole = !attribute.frame.isCut && packet.count < attribute.link.mtu
        result.summary = value(bytes, of: handle, isWhole: isWhole, attribute, &result)
        guard attribute.opcode == .handleValueIndication else { return }
        if attribute.way.indication != nil { result.fail("an indication before the confirmation of the previous one") }
        attribute.way.indication = (handle, attribute.time)
    }

    private func sentValues(_ packet: ByteView, _ attribute: AttributePacket, _ result: inout Dissection) {
        var (reader, texts) = (ByteReader(packet.dropFirst(1)), [String]())
        while let handle = reader.uint16() {
            result.att?.handles.append(handle)
            guard let length = reader.uint16(), let bytes = reader.bytes(Int(length)) else {
                if !attribute.frame.isCut { result.fail("truncated inside a value") }
                break
            }
            note(bytes.count, attribute, &result)
            texts.append(value(bytes, of: handle, isWhole: true, attribute, &result))
        }
        result.summary = texts.joined(separator: " | ")
    }

    private func confirmation(_ attribute: AttributePacket, _ result: inout Dissection) {
        guard let indication = attribute.otherWay.indication else {
            if attribute.link.isFromItsBeginning { result.fail("a confirmation without an indication") }
            return
        }
        attribute.otherWay.indication = nil
        result.att?.handles = [indication.handle]
        result.summary = attribute.names.text(indication.handle)
        answered("Handle Value Indication", since: indication.time, &result)
    }

    func answered(_ what: String, since asked: Int64?, _ result: inout Dissection) {
        guard let asked, let time = result.time, time >= asked else { return }
        result.notes.append(.answered(what: what, nanoseconds: time &- asked))
    }
}
