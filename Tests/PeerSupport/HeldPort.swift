#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port of 127.0.0.1 that no other socket can take while the object exists, and that accepts no connection.
package final class HeldPort: Sendable {
    /// The answer to connections.
    package enum Behavior: Sendable {
        /// The kernel refuses each connection.
        case refusing
        /// The queue of connections is full: the kernel answers no further connection.
        case silent
    }

    /// The port could not be taken.
    package struct Failure: Error {}

    /// The port.
    package let port: UInt16
    private let sockets: [Int32]

    /// Takes a port.
    package init(_ behavior: Behavior) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let held = socket(AF_INET, kind, 0)
        var isHeld = false
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                isHeld =
                    bind(held, address, size) == 0 && (behavior == .refusing || listen(held, 0) == 0)
                    && getsockname(held, address, &size) == 0
            }
        }
        guard isHeld else {
            close(held)
            throw Failure()
        }
        port = UInt16(bigEndian: address.sin_port)
        var all = [held]
        // One connection fits into the queue; the others wait for it.
        for _ in 0..<(behavior == .silent ? 4 : 0) {
            let client = socket(AF_INET, kind, 0)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
            all.append(client)
        }
        sockets = all
    }

    deinit { for socket in sockets { close(socket) } }
}
