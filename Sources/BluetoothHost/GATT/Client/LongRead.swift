import BluetoothModel

/// Reads the rest of a value that did not fit one response (Core 6.0, Vol 3, Part G, 4.8.3).
final class LongRead {
    /// The longest value that an attribute may have (Core 6.0, Vol 3, Part F, 3.2.9).
    static let maximumLength = 512

    private let handle: UInt16
    private let bearer: ATTBearer
    private let operation: ATTOperation
    private let completion: ATTCompletion
    private var value: [UInt8]

    init(
        handle: UInt16, beginning: ByteView, bearer: ATTBearer, operation: ATTOperation,
        completion: @escaping ATTCompletion
    ) {
        self.handle = handle
        self.bearer = bearer
        self.operation = operation
        self.completion = completion
        value = beginning.array
    }

    /// Asks for the next part, before anybody else's requests.
    func proceed() {
        guard value.count < Self.maximumLength else { return finish() }
        bearer.proceed(.readBlob(handle, offset: UInt16(value.count)), for: operation) { [self] in received($0) }
    }

    private func received(_ result: Result<ByteView, RadioError>) {
        switch result {
        case .success(let part):
            guard value.count + part.count <= Self.maximumLength else {
                return completion(.failure(.invalidResponse("a value longer than 512 octets")))
            }
            value.append(contentsOf: part.unsafeBytes)
            if part.count >= bearer.mtu - 1 { proceed() } else { finish() }
        case .failure(.att(let code, _)) where Self.endings.contains(code):
            // The value filled the packet to the last octet, and this is how servers say so.
            finish()
        case .failure(let error):
            completion(.failure(error))
        }
    }

    private static let endings: [ATTErrorCode] = [.attributeNotLong, .invalidOffset, .requestNotSupported]

    private func finish() { value.withByteView { completion(.success($0)) } }
}
