#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the bytes of a file sequentially and on demand, so the file may be a pipe.
package final class ByteSource {
    /// An error that is thrown if a file cannot be opened.
    package struct OpenError: Error, Hashable, CustomStringConvertible {
        /// The message of the system, from `strerror`.
        package let description: String
    }

    private let descriptor: Int32?
    private var buffer: [UInt8]
    private var position = 0
    /// The number of bytes that were read from the source.
    package private(set) var offset = 0
    /// The message of a failed read; nil if no read failed.
    package private(set) var problem: String?

    private static let chunk = 256 * 1024

    /// Opens a file; `-` is standard input.
    /// - Throws: ``OpenError`` if the file cannot be opened or is a directory.
    package init(path: String) throws(OpenError) {
        buffer = []
        guard path != "-" else {
            descriptor = dup(STDIN_FILENO)
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OpenError(description: String(cString: strerror(errno))) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            _ = close(descriptor)
            throw OpenError(description: String(cString: strerror(EISDIR)))
        }
        self.descriptor = descriptor
    }

    /// Creates a source of bytes in memory.
    package init(bytes: [UInt8]) {
        buffer = bytes
        descriptor = nil
    }

    deinit {
        if let descriptor, descriptor >= 0 { _ = close(descriptor) }
    }

    /// Reads the next `count` bytes; fewer at the end of the file.
    package func read(_ count: Int) -> [UInt8] {
        fill(count)
        let end = min(position + max(0, count), buffer.count)
        defer {
            offset += end - position
            position = end
        }
        return Array(buffer[position..<end])
    }

    /// Returns the next `count` bytes without consuming them; fewer at the end of the file.
    package func peek(_ count: Int) -> [UInt8] {
        fill(count)
        return Array(buffer[position..<min(position + max(0, count), buffer.count)])
    }

    /// Fills the buffer with at least `count` unread bytes, unless the file ends before.
    private func fill(_ count: Int) {
        guard let descriptor, buffer.count - position < count else { return }
        buffer.removeFirst(position)
        position = 0
        while buffer.count < count {
            var chunk = [UInt8](repeating: 0, count: Self.chunk)
            #if canImport(Glibc)
            let got = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            #elseif canImport(Musl)
            let got = chunk.withUnsafeMutableBytes { Musl.read(descriptor, $0.baseAddress, $0.count) }
            #else
            let got = chunk.withUnsafeMutableBytes { Darwin.read(descriptor, $0.baseAddress, $0.count) }
            #endif
            if got < 0, errno == EINTR { continue }
            if got < 0 { problem = String(cString: strerror(errno)) }
            guard got > 0 else { return }
            buffer.append(contentsOf: chunk[..<got])
        }
    }
}
