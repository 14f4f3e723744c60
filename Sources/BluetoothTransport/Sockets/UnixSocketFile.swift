#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a listening Unix socket: created by `bind`, and removed by its creator.
struct UnixSocketFile {
    private let path: String
    private let device: UInt64
    private let number: UInt64

    /// Creates a reference to the file that `bind` has just created at `path`; nil if it is removed already.
    init?(boundAt path: String) {
        guard let (device, number) = Self.identity(of: path) else { return nil }
        self.path = path
        self.device = device
        self.number = number
    }

    /// Removes the file unless another program has replaced it.
    func remove() {
        guard let (device, number) = Self.identity(of: path), device == self.device, number == self.number else {
            return
        }
        unlink(path)
    }

    /// Removes the stale file of a socket without a listener.
    ///
    /// - Throws: ``TransportError`` if there is a listener, or the file is no socket.
    static func removeStale(at path: String, type: Int32) throws(TransportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .invalidPath(
                path, reason: "the existing file is not a socket; choose another path, or remove the file")
        }
        let address = try SocketAddress(path: path)
        guard let probe = SystemCall.socket(family: AF_UNIX, type: type) else { return }
        defer { SystemCall.close(probe) }
        // Only a refused connection proves that there is no listener; a full queue and another type of socket give
        // other errors.
        guard address.connect(probe) == ECONNREFUSED else { throw .addressInUse(path) }
        unlink(path)
    }

    private static func identity(of path: String) -> (UInt64, UInt64)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}
