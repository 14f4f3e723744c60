/// A host and a TCP port to listen on, written `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`.
///
/// Port 0 lets the system choose a port.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, without brackets.
    package var host: String
    /// 0 to 65535.
    package var port: Int

    /// Creates an address from its parts.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; an IPv6 address must be in brackets. `nil` if the text has another form.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// True if only programs on this machine can reach the address.
    package var isLoopback: Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// True for all addresses of the machine: `0.0.0.0` or `::`.
    package var isAny: Bool { host == "0.0.0.0" || host == "::" }

    /// The form in a URL, with an IPv6 address in brackets.
    package var description: String { "\(Self.bracketed(host)):\(port)" }

    /// Returns the form of a host in a URL.
    package static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
