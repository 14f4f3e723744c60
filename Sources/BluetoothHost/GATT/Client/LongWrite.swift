import BluetoothModel

/// Writes values in parts, which the server queues and then executes together (Core 6.0, Vol 3, Part G, 4.9.4 and
/// 4.9.5).
///
/// The server echoes each part, and the echo is compared. After any error before the execution, an Execute Write
/// Request with the cancel flag discards the queue.
final class LongWrite {
    private let bearer: ATTBearer
    private let operation: ATTOperation
    private let completion: (Result<Void, RadioError>) -> Void
    private let values: [(handle: UInt16, bytes: [UInt8])]
    /// The position in each value from which on it is written.
    private let start: Int
    private var index = 0
    /// The number of octets of the current value that are prepared.
    private var offset = 0
    /// The number of value octets in the request in flight.
    private var sentLength = 0

    init(
        _ values: [(handle: UInt16, bytes: [UInt8])], from start: Int = 0, bearer: ATTBearer, operation: ATTOperation,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        self.values = values
        self.start = start
        self.bearer = bearer
        self.operation = operation
        self.completion = completion
    }

    /// Queues the first part. The others are sent before queued requests, so that parts of two writes do not mix in the
    /// server's queue.
    func begin() {
        guard let request = nextPart() else { return completion(.success(())) }
        bearer.request(request, for: operation) { [self] in prepared($0) }
    }

    private func nextPart() -> ATTRequest? {
        guard index < values.count else { return nil }
        let (handle, bytes) = values[index]
        let end = min(bytes.count, offset + bearer.mtu - 5)
        sentLength = end - offset
        return .prepareWrite(handle, offset: UInt16(start + offset), part: bytes[offset..<end])
    }

    private func prepared(_ result: Result<ByteView, RadioError>) {
        switch result {
        case .failure(let error): fail(error)
        case .success(let echo):
            let (handle, bytes) = values[index]
            guard echo.count >= 4, echo.uint16(at: 0) == handle, Int(echo.uint16(at: 2)) == start + offset else {
                return fail(.invalidResponse("the server prepared a write to another handle or offset"))
            }
            let part = echo.dropFirst(4)
            guard offset + part.count <= bytes.count, part.count == sentLength,
                part.elementsEqual(bytes[offset..<offset + part.count])
            else { return fail(.invalidResponse("the server prepared other octets than were sent")) }
            offset += part.count
            if offset == bytes.count {
                index += 1
                offset = 0
            }
            if let request = nextPart() {
                bearer.proceed(request, for: operation) { [self] in prepared($0) }
            } else {
                bearer.proceed(.executeWrite(true), for: operation) { [self] in executed($0) }
            }
        }
    }

    private func executed(_ result: Result<ByteView, RadioError>) {
        switch result {
        case .success: completion(.success(()))
        case .failure(let error): completion(.failure(error))
        }
    }

    /// Fails the write, and discards the server's queue before other parts are sent.
    private func fail(_ error: RadioError) {
        if bearer.isOpen, hasSomethingPrepared(error) {
            let cleaning = bearer.makeOperation(timeout: nil)
            bearer.proceed(.executeWrite(false), for: cleaning) { _ in }
        }
        completion(.failure(error))
    }

    /// Returns true if the server may have queued a part; false if the caller abandoned the write before the first
    /// part.
    private func hasSomethingPrepared(_ error: RadioError) -> Bool {
        guard index == 0, offset == 0, error == .cancelled || error == .timeout else { return true }
        return bearer.slot.abandoned == .prepareWriteRequest
    }
}
