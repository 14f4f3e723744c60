import Foundation

/// A host and a TCP port to listen on, written `127.0.0.1:8080`, `localhost:0`, `[::1]:8080` or `*:8080`.
///
/// Port 0 lets the system choose a port.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
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
        self.init(host: host == "*" ? "0.0.0.0" : String(host), port: Int(port))
    }

    /// The IP addresses of the host in their usual form; empty for an unknown name. `0` is `0.0.0.0` and `127.1` is
    /// `127.0.0.1`, as for all programs (inet(3)).
    var resolved: [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [String] = []
        var next = first
        while let info = next {
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(name.count)
            if getnameinfo(
                info.pointee.ai_addr, info.pointee.ai_addrlen, &name, size, nil, 0, NI_NUMERICHOST) == 0
            {
                let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !found.contains(text) { found.append(text) }
            }
            next = info.pointee.ai_next
        }
        return found
    }

    /// True if the host is an IP address in any form, and no name.
    var isNumeric: Bool {
        host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            || host.lowercased().hasPrefix("0x")
    }

    /// True if only programs on this machine can reach the address: all addresses of the host are loopback addresses.
    package var isLoopback: Bool {
        let all = resolved
        return !all.isEmpty && all.allSatisfy(Self.isLoopback)
    }

    private static func isLoopback(_ address: String) -> Bool {
        let plain = address.hasPrefix("::ffff:") ? String(address.dropFirst("::ffff:".count)) : address
        return plain == "::1" || plain.hasPrefix("127.") && plain.split(separator: ".").count == 4
    }

    /// True for all addresses of the machine: `0.0.0.0` or `::`.
    package var isAny: Bool { resolved.contains { $0 == "0.0.0.0" || $0 == "::" } }

    /// The form in a URL, with an IPv6 address in brackets.
    package var description: String { "\(Self.bracketed(host)):\(port)" }

    /// Returns the form of a host in a URL.
    package static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
