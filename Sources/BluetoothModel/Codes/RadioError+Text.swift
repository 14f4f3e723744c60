extension RadioError: CustomStringConvertible {
    /// The reason in plain words, for logs.
    public var description: String {
        switch self {
        case .att(let code, let handle):
            "the device answered \(code) for handle 0x\([UInt8(handle >> 8), UInt8(handle & 0xFF)].hexText())"
        case .controller(let status): "the controller refused: \(status)"
        case .disconnected(.failedToEstablish): "the link failed to be established (0x3E)"
        case .disconnected(let status): "the link ended: \(status)"
        case .notConnected: "not connected"
        case .timeout: "no answer in time"
        case .unanswered(let request): "the link was established, but the device did not answer the \(request)"
        case .cancelled: "cancelled"
        case .radio(let state, let reason): reason.isEmpty ? "the adapter is \(state.text)" : reason
        case .unsupported(let reason), .invalidArgument(let reason), .limit(let reason): reason
        case .invalidResponse(let reason): "the device violated the protocol: \(reason)"
        case .channelRefused(let result): "the device refused the channel (result \(result))"
        case .security(let problem): problem.text
        }
    }
}
