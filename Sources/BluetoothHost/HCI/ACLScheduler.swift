import BluetoothModel
import DequeModule

/// Shares the controller's packet buffers among the links (Core 6.0, Vol 4, Part E, 4.1.1).
///
/// A frame that fits into one packet, on a link where nothing waits and a buffer is free, is sent at once. Everything
/// else waits in its link's queue; links that wait stand in a line, and each turn sends one packet. With several links
/// up no link fills all buffers, so that one whose peer is silent does not stop the others.
///
/// Values (notifications, indications, commands and the frames of channels with credits) leave the last eighth of the
/// buffers alone, at least one where there are two. Requests, responses, pairing and signalling may use it, each link
/// with one packet at a time, so that a new link works while vanished peers hold every other buffer until their
/// supervision timeout.
final class ACLScheduler {
    /// The longest fragment, in bytes.
    private(set) var packetLength = 27
    /// Buffers in the controller, and how many of them are free.
    private(set) var total = 0, free = 0
    /// How many buffers one link may fill, and how many while only the reserve is left.
    private(set) var linkCap = 0, reserveCap = 0
    /// How many buffers values do not use.
    private(set) var reserve = 0

    private var members: [LELink] = []
    /// The links with a frame that may use the reserve, and those that want to send values only.
    private var line: Deque<LELink> = [], valueLine: Deque<LELink> = []
    /// How many stand in both lines; a number of its own, because each report of completed packets looks at it.
    private var lineCount = 0
    private var isRunning = false
    private var buffer = PacketBuffer(capacity: 5 + 27)
    private let send: (ByteView) -> Void

    init(send: @escaping (ByteView) -> Void) { self.send = send }

    /// A controller is there that takes `credits` packets of `packetLength` bytes.
    func open(packetLength: Int, credits: Int) {
        self.packetLength = packetLength
        buffer = PacketBuffer(capacity: 5 + packetLength)
        total = credits
        free = credits
        reserve = credits < 2 ? 0 : max(1, credits / 8)
        shareOut()
    }

    /// The controller is gone.
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

    /// A link is gone: its packets in the controller are gone with it, and their buffers are free again.
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
        // A link alone too: it may be gone when the next one comes. Of a few buffers one would be a large part of its rate.
        reserveCap = members.count <= 1 && total < 8 ? total : 1
    }

    @inline(__always)
    private func hasCredit(for link: LELink) -> Bool {
        free > reserve ? link.flow.inFlight < linkCap : free > 0 && link.flow.inFlight < reserveCap
    }

    /// Whether a value of this link may take a buffer now.
    @inline(__always)
    func hasValueCredit(for link: LELink) -> Bool { free > reserve && link.flow.inFlight < linkCap }

    /// Sends a frame at once; false where that is not possible.
    func sendAtOnce(_ link: LELink, cid: UInt16, _ payload: ByteView) -> Bool {
        let length = payload.count + 4
        guard link.flow.queuedBytes == 0, length <= packetLength, hasCredit(for: link) else { return false }
        buffer.set(UInt16(truncatingIfNeeded: payload.count), at: 5)
        buffer.set(cid, at: 7)
        buffer.copy(payload.unsafeBytes, at: 9)
        transmit(link, isFirst: true, length: length)
        return true
    }

    /// Lets a link wait for its turn.
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

    /// The link whose turn it is; nil where nobody waits who may take a buffer.
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

    /// The controller has sent, or dropped, `count` packets of a link. Returns how many it made up.
    func completed(_ link: LELink, count: Int) -> Int {
        let real = min(count, link.flow.inFlight)
        link.flow.inFlight -= real
        free += real
        if link.flow.hasWork {
            lineUp(link)
        } else if link.flow.isDraining, link.flow.inFlight == 0 {
            link.drained()
        }
        return count - real
    }

    /// Gives free buffers to those in line, in turn.
    func run() {
        guard lineCount > 0, !isRunning else { return }
        isRunning = true
        while let link = nextInLine() {
            // A link at its cap comes back when its packets complete.
            guard link.isUp, hasCredit(for: link) else { continue }
            if link.flow.queuedBytes > 0 {
                // In the line of urgent frames it may have been served meanwhile, and have only values left.
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
        link.flow.allowance -= 1
        send(buffer.view(5 + length))
    }
}
