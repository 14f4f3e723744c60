import BluetoothModel

/// A client's read of a dynamic value. Only the first answer is used. Without one the read fails with Unlikely Error
/// after ``GATTServerConfiguration/answerTimeout``.
package final class GATTReadRequest {
    /// The session of the client.
    package let session: GATTServerSession
    /// The attribute handle.
    package let handle: UInt16
    /// The offset of the first octet to read.
    package let offset: Int
    private var answer: ((Result<[UInt8], ATTErrorCode>) -> Void)?

    init(
        session: GATTServerSession, handle: UInt16, offset: Int,
        answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
    ) {
        self.session = session
        self.handle = handle
        self.offset = offset
        self.answer = answer
    }

    /// Answers with the value from ``offset`` on, or with an error. The value is truncated to the packet; the client
    /// then continues at a higher offset.
    package func respond(_ result: Result<[UInt8], ATTErrorCode>) {
        guard let answer else { return }
        self.answer = nil
        answer(result)
    }

    /// Discards the answer because the client can no longer be answered.
    func withdraw() { answer = nil }
}

/// One write by a client.
package struct GATTAttributeWrite: Hashable, Sendable {
    /// The attribute handle.
    package var handle: UInt16
    /// The offset of the first octet to write.
    package var offset: Int
    /// The octets to write.
    package var value: [UInt8]

    /// Creates a write.
    package init(handle: UInt16, offset: Int, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}

/// One or more writes by a client that are accepted or refused together. Only the first answer is used.
package final class GATTWriteRequest {
    /// The session of the client.
    package let session: GATTServerSession
    /// The writes, in order.
    package let writes: [GATTAttributeWrite]
    private var answer: ((Result<Void, ATTErrorCode>, UInt16) -> Void)?

    init(
        session: GATTServerSession, writes: [GATTAttributeWrite],
        answer: @escaping (Result<Void, ATTErrorCode>, UInt16) -> Void
    ) {
        self.session = session
        self.writes = writes
        self.answer = answer
    }

    /// Accepts or refuses the writes; an error response names the first attribute.
    package func respond(_ result: Result<Void, ATTErrorCode>) { respond(result, handle: writes.first?.handle ?? 0) }

    /// Accepts or refuses the writes; an error response names the attribute at `handle`.
    package func respond(_ result: Result<Void, ATTErrorCode>, handle: UInt16) {
        guard let answer else { return }
        self.answer = nil
        answer(result, handle)
    }

    /// Discards the answer because the client can no longer be answered.
    func withdraw() { answer = nil }
}

/// The request that the delegate has not answered yet.
enum GATTPendingAnswer {
    case none
    case read(GATTReadRequest)
    case write(GATTWriteRequest)

    func expire() {
        switch self {
        case .none: break
        case .read(let request): request.respond(.failure(.unlikelyError))
        case .write(let request): request.respond(.failure(.unlikelyError))
        }
    }

    func withdraw() {
        switch self {
        case .none: break
        case .read(let request): request.withdraw()
        case .write(let request): request.withdraw()
        }
    }
}
