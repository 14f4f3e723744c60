/// The error of an operation on a radio.
///
/// The host stack and the backends throw it. Each public API translates it into its own error, which adds the
/// operation, the peer and a remedy.
public enum RadioError: Error, Hashable, Sendable {
    /// The peer answered with an ATT error about the attribute at `handle`.
    case att(ATTErrorCode, handle: UInt16)
    /// The controller rejected the command.
    case controller(HCIStatus)
    /// The link ended, or could not be established.
    case disconnected(HCIStatus)
    /// There is no link.
    case notConnected
    /// No answer in time.
    case timeout
    /// A link was established, but the peer did not answer this request in time, and so the link was not usable.
    case unanswered(String)
    /// The caller cancelled the operation.
    case cancelled
    /// The radio is not ready; `reason` has a remedy.
    case radio(RadioState, reason: String)
    /// The adapter, the backend or the peer does not support the operation.
    case unsupported(String)
    /// The peer's answer violates the protocol.
    case invalidResponse(String)
    /// The caller's argument is invalid.
    case invalidArgument(String)
    /// A documented limit is reached.
    case limit(String)
    /// The peer refused an L2CAP channel, with this result code.
    case channelRefused(UInt16)
    /// Pairing or the required level of security failed.
    case security(SecurityProblem)
}
