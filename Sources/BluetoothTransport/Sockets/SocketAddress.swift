#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a socket in the form of the system calls.
struct SocketAddress: Hashable, Sendable {
    /// The address family, such as `AF_INET`.
    let family: Int32
    private let bytes: [UInt8]

    /// The maximum length of a socket's path, in bytes.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Creates an address from the bytes of a `sockaddr`, such as the Bluetooth one, which the C headers lack.
    init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// Creates the address of a Unix socket in the file system.
    init(path: String) throws(TransportError) {
        let text = Array(path.utf8)
        guard !text.isEmpty else { throw .invalidPath(path, reason: "it is empty") }
        guard text.count <= Self.longestPath else {
            throw .invalidPath(
                path,
                reason:
                    "it has \(text.count) bytes, but the maximum is \(Self.longestPath); choose a shorter path"
            )
        }
        guard !text.contains(0) else { throw .invalidPath(path, reason: "it contains a zero byte") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
        #if canImport(Darwin)
        address.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
        #endif
        self.init(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { [UInt8]($0) })
    }

    /// Calls `body` with the address in the form of the system calls.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count)) }
        }
    }

    /// Starts a connection; returns 0, or an `errno`.
    func connect(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        let status = withPointer { Glibc.connect(descriptor, $0, $1) } ?? -1
        #elseif canImport(Musl)
        let status = withPointer { Musl.connect(descriptor, $0, $1) } ?? -1
        #else
        let status = withPointer { Darwin.connect(descriptor, $0, $1) } ?? -1
        #endif
        if status == 0 { return 0 }
        // An interrupted connection continues in the background, like a non-blocking one.
        return errno == EINTR ? EINPROGRESS : errno
    }

    /// Binds a socket; returns 0, or an `errno`.
    func bind(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        let status = withPointer { Glibc.bind(descriptor, $0, $1) } ?? -1
        #elseif canImport(Musl)
        let status = withPointer { Musl.bind(descriptor, $0, $1) } ?? -1
        #else
        let status = withPointer { Darwin.bind(descriptor, $0, $1) } ?? -1
        #endif
        return status == 0 ? 0 : errno
    }

    /// Returns the port of a bound internet socket.
    static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer -> UInt16? in
            let raw = UnsafeMutableRawPointer(pointer)
            guard getsockname(descriptor, raw.assumingMemoryBound(to: sockaddr.self), &length) == 0 else { return nil }
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET: return UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port)
            case AF_INET6: return UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port)
            default: return nil
            }
        }
    }
}
