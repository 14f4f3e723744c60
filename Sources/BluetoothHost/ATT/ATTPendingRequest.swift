import BluetoothModel

/// How a request of our client ends: with the response, without its opcode, or with an error.
typealias ATTCompletion = (Result<ByteView, RadioError>) -> Void

/// A request that waits for its turn or for its response.
struct ATTPendingRequest {
    var request: ATTRequest
    var operation: ATTOperation
    /// Whether a response that fills the packet is the beginning of a longer value.
    var continuesLongValue = false
    var completion: ATTCompletion
}

/// The one request that may be on the air (Core 6.0, Vol 3, Part F, 3.3.2).
enum ATTRequestSlot {
    /// Nothing is on the air.
    case idle
    /// Somebody waits for the response.
    case waiting(ATTPendingRequest)
    /// The caller is gone; the response is discarded when it comes.
    case abandoned(ATTOpcode)

    var isIdle: Bool {
        if case .idle = self { true } else { false }
    }
}
