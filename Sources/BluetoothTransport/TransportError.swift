/// The reason why a channel to a controller could not be opened, or ended; the text includes the remedy.
package enum TransportError: Error, Hashable, Sendable {
    /// The text is not the URI of an adapter.
    case invalidAdapter(String, reason: String)
    /// This adapter cannot be opened here; `reason` names the alternative.
    case unsupported(adapter: String, reason: String)
    /// The host has no known address.
    case hostNotFound(host: String, reason: String)
    /// The connection was refused: there is no listener.
    case refused(String)
    /// The address cannot be reached, or did not answer in time.
    case unreachable(String, reason: String)
    /// The address is in use already.
    case addressInUse(String)
    /// The path is not valid for a socket.
    case invalidPath(String, reason: String)
    /// There is no such device, file or socket.
    case notFound(String, cure: String)
    /// The system denies the permission.
    case permissionDenied(String, cure: String)
    /// Another program uses it.
    case busy(String, cure: String)
    /// The radio is blocked by a switch or by software (rfkill).
    case radioBlocked(String, cure: String)
    /// The peer closed the connection.
    case closedByPeer(String)
    /// The received data is not HCI: the framing is lost, so nothing after it can be decoded.
    case desynchronised(String, reason: String)
    /// The peer stopped reading, and the queue reached its limit.
    case overflow(String)
    /// The program cancelled the opening.
    case cancelled(String)
    /// A capture file cannot be written.
    case capture(path: String, reason: String)
    /// A system call failed with an error that has no case of its own; `code` is its `errno`.
    case system(operation: String, target: String, code: Int32, reason: String)
}

extension TransportError: CustomStringConvertible {
    /// The reason, and the remedy.
    package var description: String {
        switch self {
        case .invalidAdapter(let text, let reason): "adapter '\(text)': \(reason)"
        case .unsupported(let adapter, let reason): "adapter '\(adapter)' cannot be opened: \(reason)"
        case .hostNotFound(let host, let reason):
            "no address for host '\(host)': \(reason); check the name and the network"
        case .refused(let address):
            "\(address): no program is listening; start the controller first, or check the address"
        case .unreachable(let address, let reason):
            "\(address) cannot be reached: \(reason); check the address and the network"
        case .addressInUse(let address):
            "\(address): another program is already listening; stop that program, or choose another address"
        case .invalidPath(let path, let reason): "socket path '\(path)': \(reason)"
        case .notFound(let what, let cure): "\(what) was not found; \(cure)"
        case .permissionDenied(let what, let cure): "\(what): permission denied; \(cure)"
        case .busy(let what, let cure): "\(what) is in use; \(cure)"
        case .radioBlocked(let what, let cure): "\(what) is blocked by a radio switch; \(cure)"
        case .closedByPeer(let name):
            "\(name): the other side closed the connection; is the controller's program still running?"
        case .desynchronised(let name, let reason):
            "\(name): the data is not HCI: \(reason); does the other side use H4, and the same baud rate?"
        case .overflow(let name):
            "\(name): the controller has stopped reading, with \(HCIChannelLimits.overflow) bytes queued; restart it"
        case .cancelled(let name): "\(name): opening was cancelled"
        case .capture(let path, let reason):
            "cannot write the capture file '\(path)': \(reason); choose a path that is writable for you"
        case .system(let operation, let target, let code, let reason):
            "\(target): \(operation) failed: \(reason) (error \(code))"
        }
    }
}
