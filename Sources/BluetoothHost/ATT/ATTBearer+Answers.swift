import BluetoothModel

/// The server side of transactions: one request at a time, with exactly one response or error response each.
extension ATTBearer {
    func receiveRequest(_ opcode: ATTOpcode, _ packet: ByteView) {
        // A client must not send a request before it has received the response to the previous one (a protocol
        // violation).
        guard case .idle = answer else { return faults.add(.requestTooEarly, packet) }
        answer = .answering
        guard packet.count <= localMTU, let request = ATTIncomingRequest(opcode, packet) else {
            return respondError(opcode: opcode.rawValue, handle: 0, .invalidPDU)
        }
        if case .exchangeMTU(let peerMTU) = request { return answerMTU(peerMTU) }
        guard let uncountedServer else {
            return respondError(opcode: opcode.rawValue, handle: 0, .requestNotSupported)
        }
        // Proof: the caller of `receive(_:)` retains the link, which retains the server.
        uncountedServer._withUnsafeGuaranteedRef { $0.receive(request, opcode) }
    }

    func receiveCommand(_ opcode: ATTOpcode, _ packet: ByteView) {
        if opcode == .signedWriteCommand { return receiveSigned(packet) }
        guard packet.count <= localMTU, case .writeCommand(let handle, let value) = ATTIncomingRequest(opcode, packet)
        else { return faults.add(.ignoredCommand, packet) }
        server?.receiveCommand(handle, value)
    }

    /// Answers an Exchange MTU Request with the MTU of this side, also a repeated one. The new MTU, which the client
    /// computes in the same way, applies after the response.
    private func answerMTU(_ peerMTU: UInt16) {
        beginResponse(.exchangeMTUResponse)
        writer.uint16(UInt16(localMTU))
        sendResponse()
        setMTU(min(localMTU, Int(peerMTU)))
    }

    /// Begins a response in ``writer``.
    func beginResponse(_ opcode: ATTOpcode) {
        writer.reset()
        writer.uint8(opcode.rawValue)
    }

    /// Sends the contents of ``writer`` as the answer to the current request.
    func sendResponse() {
        guard isOpen, case .answering = answer else { return }
        answer = .idle
        writer.withUncountedView { channel.send($0) }
    }

    /// Sends an Error Response (Core 6.0, Vol 3, Part F, 3.4.1.1) as the answer to the current request.
    func respondError(opcode: UInt8, handle: UInt16, _ code: ATTErrorCode) {
        writer.reset()
        writer.uint8(ATTOpcode.errorResponse.rawValue)
        writer.uint8(opcode)
        writer.uint16(handle)
        writer.uint8(code.rawValue)
        sendResponse()
    }
}
