import BluetoothModel

/// The Signed Write Command (Core 6.0, Vol 3, Part F, 3.4.5.4).
extension ATTBearer {
    func receiveSigned(_ packet: ByteView) {
        let length = packet.count - AttributeSignature.length
        guard packet.count <= localMTU, length >= 3, let signer,
            signer.verify(packet.prefix(length).array, signature: packet.dropFirst(length).array)
        else { return faults.add(.ignoredCommand, packet) }
        server?.receiveCommand(packet.uint16(at: 1), packet.prefix(length).dropFirst(3), isSigned: true)
    }

    /// Sends a Signed Write Command; completes when the link has accepted it.
    func sendSigned(
        handle: UInt16, _ bytes: [UInt8], for operation: ATTOperation,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        writer.reset()
        writer.uint8(ATTOpcode.signedWriteCommand.rawValue)
        writer.uint16(handle)
        writer.append(bytes)
        guard let signature = signer?.sign(writer.bytes) else {
            let what = "a signed write requires a bond; pair with the device first"
            return completion(.failure(.security(.init(.notPaired, what))))
        }
        writer.append(signature)
        sendWritten(for: operation, completion: completion)
    }
}
