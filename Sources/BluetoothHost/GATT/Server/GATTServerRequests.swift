import BluetoothModel

/// A client's read of a value that the server does not keep. Only the first answer counts; without one the client gets
/// Unlikely Error before it would give up the link.
public final class GATTReadRequest {
    /// Who reads.
    public let session: GATTServerSession
    /// What is read.
    public let handle: UInt16
    /// From which octet on.
    public let offset: Int
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

    /// Answers with the value from ``offset`` on, or with an error. What does not fit the packet is cut off; the client
    /// then reads on with a higher offset.
    public func respond(_ result: Result<[UInt8], ATTErrorCode>) {
        guard let answer else { return }
        self.answer = nil
        answer(result)
    }

    /// Nobody can be answered any more.
    func withdraw() { answer = nil }
}

/// One write of a client.
public struct GATTAttributeWrite: Hashable, Sendable {
    /// What is written.
    public var handle: UInt16
    /// From which octet on.
    public var offset: Int
    /// The octets.
    public var value: [UInt8]

    /// A write.
    public init(handle: UInt16, offset: Int, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}

/// A client's write, or several that belong together: all of them are accepted or none. Only the first answer counts.
public final class GATTWriteRequest {
    /// Who writes.
    public let session: GATTServerSession
    /// What is written, in order.
    public let writes: [GATTAttributeWrite]
    private var answer: ((Result<Void, ATTErrorCode>, UInt16) -> Void)?

    init(
        session: GATTServerSession, writes: [GATTAttributeWrite],
        answer: @escaping (Result<Void, ATTErrorCode>, UInt16) -> Void
    ) {
        self.session = session
        self.writes = writes
        self.answer = answer
    }

    /// Accepts or refuses; a refusal names the first attribute.
    public func respond(_ result: Result<Void, ATTErrorCode>) { respond(result, handle: writes.first?.handle ?? 0) }

    /// Accepts or refuses, because of the attribute at `handle`.
    public func respond(_ result: Result<Void, ATTErrorCode>, handle: UInt16) {
        guard let answer else { return }
        self.answer = nil
        answer(result, handle)
    }

    /// Nobody can be answered any more.
    func withdraw() { answer = nil }
}

/// What a session waits for from the delegate.
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
