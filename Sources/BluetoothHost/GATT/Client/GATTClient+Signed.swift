import BluetoothModel

extension GATTClient {
    /// The maximum length of a signed write, in octets.
    package var maximumSignedWriteLength: Int { bearer.mtu - 3 - AttributeSignature.length }

    /// Writes a value without a response, with a signature that authenticates the sender to a bonded server. On an
    /// encrypted link the signature is omitted, because encryption authenticates the sender (Core 6.0, Vol 3, Part G,
    /// 4.9.2).
    @discardableResult
    package func signedWrite(
        _ handle: UInt16, _ bytes: [UInt8], timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        guard bearer.channel.security.level == .none else {
            return writeCommand(handle, bytes, timeout: timeout, completion: completion)
        }
        let operation = bearer.makeOperation(timeout: timeout)
        if bytes.count > maximumSignedWriteLength {
            let limit = "\(bytes.count) octets exceed the maximum of a signed write (\(maximumSignedWriteLength))"
            completion(.failure(.invalidArgument(limit)))
        } else {
            bearer.sendSigned(handle: handle, bytes, for: operation, completion: completion)
        }
        return operation.id
    }
}
