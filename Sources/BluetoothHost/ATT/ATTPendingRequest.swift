import BluetoothModel

/// The completion of a client request, called with the response without its opcode, or with an error.
typealias ATTCompletion = (Result<ByteView, RadioError>) -> Void

/// A request that is queued until it can be sent.
struct ATTPendingRequest {
    var request: ATTRequest
    var operation: ATTOperation
    var completion: ATTCompletion
}

/// The state of a request in flight: the opcode that its response must match, and its completion.
///
/// Noncopyable: there is only one, and a copy would change the completion's reference count for every packet.
struct ATTRequestOnAir: ~Copyable {
    var opcode: ATTOpcode
    /// The value handle to continue reading from, for a Read Request whose value may be longer than the response.
    var readHandle: UInt16?
    var operation: ATTOperation
    var completion: ATTCompletion
}

/// The slot of the one request that may be in flight (Core 6.0, Vol 3, Part F, 3.3.2).
enum ATTRequestSlot: ~Copyable {
    /// No request is in flight.
    case idle
    /// A caller waits for the response.
    case waiting(ATTRequestOnAir)
    /// The caller of this operation abandoned the request; the response is discarded when it arrives.
    case abandoned(ATTOpcode, LinkOperationID)

    /// The operation of the waiting caller; nil if there is none.
    var operation: ATTOperation? {
        switch self {
        case .waiting(let request): request.operation
        case .idle: nil
        case .abandoned: nil
        }
    }

    /// The operation of the request in flight, which its caller may have abandoned; nil if there is none.
    var operationID: LinkOperationID? {
        switch self {
        case .waiting(let request): request.operation.id
        case .abandoned(_, let id): id
        case .idle: nil
        }
    }

    /// The opcode of the abandoned request, if any.
    var abandoned: ATTOpcode? {
        switch self {
        case .abandoned(let opcode, _): opcode
        case .idle: nil
        case .waiting: nil
        }
    }

    /// Empties the slot and returns the request if a caller waits for it.
    mutating func take() -> ATTRequestOnAir? {
        switch exchange(&self, with: .idle) {
        case .waiting(let request): request
        case .idle: nil
        case .abandoned: nil
        }
    }
}
