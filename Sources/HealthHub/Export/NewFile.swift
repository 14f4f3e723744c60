import Foundation

/// A new file, readable by its owner only, written in large chunks.
package final class NewFile {
    private let path: String
    private let file: Int32
    private var buffer: [UInt8] = []
    private var isOpen = true

    /// - Throws: ``HubProblem`` if the file exists or cannot be created.
    package init(_ path: String) throws(HubProblem) {
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let code = errno
            if code == EEXIST { throw HubProblem(.conflict, "\(path) already exists; choose a new file") }
            throw Self.problem(path, code)
        }
    }

    deinit { if isOpen { _ = Foundation.close(file) } }

    /// Removes the content.
    func restart() throws(HubProblem) {
        buffer.removeAll(keepingCapacity: true)
        guard ftruncate(file, 0) == 0, lseek(file, 0, SEEK_SET) == 0 else { throw Self.problem(path, errno) }
    }

    /// - Throws: ``HubProblem``, for example if the disk is full.
    func write(_ text: String) throws(HubProblem) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count > 1 << 18 { try flush() }
    }

    /// Appends the content of another file.
    package func append(_ other: String) throws(HubProblem) {
        let source = open(other, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else {
            throw HubProblem(.unavailable, "cannot read \(other): \(String(cString: strerror(errno)))")
        }
        defer { _ = Foundation.close(source) }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw HubProblem(.unavailable, "cannot read \(other)") }
            if count == 0 { return }
            buffer.append(contentsOf: chunk[..<count])
            try flush()
        }
    }

    private func flush() throws(HubProblem) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.problem(path, errno) }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest. The file is then on the disk.
    package func close() throws(HubProblem) {
        try flush()
        guard fsync(file) == 0 else { throw Self.problem(path, errno) }
        isOpen = false
        guard Foundation.close(file) == 0 else { throw Self.problem(path, errno) }
    }

    package func discard() {
        if isOpen { _ = Foundation.close(file) }
        isOpen = false
        unlink(path)
    }

    private static func problem(_ path: String, _ code: Int32) -> HubProblem {
        if code == ENOSPC { return HubProblem(.full, "the disk is full; \(path) was not written") }
        let reason = "cannot write \(path): \(String(cString: strerror(code)))"
        return HubProblem(code == ENOENT ? .notFound : .unavailable, reason)
    }
}
