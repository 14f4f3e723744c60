#if Programs
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port whose queue of connections is full: the kernel answers no further connection.
final class SilentListener: Sendable {
    struct Failure: Error {}

    /// The port on 127.0.0.1.
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, kind, 0)
        var isListening = false
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                isListening =
                    bind(listener, address, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        var all = [listener]
        // One connection fits into the queue; the others wait for it.
        for _ in 0..<4 {
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
#endif
