import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// Data packets and the L2CAP frames in them (Core 6.0, Vol 3, Part A).
extension Dissector {
    struct Frame {
        let link: DissectedLink
        let direction: CaptureRecord.Direction
        let adapter: UInt16
        let isCut: Bool
    }

    mutating func data(_ packet: ByteView, _ record: CaptureRecord, isCut: Bool, _ result: inout Dissection) {
        let field = packet.uint16(at: 1)
        // The field has two bits, and the enumeration has all four values, so the default is never used.
        let boundary = ACLHeader.Boundary(rawValue: UInt8(truncatingIfNeeded: field >> 12 & 3)) ?? .complete
        let handle = field & 0x0FFF
        result.connection = handle
        let link = link(LinkKey(adapter: record.adapter, handle: handle), &result)
        if let peer = link.peer { result.devices.insert(peer) }
        let direction = record.direction ?? Self.direction(of: boundary, on: link)
        result.direction = direction
        let way = link.way(direction)
        let fragment = packet.dropFirst(ACLHeader.length)
        result.layers.append("l2cap")
        let frame = Frame(link: link, direction: direction, adapter: record.adapter, isCut: isCut)
        if boundary.isFirst {
            let isBegun = way.reassembler.isCollecting
            way.reassembler.abandon()
            (way.hasBegun, way.isSkipping) = (true, isCut)
            if isCut { return self.frame(fragment, frame, &result) }
            outcome(way.reassembler.begin(fragment), fragment, way, frame, &result)
            if isBegun { result.fail("a frame begins before the end of the previous frame") }
        } else {
            result.summary = "L2CAP fragment of \(fragment.count) octets"
            if way.isSkipping { return result.summary += " of a frame that was captured incompletely" }
            guard way.hasBegun else { return result.summary += " of a frame that began before the capture" }
            if isCut {
                way.reassembler.abandon()
                return way.isSkipping = true
            }
            guard let outcome = way.reassembler.proceed(fragment) else {
                return result.summary += " of a broken frame"
            }
            self.outcome(outcome, fragment, way, frame, &result)
        }
    }

    /// Returns the direction of a packet if the file does not contain it. Hosts and controllers begin frames with
    /// different packet boundary flags.
    private static func direction(
        of boundary: ACLHeader.Boundary, on link: DissectedLink
    ) -> CaptureRecord.Direction {
        switch boundary {
        case .firstFromHost: .sent
        case .firstFromController, .complete: .received
        case .continuing: link.way(.sent).reassembler.isCollecting ? .sent : .received
        }
    }

    private mutating func outcome(
        _ outcome: FrameReassembler.Outcome, _ fragment: ByteView, _ way: DissectedLink.Way, _ frame: Frame,
        _ result: inout Dissection
    ) {
        switch outcome {
        case .incomplete: result.summary = "L2CAP fragment of \(fragment.count) octets"
        case .broken:
            result.summary = "L2CAP fragment of \(fragment.count) octets"
            result.fail(way.hasBegun ? "more octets than the frame length" : "a fragment without a first fragment")
        case .whole:
            let bytes = way.reassembler.take()
            bytes.withByteView { self.frame($0, frame, &result) }
            way.reassembler.reuse(bytes)
        }
    }

    private mutating func frame(_ bytes: ByteView, _ frame: Frame, _ result: inout Dissection) {
        guard bytes.count >= 4 else { return result.summary = "L2CAP frame" }
        let identifier = bytes.uint16(at: 2)
        let payload = bytes.dropFirst(4)
        switch identifier {
        case L2CAPChannelID.attribute: attribute(payload, identifier, frame, &result)
        case _ where Disclosure.securityChannels.contains(identifier): security(payload, frame, &result)
        case L2CAPChannelID.signalling, 0x0001: signal(payload, frame, &result)
        default: channel(identifier, payload, frame, &result)
        }
    }

    // MARK: Connection-oriented channels

    /// The PSMs of ATT bearers: on BR/EDR, and enhanced ones (Assigned Numbers, 2.6.2).
    private static let attributeServices: Set<UInt16> = [0x001F, 0x0027]

    private mutating func channel(
        _ identifier: UInt16, _ payload: ByteView, _ frame: Frame, _ result: inout Dissection
    ) {
        let name = "Channel " + PacketLayout.hex(UInt64(identifier), digits: 4)
        let key = DissectedLink.ChannelKey(direction: frame.direction, identifier: identifier)
        let known = frame.link.channels[key]
        guard var channel = known, !frame.isCut else {
            // A channel that was opened before the capture began may be an ATT bearer.
            let isBearer =
                known.map { Self.attributeServices.contains($0.psm) }
                ?? [true, false].contains { names(on: frame.link, ofHost: $0).hasKeys }
            let isShown = Disclosure.shows(channel: identifier) && !isBearer
            return result.summary = Self.line(name, isShown ? Self.hex(payload) : PacketLayout.concealed(payload.count))
        }
        let title = "\(name), PSM \(PacketLayout.hex(UInt64(channel.psm), digits: 4))"
        if channel.isBasic {
            if Self.attributeServices.contains(channel.psm) {
                return attribute(payload, channel.bearer, frame, &result)
            }
            result.notes.append(.value(frame.link.index, frame.direction, payload.count))
            return result.summary = "\(title): \(Self.hex(payload))"
        }
        var data = payload
        if channel.length == nil {
            guard payload.count >= 2 else {
                result.summary = title
                return result.fail("truncated inside the SDU length")
            }
            channel.length = Int(payload.uint16(at: 0))
            data = payload.dropFirst(2)
        }
        channel.unit.append(contentsOf: data.unsafeBytes)
        let (unit, length) = (channel.unit, channel.length ?? 0)
        if unit.count >= length { (channel.unit, channel.length) = ([], nil) }
        frame.link.channels[key] = channel
        if unit.count > length { result.fail("more octets than the SDU length") }
        if unit.count < length {
            return result.summary = "\(title): \(unit.count) of \(length) octets"
        }
        if Self.attributeServices.contains(channel.psm) {
            return unit.withByteView { attribute($0, channel.bearer, frame, &result) }
        }
        result.notes.append(.value(frame.link.index, frame.direction, unit.count))
        result.summary = unit.withByteView { "\(title): \(Self.hex($0))" }
    }

