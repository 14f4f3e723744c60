import BluetoothModel
import DequeModule

/// Shares the controller's packet buffers among the links (Core 6.0, Vol 4, Part E, 4.1.1).
///
/// A frame that fits into one packet is sent immediately if its link has nothing queued and a buffer is free.
/// Everything else is queued in its link; links with queued frames wait in line, and each turn sends one packet. With
/// several links no link can fill all buffers, so that a link whose peer is silent does not block the others.
///
/// Values (notifications, indications, commands, and the frames of credit-based channels) do not use the last eighth of
/// the buffers, at least one if there are two or more. Requests, responses, pairing and signalling may use this
/// reserve, each link with one packet at a time. So a new link works while vanished peers hold all other buffers until
/// their supervision timeout.
final class ACLScheduler {
    /// The maximum length of a fragment, in bytes.
    private(set) var packetLength = 27
    /// The number of buffers in the controller, and the number of free ones.
    private(set) var total = 0, free = 0
    /// The maximum number of buffers per link, and the maximum while only the reserve is left.
    private(set) var linkCap = 0, reserveCap = 0
    /// The number of buffers that values do not use.
    private(set) var reserve = 0

    private var members: [LELink] = []
    /// The links with a frame that may use the reserve, and those that only have values to send. Proof of
    /// `@exclusivity(unchecked)`: their accesses call no code of links. The check would cost time on every packet.
    @exclusivity(unchecked) private var line: Deque<LELink> = []
    @exclusivity(unchecked) private var valueLine: Deque<LELink> = []
    /// The number of links in both lines. A separate integer because every report of completed packets reads it.
    private var lineCount = 0
    private var isRunning = false
    private var buffer = PacketBuffer(capacity: 5 + 27)
    private let send: (ByteView) -> Void

    init(send: @escaping (ByteView) -> Void) { self.send = send }

    /// Starts with a controller that has `credits` buffers of `packetLength` bytes.
    func open(packetLength: Int, credits: Int) {
        self.packetLength = packetLength
        buffer = PacketBuffer(capacity: 5 + packetLength)
        total = credits
        free = credits
        reserve = credits < 2 ? 0 : max(1, credits / 8)
        shareOut()
    }

    /// Discards all state when the controller becomes unavailable.
    func close() {
        total = 0
        free = 0
        reserve = 0
        members = []
        line = []
        valueLine = []
        lineCount = 0
    }

    func add(_ link: LELink) {
        members.append(link)
        shareOut()
    }

    /// Removes a link after its disconnection, which frees the buffers of its packets in the controller.
    func remove(_ link: LELink) {
        guard let index = members.firstIndex(where: { $0 === link }) else { return }
        members.remove(at: index)
        free = min(total, free + link.flow.inFlight)
        link.flow.inFlight = 0
        link.flow.drop()
        line.removeAll { $0 === link }
        valueLine.removeAll { $0 === link }
        lineCount = line.count + valueLine.count
        shareOut()
        for member in members where member.flow.hasWork { lineUp(member) }
        run()
    }

    private func shareOut() {
        linkCap = members.count <= 1 ? total : max(1, 2 * total / (members.count + 1))
        // Applies to a single link too, because it may be silent when the next one connects. With fewer than 8 buffers,
        // reserving one would cost a single link much of its throughput.
        reserveCap = members.count <= 1 && total < 8 ? total : 1
    }

    @inline(__always)
    private func hasCredit(for link: LELink) -> Bool {
        free > reserve ? link.flow.inFlight < linkCap : free > 0 && link.flow.inFlight < reserveCap
    }

    /// Returns true if a value of this link may use a buffer now.
    @inline(__always)
    func hasValueCredit(for link: LELink) -> Bool { free > reserve && link.flow.inFlight < linkCap }

    /// Sends a frame immediately; returns false if that is not possible.
    func sendAtOnce(_ link: LELink, cid: UInt16, _ payload: ByteView) -> Bool {
        let length = payload.count + 4
        guard link.flow.queuedBytes == 0, length <= packetLength, hasCredit(for: link) else { return false }
        buffer.set(UInt16(truncatingIfNeeded: payload.count), at: 5)
        buffer.set(cid, at: 7)
        buffer.copy(payload.unsafeBytes, at: 9)
        transmit(link, isFirst: true, length: length)
        return true
    }

    /// Puts a link in line for credits.
    func lineUp(_ link: LELink) {
        if link.flow.mayUseReserve {
            guard !link.flow.isInLine else { return }
            link.flow.isInLine = true
            line.append(link)
        } else {
            guard !link.flow.isInValueLine else { return }
            link.flow.isInValueLine = true
            valueLine.append(link)
        }
        lineCount += 1
    }

    /// Removes and returns the next link in line; nil if no waiting link may use a buffer.
    private func nextInLine() -> LELink? {
        guard free > 0 else { return nil }
        if let link = line.popFirst() {
            lineCount -= 1
            link.flow.isInLine = false
            return link
        }
        guard free > reserve, let link = valueLine.popFirst() else { return nil }
        lineCount -= 1
        link.flow.isInValueLine = false
        return link
    }

    /// Records that the controller has sent or dropped `count` packets of a link. Returns by how many the count exceeds
    /// the packets in flight. Call ``proceed(_:)`` afterwards if the link waits.
    @inline(__always)
    func completed(_ flow: LinkFlow, count: Int) -> Int {
        let real = min(count, flow.inFlight)
        flow.inFlight -= real
        free += real
        return count - real
    }

    /// Puts a link whose packets were completed in line, or ends its draining.
    func proceed(_ link: LELink) {
        if link.flow.hasWork {
            lineUp(link)
        } else if link.flow.isDraining, link.flow.inFlight == 0 {
            link.drained()
        }
    }

    /// Assigns free buffers to the links in line, in turn.
    func run() {
        guard lineCount > 0, !isRunning else { return }
        isRunning = true
        while let link = nextInLine() {
            // A link at its cap gets in line again when its packets complete.
            guard link.isUp, hasCredit(for: link) else { continue }
            if link.flow.queuedBytes > 0 {
                // The link may have sent its urgent frames meanwhile and only have values left.
                guard link.flow.mayUseReserve || free > reserve else {
                    lineUp(link)
                    continue
                }
                sendFragment(link)
            } else if link.flow.wantsRoom {
                offerRoom(to: link)
            }
            if link.isUp, link.flow.hasWork { lineUp(link) }
        }
        isRunning = false
    }

    private func sendFragment(_ link: LELink) {
        guard let (count, isFirst) = link.flow.next(limit: packetLength, to: buffer, at: 5) else { return }
        transmit(link, isFirst: isFirst, length: count)
    }

    private func offerRoom(to link: LELink) {
        link.flow.wantsRoom = false
        link.flow.allowance = max(1, (free - reserve) / (valueLine.count + 1))
        link.l2cap.roomAvailable()
        link.flow.allowance = .max
    }

    @inline(__always)
    private func transmit(_ link: LELink, isFirst: Bool, length: Int) {
        buffer.bytes.storeBytes(of: PacketByte.acl, as: UInt8.self)
        buffer.set(link.handle | (isFirst ? 0 : 0x1000), at: 1)
        buffer.set(UInt16(truncatingIfNeeded: length), at: 3)
        free -= 1
        link.flow.inFlight += 1
        link.flow.sent &+= 1
        link.flow.allowance -= 1
        send(buffer.view(5 + length))
    }
}
