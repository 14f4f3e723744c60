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
struct ATTRequestOnAir {
    var opcode: ATTOpcode
    /// For a Read Request whose value may be longer than the response: what is read.
    var continuation: UInt16?
    var operation: ATTOperation
    var completion: ATTCompletion
}

/// The one request that may be on the air (Core 6.0, Vol 3, Part F, 3.3.2).
enum ATTRequestSlot {
    /// Nothing is on the air.
    case idle
    /// Somebody waits for the response.
    case waiting(ATTRequestOnAir)
    /// The caller is gone; the response is discarded when it comes.
    case abandoned(ATTOpcode)

    /// Empties the slot; what it held.
    mutating func take() -> ATTRequestSlot {
        var taken = ATTRequestSlot.idle
        swap(&taken, &self)
        return taken
    }
}
