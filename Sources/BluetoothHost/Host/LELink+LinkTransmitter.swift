import BluetoothModel
import BluetoothRuntime

extension LELink: LinkTransmitter {
    /// The time and the timers of the host.
    package var hostTime: HostTime { time }

    /// The time between two connection events.
    package var connectionInterval: Duration { parameters.interval }

    /// True if a value would be sent immediately: nothing is queued, and the controller has a buffer for values of this
    /// link. If it is false, ``L2CAPLink/roomAvailable()`` is called once there is room.
    package var hasRoom: Bool {
        guard case .open = state else { return false }
        if flow.queuedBytes == 0, flow.allowance > 0, acl.hasValueCredit(for: self) { return true }
        flow.wantsRoom = true
        acl.lineUp(self)
        return false
    }

    /// Sends one L2CAP frame of at most 65,535 bytes, or queues it. A link whose queue would exceed
    /// ``HostConfiguration/linkQueueLimit`` is disconnected, because its peer does not accept packets.
    package func send(cid: UInt16, _ payload: ByteView) {
        guard case .open = state, payload.count <= 0xFFFF else { return }
        if acl.sendAtOnce(self, cid: cid, payload) { return }
        enqueue(cid: cid, payload, isValue: false)
    }

    /// Sends one L2CAP frame with a value, after ``hasRoom`` returned true. The rest of a frame longer than a packet is
    /// queued, and does not use the reserved buffers.
    package func sendValue(cid: UInt16, _ payload: ByteView) {
        guard case .open = state, payload.count <= 0xFFFF else { return }
        if acl.sendAtOnce(self, cid: cid, payload) { return }
        enqueue(cid: cid, payload, isValue: true)
    }

    private func enqueue(cid: UInt16, _ payload: ByteView, isValue: Bool) {
        guard flow.queuedBytes + payload.count + 4 <= queueLimit else {
            return disconnectAtOnce(reason: .remoteLowResources)
        }
        flow.append(cid: cid, payload, isValue: isValue)
        acl.lineUp(self)
        acl.run()
    }

    /// Handles an L2CAP Connection Parameter Update Request of a peripheral; returns true if the parameters are
    /// accepted.
    package func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool {
        guard role == .central, case .open = state, let host, host.accepts(request) else { return false }
        updateByController(request) { _ in }
        return true
    }
}
