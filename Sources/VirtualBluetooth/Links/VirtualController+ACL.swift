import BluetoothHCI
import BluetoothModel

extension VirtualController {
    // MARK: From the host

    func receiveACL(_ packet: ByteView) {
        guard let header = ACLHeader(packet), header.boundary != .complete, let end = linkTable[header.handle] else {
            return dropped()
        }
        guard outstandingPackets < Int(configuration.aclPacketCount) else {
            // More than the host was told that there is room for.
            dropped()
            return send(.dataBufferOverflow, if: .dataBufferOverflow) { $0.uint8(1) }
        }
        outstandingPackets += 1
        end.outstanding += 1
        guard header.dataLength > 0, header.dataLength <= Int(configuration.aclPacketLength) else {
            dropped()
            // The host gets its credit back, so that one bad packet does not cost the link.
            return complete(end)
        }
        counts.aclPacketsSent += 1
        let boundary: ACLHeader.Boundary = header.boundary.isFirst ? .firstFromController : .continuing
        end.link.send(packet.dropFirst(ACLHeader.length), boundary: boundary, from: end)
    }

    /// A packet of the host is on the other side.
    func complete(_ end: LinkEnd) {
        guard end.isAttached else { return }
        end.completed += 1
        guard end.completed == 1 else { return }
        completedEnds.append(end)
        if completedEnds.count == 1 { air.scheduleCompletions(of: self) }
    }

    /// Tells the host how many packets were completed since the last time (Core 6.0, Vol 4, Part E, 7.7.19).
    func reportCompletedPackets() {
        // As many links as one event has room for.
        let limit = 63
        var rest = completedEnds[...]
        while !rest.isEmpty {
            let part = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            send(.numberOfCompletedPackets) { buffer in
                buffer.uint8(UInt8(part.count))
                for end in part {
                    buffer.uint16(end.handle)
                    buffer.uint16(end.completed)
                }
            }
            for end in part {
                outstandingPackets -= Int(end.completed)
                end.outstanding -= Int(end.completed)
                end.completed = 0
            }
        }
        completedEnds.removeAll(keepingCapacity: true)
    }

    /// A link ended: its handle is free, and all that the host had sent over it is done with.
    func forget(_ end: LinkEnd) {
        linkTable.remove(end)
        outstandingPackets -= end.outstanding
        end.outstanding = 0
        end.completed = 0
        completedEnds.removeAll { $0 === end }
        flow.outstanding -= end.unreturned
        end.unreturned = 0
    }

    // MARK: To the host

    /// Whether the host takes `length` more bytes of data now.
    func hasRoom(for length: Int) -> Bool {
        guard flow.isOn else { return true }
        let packets = (length + flow.packetLength - 1) / flow.packetLength
        // More than the host has room for altogether is let through once it holds nothing.
        return flow.outstanding == 0 || flow.outstanding + packets <= flow.packetCount
    }

    /// Hands data to the host, in as many packets as the length that it asked for makes necessary.
    func deliver(_ data: ByteView, boundary: ACLHeader.Boundary, to end: LinkEnd) {
        var (rest, flag) = (data, boundary)
        while !rest.isEmpty {
            let part = rest.prefix(flow.packetLength)
            rest = rest.dropFirst(part.count)
            let buffer = air.buffer
            buffer.begin(.acl)
            buffer.uint16(end.handle | UInt16(flag.rawValue) << 12)
            buffer.uint16(UInt16(truncatingIfNeeded: part.count))
            buffer.append(part)
            flag = .continuing
            counts.aclPacketsReceived += 1
            if flow.isOn {
                flow.outstanding += 1
                end.unreturned += 1
            }
            sendToHost(buffer.view)
        }
    }
}
