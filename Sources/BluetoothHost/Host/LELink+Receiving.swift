import BluetoothModel

extension LELink {
    /// Processes the data of one ACL packet.
    @inline(__always)
    func receive(_ boundary: UInt8, _ data: ByteView) {
        flow.received &+= 1
        // Fast path: the packet contains exactly one frame.
        if boundary != 1, data.count >= 4, Int(data.uint16(at: 0)) + 4 == data.count, !reassembler.isWithinFrame {
            // Proof: the caller retains the link, and thereby its channels.
            return channels._withUnsafeGuaranteedRef { $0.receive(cid: data.uint16(at: 2), data.dropFirst(4)) }
        }
        receiveFragment(isFirst: boundary != 1, data)
    }

    private func receiveFragment(isFirst: Bool, _ data: ByteView) {
        let outcome: FrameReassembler.Outcome?
        if isFirst {
            if reassembler.isWithinFrame { host?.note(.brokenFrame) }
            outcome = reassembler.begin(data)
        } else {
            outcome = reassembler.proceed(data)
        }
        switch outcome {
        case .incomplete, nil: return
        case .broken: host?.note(.brokenFrame, data)
        case .whole:
            let frame = reassembler.take()
            frame.withByteView { l2cap.receive(cid: $0.uint16(at: 2), $0.dropFirst(4)) }
            reassembler.reuse(frame)
        }
    }
}
