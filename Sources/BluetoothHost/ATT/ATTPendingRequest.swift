import BluetoothModel

/// How a request of our client ends: with the response, without its opcode, or with an error.
typealias ATTCompletion = (Result<ByteView, RadioError>) -> Void

/// A request that waits for its turn.
struct ATTPendingRequest {
    var request: ATTRequest
    var operation: ATTOperation
    var completion: ATTCompletion
}

/// What is left of a request that is on the air: what its response is judged by, and who waits for it.
///
/// There is one, which moves and is never copied: copies would count the completion's references with each packet.
struct ATTRequestOnAir: ~Copyable {
    var opcode: ATTOpcode
    /// For a Read Request whose value may be longer than the response: what is read.
    var continuation: UInt16?
    var operation: ATTOperation
    var completion: ATTCompletion
}

/// The one request that may be on the air (Core 6.0, Vol 3, Part F, 3.3.2).
enum ATTRequestSlot: ~Copyable {
    /// Nothing is on the air.
    case idle
    /// Somebody waits for the response.
    case waiting(ATTRequestOnAir)
    /// The caller is gone; the response is discarded when it comes.
    case abandoned(ATTOpcode)

    /// The operation of who waits.
    var operation: ATTOperation? {
        switch self {
        case .waiting(let request): request.operation
        case .idle: nil
        case .abandoned: nil
        }
    }

    /// What was asked for by a caller who is gone.
    var abandoned: ATTOpcode? {
        switch self {
        case .abandoned(let opcode): opcode
        case .idle: nil
        case .waiting: nil
        }
    }

    /// Empties the slot; who waited.
    mutating func take() -> ATTRequestOnAir? {
        switch exchange(&self, with: .idle) {
        case .waiting(let request): request
        case .idle: nil
        case .abandoned: nil
        }
    }
}
