import BluetoothRuntime
import Testing

@testable import BluetoothTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a blocking closure on a separate thread, so that no thread of the pool waits.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        let status = DetachedThread.start { continuation.resume(returning: body()) }
        precondition(status == 0)
    }
}

/// A plain socket was refused.
struct NobodyListens: Error {}

/// The other side: a blocking socket with nothing of the code under test but its system calls' names.
final class PlainSocket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Two connected sockets; the first is for the code under test.
    static func pair(packets: Bool) throws -> (Int32, PlainSocket) {
        var ends: [Int32] = [-1, -1]
        let type = packets ? SystemCall.packetSocket : SystemCall.streamSocket
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        // Processes that other tests start must not keep the ends open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], PlainSocket(ends[1]))
    }

    /// Connects to a port of this machine.
    static func connect(port: UInt16) async throws -> PlainSocket {
        let result: Int32 = await blocking {
            let descriptor = socket(AF_INET, SystemCall.streamSocket, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafeBytes(of: &address) { bytes -> Int32 in
                guard let base = bytes.baseAddress else { return -1 }
                return Glibc.connect(
                    descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
            if status == 0 { return descriptor }
            close(descriptor)
            return -1
        }
        guard result >= 0 else { throw NobodyListens() }
        return PlainSocket(result)
    }

    /// Connects to a path.
    static func connect(path: String, packets: Bool) async throws -> PlainSocket {
        let address = try SocketAddress(path: path)
        let result: Int32 = await blocking {
            let descriptor = socket(AF_UNIX, packets ? SystemCall.packetSocket : SystemCall.streamSocket, 0)
            if address.connect(descriptor) == 0 { return descriptor }
            close(descriptor)
            return -1
        }
        guard result >= 0 else { throw NobodyListens() }
        return PlainSocket(result)
    }

    /// A socket that listens on a free port of this machine, and the port.
    static func listen() throws -> (PlainSocket, UInt16) {
        let descriptor = socket(AF_INET, SystemCall.streamSocket, 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafeBytes(of: &address) { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return bind(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        try #require(status == 0 && Glibc.listen(descriptor, 8) == 0)
        return (PlainSocket(descriptor), try #require(SocketAddress.port(of: descriptor)))
    }

    /// A socket that listens at a path.
    static func listen(path: String, packets: Bool) throws -> PlainSocket {
        let descriptor = socket(AF_UNIX, packets ? SystemCall.packetSocket : SystemCall.streamSocket, 0)
        try #require(descriptor >= 0)
        try #require(try SocketAddress(path: path).bind(descriptor) == 0 && Glibc.listen(descriptor, 8) == 0)
        return PlainSocket(descriptor)
    }

    func accept() async -> PlainSocket {
        await blocking { [descriptor] in PlainSocket(Glibc.accept(descriptor, nil, nil)) }
    }

    func write(_ bytes: [UInt8]) async {
        let written = await blocking { [descriptor] in
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
        #expect(written)
    }

    /// Calls `read` once: returns a datagram, or the available bytes of a stream; empty at the end.
    func read(upTo limit: Int = 70_000) async -> [UInt8] {
        await blocking { [descriptor] in
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = recv(descriptor, &bytes, limit, 0)
            return Array(bytes.prefix(max(0, count)))
        }
    }

    /// Exactly `count` bytes of a stream, or fewer at its end.
    func read(exactly count: Int) async -> [UInt8] {
        await blocking { [descriptor] in
            var bytes = [UInt8](repeating: 0, count: count)
            var offset = 0
            while offset < count {
                let got = bytes.withUnsafeMutableBytes {
                    recv(descriptor, $0.baseAddress.map { $0 + offset }, count - offset, 0)
                }
                guard got > 0 else { break }
                offset += got
            }
            return Array(bytes.prefix(offset))
        }
    }
}

/// A path for a socket or a file, in a separate directory that is removed with this object.
final class TemporaryPath: Sendable {
    let folder: String
    let path: String

    init(_ name: String = "socket") throws {
        var template = Array("/tmp/transport-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(folder)/\(name)"
    }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    var exists: Bool { access(path, F_OK) == 0 }

    func contents() -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}

/// Returns the number of sockets of a kind in the process: other tests have descriptors too, but few of the same kind.
func socketCount(family: Int32, type: Int32) -> Int {
    func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
    return (0..<Int32(getdtablesize())).count {
        option(SO_DOMAIN, of: $0) == family && option(SO_TYPE, of: $0) == type
    }
}

extension PlainSocket {
    /// Shuts down both directions; the descriptor stays open until the socket is released.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
