#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a listening Unix socket: made by `bind`, and removed by whoever made it.
struct UnixSocketFile {
    private let path: String
    private let device: UInt64
    private let number: UInt64

    /// The file that `bind` has just made at `path`; nil where it is gone already.
    init?(boundAt path: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        self.path = path
        self.device = device
        self.number = number
    }

    /// Removes the file unless somebody has put another one in its place.
    func remove() {
        guard let (device, number) = Self.identity(of: path), device == self.device, number == self.number else {
            return
        }
        unlink(path)
    }

    /// Removes a socket's file that nobody listens on any more.
    ///
    /// - Throws: where somebody listens, or the file is no socket.
    static func removeStale(at path: String, type: Int32) throws(TransportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .invalidPath(path, reason: "there is a file that is no socket; choose another path, or remove it")
        }
        let address = try SocketAddress(path: path)
        guard let probe = SystemCall.socket(family: AF_UNIX, type: type) else { return }
        defer { SystemCall.close(probe) }
        // Refused is the one answer that says that nobody listens; a full queue and another kind of socket do not.
        guard address.connect(probe) == ECONNREFUSED else { throw .addressInUse(path) }
        unlink(path)
    }

    private static func identity(of path: String) -> (UInt64, UInt64)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}
