import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// Responses of the attribute protocol, which are decoded with their requests.
extension Dissector {
    func response(_ packet: ByteView, _ attribute: AttributePacket, _ result: inout Dissection) {
        let request = attribute.otherWay.requests.removeValue(forKey: attribute.channel)
        if attribute.opcode == .errorResponse { return refusal(packet, attribute, request, &result) }
        if let request {
            if request.opcode.rawValue + 1 != attribute.opcode.rawValue {
                result.fail("the request was \(request.opcode.name)")
            }
            let handle = request.handles.first.map { " " + attribute.names.text($0) } ?? ""
            answered(request.opcode.name + handle, since: request.time, &result)
        } else if attribute.link.isFromItsBeginning {
            result.fail("a response without a request")
        }
        let body = packet.dropFirst(1)
        switch attribute.opcode {
        case .exchangeMTUResponse: mtu(body, attribute, request, &result)
        case .readResponse, .readBlobResponse:
            result.att?.handles = request?.handles ?? []
            note(body.count, attribute, &result)
            guard let handle = request?.handles.first else { return result.summary = Self.hex(body) }
            // A value that fills the packet may be truncated.
            let isWhole = attribute.opcode == .readResponse && packet.count < attribute.link.mtu
            result.summary = value(
                body, of: handle, isWhole: isWhole && !attribute.frame.isCut, attribute, &result)
        case .readMultipleResponse, .readMultipleVariableResponse:
            result.att?.handles = request?.handles ?? []
            note(body.count, attribute, &result)
            result.summary = attribute.names.hex(body, of: request?.handles ?? [])
        case .writeResponse:
            result.att?.handles = request?.handles ?? []
            result.summary = request?.handles.first.map(attribute.names.text) ?? ""
            if !body.isEmpty { result.fail("\(body.count.counted("octet")) after a response without parameters") }
        case .executeWriteResponse:
            if !body.isEmpty { result.fail("\(body.count.counted("octet")) after a response without parameters") }
        case .prepareWriteResponse:
            guard body.count >= 4 else {
                return attribute.frame.isCut ? () : result.fail("truncated inside the offset")
            }
            result.att?.handles = [body.uint16(at: 0)]
            let title = attribute.names.text(body.uint16(at: 0))
            let value = attribute.names.hex(body.dropFirst(4), of: [body.uint16(at: 0)])
            result.summary = "\(title) from \(body.uint16(at: 2)): \(value)"
        default: discovery(body, attribute, request, &result)
        }
    }

    private func refusal(
        _ packet: ByteView, _ attribute: AttributePacket, _ request: DissectedLink.Request?,
        _ result: inout Dissection
    ) {
        guard packet.count == 5 else {
            return attribute.frame.isCut ? () : result.fail("malformed: \(packet.count) octets instead of 5")
        }
        let (refused, handle) = (packet[1], packet.uint16(at: 2))
        let code = ATTErrorCode(rawValue: packet[4])
        result.att?.handles = [handle]
        let reason = attribute.names.service(of: handle).map { code.description(in: $0) } ?? code.description
        let opcode = ATTOpcode(rawValue: refused)
        let name = opcode.map(\.name) ?? "opcode 0x\([refused].hexText())"
        result.summary = "\(name) of \(attribute.names.text(handle)): \(reason)"
        if let request {
            answered(request.opcode.name, since: request.time, &result)
            if request.opcode.rawValue != refused { result.fail("the request was \(request.opcode.name)") }
        } else if attribute.link.isFromItsBeginning, opcode?.kind == .request {
            result.fail("a response without a request")
        }
        // Every discovery ends with this error, so it is no failure.
        let isEnd =
            code == .attributeNotFound
            && [
                .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest,
            ].contains(opcode)
        if !isEnd { result.fail(reason) }
    }

    private func mtu(
        _ body: ByteView, _ attribute: AttributePacket, _ request: DissectedLink.Request?, _ result: inout Dissection
    ) {
        guard body.count == 2 else {
            return attribute.frame.isCut ? () : result.fail("malformed: \(body.count.counted("octet"))")
        }
        let offered = body.uint16(at: 0)
        result.summary = "\(offered) octets"
        guard let asked = request?.mtu, attribute.channel == L2CAPChannelID.attribute else { return }
        attribute.link.mtu = Int(max(23, min(asked, offered)))
        result.notes.append(.mtu(attribute.link.index, attribute.link.mtu))
        result.summary += ", so \(attribute.link.mtu) are used"
    }

