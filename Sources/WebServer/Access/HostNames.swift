import Foundation
import NIOCore
import Synchronization

/// The names by which a browser may address the server.
///
/// A request with another `Host` comes from a page whose name was later bound to this machine's address (DNS
/// rebinding), and is refused.
final class HostNames: Sendable {
    private struct Interfaces {
        var names: Set<String> = []
        var read: ContinuousClock.Instant?
    }

    private let fixed: Set<String>
    private let withPort: Set<String>
    /// The names that the user gave without a port: a proxy in front of the server may have any.
    private let withoutPort: Set<String>
    private let port: Int
    private let isAny: Bool
    private let interfaces = Mutex(Interfaces())

    /// Creates the names of a server.
    ///
    /// - Parameter bound: the address to which the system bound the socket.
    init(listen: WebAddress, bound: WebAddress, named: [String]) {
        var fixed: Set<String> = ["localhost"]
        var withPort: Set<String> = []
        if !listen.isAny { fixed.insert(Self.normalized(listen.host)) }
        if !listen.isAny { fixed.insert(Self.normalized(bound.host)) }
        var withoutPort: Set<String> = []
        if listen.isAny { fixed.formUnion(["127.0.0.1", "::1"]) }
        for name in named {
            if let (host, port) = Self.parts(name), port != nil {
                withPort.insert("\(host):\(port ?? 0)")
            } else {
                withoutPort.insert(Self.normalized(name))
            }
        }
        fixed.formUnion(withoutPort)
        self.withoutPort = withoutPort
        port = bound.port
        self.fixed = fixed
        self.withPort = withPort
        isAny = listen.isAny
    }

    /// Returns true if the value of a `Host` field names this server.
    func contains(_ field: String) -> Bool {
        guard let (host, port) = Self.parts(field) else { return false }
        if fixed.contains(host) { return true }
        if withPort.contains("\(host):\(port ?? 80)") || withPort.contains("\(host):\(port ?? 443)") { return true }
        return isAny && isOwnAddress(host)
    }

    /// Returns true if the value of a `Host` field that names this server has its port, or a name that is served on any
    /// port. Cookies do not separate ports.
    func hasOwnPort(_ field: String) -> Bool {
        guard let (host, port) = Self.parts(field) else { return false }
        if withoutPort.contains(host) || withPort.contains("\(host):\(port ?? 80)") { return true }
        return port == self.port || port == nil && (self.port == 80 || self.port == 443)
            || withPort.contains("\(host):\(port ?? 443)")
    }

    /// Returns true for an address of this machine. Addresses change: they are read again for an unknown address, at
    /// most every ten seconds.
    private func isOwnAddress(_ host: String) -> Bool {
        interfaces.withLock { interfaces in
            if interfaces.names.contains(host) { return true }
            if let read = interfaces.read, ContinuousClock.now - read < .seconds(10) { return false }
            interfaces.read = .now
            interfaces.names = Set(Self.interfaceAddresses().map(Self.normalized))
            return interfaces.names.contains(host)
        }
    }

    /// The IP addresses of the machine's interfaces, IPv4 first.
    static func interfaceAddresses() -> [String] {
        let all = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        let plain = all.map { String($0.prefix { $0 != "%" }) }
        return plain.filter { !$0.contains(":") } + plain.filter { $0.contains(":") }
    }

    /// Host and port of `host`, `host:port`, `[v6]` or `[v6]:port`.
    static func parts(_ field: String) -> (host: String, port: Int?)? {
        var rest = field[...]
        var host: Substring
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            (host, rest) = (rest[..<end], rest[end...])
        }
        guard !host.isEmpty, host.utf8.allSatisfy(isAllowed) else { return nil }
        if rest.isEmpty { return (normalized(String(host)), nil) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()) else { return nil }
        return (normalized(String(host)), Int(port))
    }

    private static func isAllowed(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    static func normalized(_ name: String) -> String {
        var name = name.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        while name.hasSuffix("."), name.count > 1 { name.removeLast() }
        return name
    }
}
