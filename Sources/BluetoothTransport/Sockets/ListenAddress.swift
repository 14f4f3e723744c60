/// An address at which a controller is offered to other programs.
package enum ListenAddress: Hashable, Sendable {
    /// `tcp:[HOST:]PORT`; without a host on the loopback interface only. With port 0 the system chooses a free one.
    case tcp(host: String?, port: UInt16)
    /// `unix:PATH`: a Unix stream socket.
    case unix(path: String)
    /// `seq:PATH`: a Unix packet socket, one H4 packet per datagram.
    case seq(path: String)

    /// Parses the address `text`.
    /// - Throws: ``TransportError`` that names the valid forms.
    package init(_ text: String) throws(TransportError) {
        // The rules are those of ``AdapterURI``, where `tcp-server:` listens on a port.
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let asAdapter = scheme == "tcp" ? "tcp-server" + text.dropFirst(3) : text
        let adapter: AdapterURI
        do throws(TransportError) {
            adapter = try AdapterURI(asAdapter)
        } catch {
            guard case .invalidAdapter(_, let reason) = error, ["tcp", "tcp-server", "unix", "seq"].contains(scheme)
            else { throw .invalidAdapter(text, reason: Self.allowed) }
            throw .invalidAdapter(text, reason: reason)
        }
        switch adapter {
        case .tcpServer(let host, let port): self = .tcp(host: host, port: port)
        case .unix(let path): self = .unix(path: path)
        case .seq(let path): self = .seq(path: path)
        default: throw .invalidAdapter(text, reason: Self.allowed)
        }
    }

    private static let allowed =
        "this is not an address to listen on; the forms are tcp:[HOST:]PORT, unix:PATH, seq:PATH"
}

extension ListenAddress: CustomStringConvertible {
    /// The text of the address; a host opens it as an adapter.
    package var description: String {
        switch self {
        case .tcp(let host, let port): "tcp:\(AdapterURI.bracketed(host ?? "127.0.0.1")):\(port)"
        case .unix(let path): "unix:\(path)"
        case .seq(let path): "seq:\(path)"
        }
    }
}
