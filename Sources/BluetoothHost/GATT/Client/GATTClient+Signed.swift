import BluetoothModel

extension GATTClient {
    /// The most octets of one signed write.
    public var maximumSignedWriteLength: Int { bearer.mtu - 3 - AttributeSignature.length }

    /// Writes a value that nobody acknowledges, with a signature by which a bonded server knows who wrote it. On an
    /// encrypted link, where everything is known to come from us, it goes without (Core 6.0, Vol 3, Part G, 4.9.2).
    @discardableResult
    public func signedWrite(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        guard bearer.channel.security.level == .none else {
            return writeCommand(handle, bytes, timeout: timeout, completion: completion)
        }
        let operation = bearer.makeOperation(timeout: timeout)
        if bytes.count > maximumSignedWriteLength {
            let limit = "\(bytes.count) octets; a signed write has \(maximumSignedWriteLength) at most"
            completion(.failure(.invalidArgument(limit)))
        } else {
            bearer.sendSigned(handle: handle, bytes, for: operation, completion: completion)
        }
        return operation.id
    }
}
