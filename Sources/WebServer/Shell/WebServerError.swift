/// A reason why a server could not start.
package enum WebServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another program listens on the address.
    case addressInUse(WebAddress)
    /// The system refused the address.
    case cannotListen(WebAddress, reason: String)
    /// A server that is reachable from other machines needs a password.
    case passwordRequired(WebAddress)
    /// A file that must be readable by its owner only can be read by others.
    case fileNotPrivate(path: String)
    /// A file could not be read or written, or its content is unusable.
    case unusableFile(path: String, reason: String)

    /// A description of the error, with advice.
    package var description: String {
        switch self {
        case .addressInUse(let address):
            "\(address) is in use by another program. Stop it, or choose another port; port 0 selects a free one."
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        case .passwordRequired(let address):
            "other machines can reach \(address), so a password file is required. "
                + "Add one, or listen on 127.0.0.1."
        case .fileNotPrivate(let path):
            "\(path) is readable by other users. Run `chmod 600 \(path)`, or delete it to create a new one."
        case .unusableFile(let path, let reason): "\(path): \(reason)"
        }
    }
}
