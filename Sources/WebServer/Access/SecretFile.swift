import Foundation

/// Files that only their owner may read.
enum SecretFile {
    /// Creates a directory with mode 0700 if it does not exist.
    ///
    /// - Throws: ``WebServerError/unusableFile(path:reason:)``.
    static func makeDirectory(_ path: String) throws(WebServerError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unusableFile(path: path, reason: "cannot create the directory: \(error.localizedDescription)")
        }
    }

    /// Returns the content of a file; `nil` if it does not exist.
    ///
    /// - Throws: ``WebServerError/fileNotPrivate(path:)`` if others may read the file and `isPrivate` is `true`;
    ///   ``WebServerError/unusableFile(path:reason:)`` if it cannot be read, is not a regular file or is larger than 1
    ///   MB.
    static func read(_ path: String, isPrivate: Bool = true) throws(WebServerError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unusableFile(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusableFile(path: path, reason: "not a regular file")
        }
        if isPrivate, status.st_mode & 0o077 != 0 { throw .fileNotPrivate(path: path) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unusableFile(path: path, reason: String(cString: strerror(errno))) }
            if count == 0 { return content }
            content += chunk[..<count]
            guard content.count <= 1 << 20 else { throw .unusableFile(path: path, reason: "larger than 1 MB") }
        }
    }

    /// Replaces a file atomically, mode 0600.
    ///
    /// - Throws: ``WebServerError/unusableFile(path:reason:)``.
    static func write(_ content: some Sequence<UInt8>, to path: String) throws(WebServerError) {
        try write(content, to: path, for: path)
    }

    /// - Parameter named: the path for errors.
    private static func write(
        _ content: some Sequence<UInt8>, to path: String, for named: String
    ) throws(WebServerError) {
        let temporary = path + ".\(getpid()).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusableFile(path: named, reason: String(cString: strerror(errno))) }
        var rest = Array(content)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(temporary)
            throw .unusableFile(path: named, reason: reason)
        }
    }

    /// Returns the content of a file. If it does not exist, creates it with the content that `make` returns.
    ///
    /// If two programs start at the same time, one creates the file and the other one reads it.
    ///
    /// - Throws: ``WebServerError`` if the file is not private, or cannot be read or created.
    static func readOrMake(_ path: String, _ make: () -> [UInt8]) throws(WebServerError) -> [UInt8] {
        if let content = try read(path) { return content }
        let content = make()
        let temporary = path + ".\(getpid()).first"
        try write(content, to: temporary, for: path)
        defer { unlink(temporary) }
        if link(temporary, path) == 0 { return content }
        guard errno == EEXIST, let other = try read(path) else {
            throw .unusableFile(path: path, reason: String(cString: strerror(errno)))
        }
        return other
    }
}
