import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

extension VirtualLink {
    // MARK: From the host

    /// Sends an ACL packet from the host of `end`. The view is valid during the call only.
    func send(_ data: ByteView, boundary: ACLHeader.Boundary, from end: LinkEnd) {
        sentPackets += 1
        guard sentPackets < packetLimit else { return self.end(reason: faults.disconnectReason) }
        let receiver = other(end)
        if isDirect, end.queue.isEmpty, receiver.controller.hasRoom(for: data.count) {
            if isPlain {
                receiver.controller.deliver(data, boundary: boundary, to: receiver)
                return end.controller.complete(end)
            }
            if !end.holdsData, cross(data, boundary: boundary, from: end) { return end.controller.complete(end) }
        }
        let time = (air.loop.now + totalDelay).nanoseconds
        end.enqueue(LinkEnd.Pending(boundary: boundary, data: data.array, time: time))
        schedule()
    }

    /// Delivers data to the host of the other side, through the ciphers unless the link is plain. Returns false if that
    /// side cannot decrypt the data and leaves.
    private func cross(_ data: ByteView, boundary: ACLHeader.Boundary, from end: LinkEnd) -> Bool {
        let receiver = other(end)
        if isPlain {
            receiver.controller.deliver(data, boundary: boundary, to: receiver)
            return true
        }
        var bytes: [UInt8] = []
        swap(&bytes, &airBytes)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: data.unsafeBytes)
        var pdu = LinkPDU(boundary, payload: bytes)
        bytes = []
        defer { airBytes = pdu.payload }
        guard carry(&pdu, from: end) else {
            leave(receiver, reason: .micFailure)
            return false
        }
        pdu.payload.withByteView { receiver.controller.deliver($0, boundary: boundary, to: receiver) }
        return true
    }

    /// Called when the host of a receiving controller returned buffers.
    func roomReturned() { if !isClosed { schedule() } }

    // MARK: Link layer procedures

    /// Runs an action that takes one exchange of packets, initiated by `end`; at once if nothing delays it.
    ///
    /// - Parameters:
    ///   - events: the number of connection events to wait beyond the next one.
    ///   - run: the action. Proof of its `unowned` references to the link: only the link stores it, and only the link
    ///     calls it.
    func perform(from end: LinkEnd, events: Int64 = 0, _ run: @escaping () -> Void) {
        // Earlier actions run first.
        if isDirect, actions.isEmpty { return run() }
        actions.append(Action(event: nextEvent(wanting: end) + events, run: run))
        schedule()
    }

    // MARK: Connection events

    private var interval: Int64 { parameters.interval.wholeNanoseconds }

    /// The number of the next connection event.
    private var upcomingEvent: Int64 { (air.loop.now.nanoseconds - anchor.nanoseconds) / interval + 1 }

    private func time(of event: Int64) -> RadioInstant {
        RadioInstant(nanoseconds: anchor.nanoseconds + event * interval)
    }

    /// The next event at which `end` can send. The peripheral may attend any event; the central has to wait for one
    /// that the peripheral attends.
    private func nextEvent(wanting end: LinkEnd) -> Int64 {
        guard air.pace.packetsPerEvent != nil else { return 0 }
        let next = upcomingEvent
        guard end.role == .central, parameters.latency > 0 else { return next }
        let period = Int64(parameters.latency) + 1
        let missed = (next - lastAttended) % period
        return missed == 0 ? next : next + period - missed
    }

    /// Restarts the count of events at the current event, before the parameters change.
    func restartEvents() {
        let passed = upcomingEvent - 1
        for index in actions.indices { actions[index].event -= passed }
        anchor = air.loop.now
        lastAttended = 0
    }

    /// Arms the timer for the next pending action or packet; disarms it if there is none.
    func schedule() {
        guard !isClosed, !isSilent else { return eventTimer.disarm() }
        guard let due = nextDue() else { return eventTimer.disarm() }
        eventTimer.arm(at: max(due, air.loop.now))
    }

    private func nextDue() -> RadioInstant? {
        let isPaced = air.pace.packetsPerEvent != nil
        var due: RadioInstant?
        for action in actions {
            let time = isPaced ? time(of: action.event) : air.loop.now
            due = min(due ?? time, time)
        }
        for end in ends where !end.holdsData {
            guard let first = end.queue.first, other(end).controller.hasRoom(for: first.data.count - first.offset)
            else {
                continue
            }
            var time = RadioInstant(nanoseconds: first.time)
            if isPaced { time = max(time, self.time(of: nextEvent(wanting: end))) }
            due = min(due ?? time, time)
        }
        return due
    }

    /// Handles the event timer: runs all due work and arms the timer again.
    func runEvent() {
        guard !isSilent else { return }
        let now = air.loop.now
        let isPaced = air.pace.packetsPerEvent != nil
        let event = isPaced ? (now.nanoseconds - anchor.nanoseconds) / interval : .max
        if isPaced { lastAttended = event }
        let due = actions.filter { $0.event <= event }
        actions.removeAll { $0.event <= event }
        for action in due {
            action.run()
            if isClosed || isSilent { return }
        }
        exchange(limit: air.pace.packetsPerEvent ?? .max, isPaced: isPaced, now: now)
        schedule()
    }

    /// Both sides send in turn, the central first, until neither has data or the event is full.
    private func exchange(limit: Int, isPaced: Bool, now: RadioInstant) {
        var sent = 0
        while sent < limit {
            let centralSent = sendFirst(of: central, isPaced: isPaced, now: now)
            let peripheralSent = sendFirst(of: peripheral, isPaced: isPaced, now: now)
            guard !isClosed, !isSilent, centralSent || peripheralSent else { return }
            sent += 1
        }
    }

    /// Sends the next packet of `end`: with pacing one link layer packet, without a whole ACL packet.
    private func sendFirst(of end: LinkEnd, isPaced: Bool, now: RadioInstant) -> Bool {
        guard !isClosed, !isSilent, !end.holdsData, let first = end.queue.first, first.time <= now.nanoseconds else {
            return false
        }
        let receiver = other(end)
        let rest = first.data.count - first.offset
        let length = isPaced ? min(rest, Int(end.dataLength.octets)) : rest
        guard receiver.controller.hasRoom(for: length) else { return false }
        let boundary = first.offset == 0 ? first.boundary : .continuing
        let isRead = first.data.withByteView { bytes in
            cross(bytes.dropFirst(first.offset).prefix(length), boundary: boundary, from: end)
        }
        // The packet is never acknowledged, so it stays in the queue until this side also gives up.
        guard isRead else { return false }
        end.updateFirst { packet in
            packet.offset += length
            return packet.offset == packet.data.count
        }
        if length == rest { end.controller.complete(end) }
        return true
    }
}
