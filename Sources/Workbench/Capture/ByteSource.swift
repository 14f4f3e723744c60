#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a file from its beginning to its end, read as they are asked for: a pipe will do.
package final class ByteSource {
    /// Why a file cannot be opened.
    package struct OpenError: Error, Hashable, CustomStringConvertible {
        /// The reason, as the system says it.
        package let description: String
    }

    private let descriptor: Int32?
    private var buffer: [UInt8]
    private var position = 0
    /// How many bytes were taken.
    package private(set) var offset = 0
    /// Why reading stopped before the end of the file.
    package private(set) var problem: String?

    private static let chunk = 256 * 1024

    /// Opens a file; `-` is standard input.
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

    /// Bytes in memory.
    package init(bytes: [UInt8]) {
        buffer = bytes
        descriptor = nil
    }

    deinit {
        if let descriptor, descriptor >= 0 { _ = close(descriptor) }
    }

    /// The next `count` bytes; fewer at the end of the file.
    package func read(_ count: Int) -> [UInt8] {
        fill(count)
        let end = min(position + max(0, count), buffer.count)
        defer {
            offset += end - position
            position = end
        }
        return Array(buffer[position..<end])
    }

    /// The next `count` bytes, which stay to be read; fewer at the end of the file.
    package func peek(_ count: Int) -> [UInt8] {
        fill(count)
        return Array(buffer[position..<min(position + max(0, count), buffer.count)])
    }

    /// Has `count` bytes in the buffer, unless the file ends before.
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
