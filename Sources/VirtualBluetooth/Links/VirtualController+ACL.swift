import BluetoothHCI
import BluetoothModel

extension VirtualController {
    // MARK: From the host

    func receiveACL(_ packet: ByteView) {
        guard let header = ACLHeader(packet), header.boundary != .complete, let end = linkTable[header.handle] else {
            return dropped()
        }
        guard outstandingPackets < Int(configuration.aclPacketCount) else {
            // The host exceeded the number of buffers that the controller reported.
            dropped()
            return send(.dataBufferOverflow, if: .dataBufferOverflow) { $0.uint8(1) }
        }
        outstandingPackets += 1
        end.outstanding += 1
        guard header.dataLength > 0, header.dataLength <= Int(configuration.aclPacketLength) else {
            dropped()
            // The host gets its credit back, so that one malformed packet does not block the link.
            return complete(end)
        }
        counts.aclPacketsSent += 1
        let boundary: ACLHeader.Boundary = header.boundary.isFirst ? .firstFromController : .continuing
        end.link.send(packet.dropFirst(ACLHeader.length), boundary: boundary, from: end)
    }

    /// Counts a packet of the host as completed: it reached the other side.
    func complete(_ end: LinkEnd) {
        guard end.isAttached else { return }
        end.completed += 1
        guard end.completed == 1 else { return }
        completedEnds.append(end)
        if completedEnds.count == 1 { air.scheduleCompletions(of: self) }
    }

    /// Reports the number of packets completed since the last report (Core 6.0, Vol 4, Part E, 7.7.19).
    func reportCompletedPackets() {
        // The maximum number of links in one event.
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

    /// Releases the handle of a closed link and discards its counts.
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

    /// Returns true if the host can take `length` more bytes of data now.
    func hasRoom(for length: Int) -> Bool {
        guard flow.isOn else { return true }
        let packets = (length + flow.packetLength - 1) / flow.packetLength
        // Data that exceeds the host's whole buffer is delivered once the buffer is empty.
        return flow.outstanding == 0 || flow.outstanding + packets <= flow.packetCount
    }

    /// Delivers data to the host, split into packets of the length that the host requested.
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
