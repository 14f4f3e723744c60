import Foundation

extension URLComponents {
    /// True if only programs on this machine are reachable at the host.
    package var isLoopback: Bool {
        guard let name = host?.lowercased() else { return false }
        if ["localhost", "::1", "[::1]"].contains(name) { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// True for a port from 1 to 65535, and for none.
    package var isPortValid: Bool { port.map { (1...65535).contains($0) } ?? true }
}
