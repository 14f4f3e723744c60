/// Why something asked of a radio ended without its result.
///
/// The host stack and the backends use it; each front door turns it into its own public error, with what was being
/// done, to what, and what to do about it.
public enum RadioError: Error, Hashable, Sendable {
    /// The peer answered with an ATT error about the attribute at `handle`.
    case att(ATTErrorCode, handle: UInt16)
    /// The controller refused.
    case controller(HCIStatus)
    /// The link ended, or could not be established.
    case disconnected(HCIStatus)
    /// There is no link.
    case notConnected
    /// No answer in the time allowed.
    case timeout
    /// The caller gave up.
    case cancelled
    /// The radio is not, or no longer, ready; `reason` says what to do.
    case radio(RadioState, reason: String)
    /// This adapter, backend or peer cannot do it.
    case unsupported(String)
    /// The peer's answer breaks the protocol.
    case invalidResponse(String)
    /// The caller's argument is wrong.
    case invalidArgument(String)
    /// A stated bound is reached.
    case limit(String)
    /// The peer refused an L2CAP channel, with the result code of its response.
    case channelRefused(UInt16)
    /// Pairing was needed and did not happen.
    case security(SecurityProblem)
}