    // MARK: Discoveries

    private func discovery(
        _ body: ByteView, _ attribute: AttributePacket, _ request: DissectedLink.Request?, _ result: inout Dissection
    ) {
        let asked = request?.range ?? 1...0xFFFF
        do throws(RadioError) {
            switch attribute.opcode {
            case .findInformationResponse:
                let entries = try DiscoveryResponse.descriptors(body, asked: asked)
                entries.found.forEach(attribute.names.add)
                show(entries, &result) { ([$0.handle], Self.name($0.uuid)) }
            case .findByTypeValueResponse:
                show(try DiscoveryResponse.ranges(body, asked: asked), &result) {
                    ([$0.lowerBound], "to \(PacketLayout.hex(UInt64($0.upperBound), digits: 4))")
                }
            case .readByGroupTypeResponse:
                let isPrimary = request?.type != GATTType.secondaryService
                let entries = try DiscoveryResponse.services(body, asked: asked, isPrimary: isPrimary)
                entries.found.forEach { attribute.names.add($0) }
                show(entries, &result) {
                    (
                        [$0.handle],
                        "to \(PacketLayout.hex(UInt64($0.range.upperBound), digits: 4)) \(Self.name($0.uuid))"
                    )
                }
            default: try attributes(body, asked, attribute, request, &result)
            }
        } catch {
            result.summary = PacketLayout.concealed(body.count)
            if !attribute.frame.isCut { result.fail("\(error)") }
        }
    }

    /// Decodes a Read By Type Response.
    private func attributes(
        _ body: ByteView, _ asked: ClosedRange<UInt16>, _ attribute: AttributePacket,
        _ request: DissectedLink.Request?, _ result: inout Dissection
    ) throws(RadioError) {
        switch request?.type {
        case GATTType.characteristic:
            let entries = try DiscoveryResponse.characteristics(body, asked: asked)
            entries.found.forEach { attribute.names.add($0) }
            show(entries, &result) {
                let names = $0.properties.names.joined(separator: " ")
                let value = PacketLayout.hex(UInt64($0.valueHandle), digits: 4)
                return ([$0.declarationHandle, $0.valueHandle], "\(Self.name($0.uuid)) at #\(value) [\(names)]")
            }
        case GATTType.include:
            show(try DiscoveryResponse.includes(body, asked: asked), &result) {
                let end = PacketLayout.hex(UInt64($0.range.upperBound), digits: 4)
                let start = PacketLayout.hex(UInt64($0.range.lowerBound), digits: 4)
                return ([$0.handle], "includes \(start) to \(end) \($0.uuid.map(Self.name) ?? "")")
            }
        default:
            var texts: [String] = []
            for (handle, bytes) in try DiscoveryResponse.values(body, asked: asked) {
                result.att?.handles.append(handle)
                if let type = request?.type { attribute.names[handle] = attribute.names[handle] ?? type }
                // A value of the maximum length may be truncated.
                let isWhole = bytes.count < min(253, attribute.link.mtu - 4)
                note(bytes.count, attribute, &result)
                texts.append(bytes.withByteView { value($0, of: handle, isWhole: isWhole, attribute, &result) })
            }
            result.summary = texts.joined(separator: " | ")
        }
    }

    /// Describes the entries of a discovery, and records malformed ones.
    private func show<Element>(
        _ entries: DiscoveryResponse.Entries<Element>, _ result: inout Dissection,
        _ text: (Element) -> (handles: [UInt16], text: String)
    ) {
        let texts = entries.found.map { element in
            let (handles, text) = text(element)
            result.att?.handles += handles
            return "#\(PacketLayout.hex(UInt64(handles[0]), digits: 4)) \(text)"
        }
        result.summary = texts.joined(separator: " | ")
        if let problem = entries.problems.first {
            result.fail("#\(PacketLayout.hex(UInt64(problem.handle), digits: 4)): \(problem.reason)")
        }
    }
}