    // MARK: Signalling

    private static let signals: [UInt8: String] = [
        0x01: "Command Reject", 0x02: "Connection Request", 0x03: "Connection Response",
        0x04: "Configuration Request", 0x05: "Configuration Response", 0x06: "Disconnection Request",
        0x07: "Disconnection Response", 0x08: "Echo Request", 0x09: "Echo Response", 0x0A: "Information Request",
        0x0B: "Information Response", 0x12: "Connection Parameter Update Request",
        0x13: "Connection Parameter Update Response", 0x14: "LE Credit Based Connection Request",
        0x15: "LE Credit Based Connection Response", 0x16: "Flow Control Credit",
        0x17: "Credit Based Connection Request", 0x18: "Credit Based Connection Response",
        0x19: "Credit Based Reconfigure Request", 0x1A: "Credit Based Reconfigure Response",
    ]

    private mutating func signal(_ packet: ByteView, _ frame: Frame, _ result: inout Dissection) {
        result.layers.append("signalling")
        guard packet.count >= 4 else {
            result.summary = "Signalling"
            return frame.isCut ? () : result.fail("truncated inside the header")
        }
        let (code, identifier, length) = (packet[0], packet[1], Int(packet.uint16(at: 2)))
        let name = Self.signals[code] ?? "Signal 0x\([code].hexText())"
        let body = packet.dropFirst(4)
        if length != body.count, !frame.isCut {
            result.fail("its length field is \(length) octets, but it has \(body.count)")
        }
        if let layout = PacketLayouts.signals[UInt16(code)] {
            let text = layout.read(body.prefix(length))
            result.summary = Self.line(name, text.line)
            if let problem = text.problem, !frame.isCut { result.fail(problem) }
        } else {
            result.summary = Self.line(name, body.isEmpty ? "" : PacketLayout.concealed(body.count))
        }
        result.notes.append(.procedure(frame.link.index, name))
        follow(code, identifier, body.prefix(length), frame, &result)
    }

    /// Updates the channels after a signalling packet, and records refusals.
    private func follow(
        _ code: UInt8, _ identifier: UInt8, _ body: ByteView, _ frame: Frame, _ result: inout Dissection
    ) {
        let link = frame.link
        var channels: [UInt16] {
            stride(from: 8, to: body.count - 1, by: 2).map { body.uint16(at: $0) }
        }
        switch code {
        case LESignalCode.commandReject: result.fail("the request was rejected")
        case 0x02 where body.count >= 4, LESignalCode.creditConnectionRequest where body.count >= 4:
            link.openings[identifier] = .init(
                direction: frame.direction, psm: body.uint16(at: 0), sources: [body.uint16(at: 2)])
        // Result 1 is followed by another response.
        case 0x03 where body.count >= 6 && body.uint16(at: 4) != 1:
            open(identifier, [body.uint16(at: 0)], refusal: body.uint16(at: 4), isBasic: true, frame, &result)
        case LESignalCode.parameterUpdateResponse where body.count >= 2 && body.uint16(at: 0) != 0:
            result.fail("the parameters were rejected")
        case 0x17 where body.count >= 8:
            link.openings[identifier] = .init(direction: frame.direction, psm: body.uint16(at: 0), sources: channels)
        case LESignalCode.creditConnectionResponse where body.count >= 10:
            open(identifier, [body.uint16(at: 0)], refusal: body.uint16(at: 8), frame, &result)
        case 0x18 where body.count >= 8:
            open(identifier, channels, refusal: body.uint16(at: 6), frame, &result)
        default: break
        }
    }

    private func open(
        _ identifier: UInt8, _ destinations: [UInt16], refusal: UInt16, isBasic: Bool = false, _ frame: Frame,
        _ result: inout Dissection
    ) {
        let opening = frame.link.openings.removeValue(forKey: identifier)
        if refusal != 0 { result.fail("refused, result \(PacketLayout.hex(UInt64(refusal), digits: 4))") }
        guard let opening, opening.direction == frame.direction.reversed, frame.link.channels.count < 1024 else {
            return
        }
        for (source, destination) in zip(opening.sources, destinations) where destination != 0 {
            // A frame carries the channel identifier of its receiver.
            let (back, forth) = (frame.direction, opening.direction)
            frame.link.lastBearer &+= 1
            let channel = DissectedLink.Channel(
                psm: opening.psm, bearer: frame.link.lastBearer, isBasic: isBasic)
            frame.link.channels[.init(direction: back, identifier: source)] = channel
            frame.link.channels[.init(direction: forth, identifier: destination)] = channel
        }
    }
}
