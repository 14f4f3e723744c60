import BluetoothModel

/// Reads the rest of a value that did not fit into one response (Core 6.0, Vol 3, Part G, 4.8.3).
final class LongRead {
    /// The maximum length of an attribute value, in octets (Core 6.0, Vol 3, Part F, 3.2.9).
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

    /// Requests the next part, before queued requests.
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
            // The value ended exactly at the end of the last packet; servers report that with these errors.
            finish()
        case .failure(let error):
            completion(.failure(error))
        }
    }

    private static let endings: [ATTErrorCode] = [.attributeNotLong, .invalidOffset, .requestNotSupported]

    private func finish() { value.withByteView { completion(.success($0)) } }
}
