#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file for secrets: readable only by its owner, and replaced atomically.
package struct PrivateFile {
    /// An error of a file operation, without the file's contents.
    package struct Failure: Error, CustomStringConvertible {
        /// The error as text.
        package var description: String

        package init(_ description: String) { self.description = description }

        init(_ what: String, _ path: String) {
            self.init("cannot \(what) \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// A snapshot of a file's metadata, for detecting changes.
    package struct State: Equatable {
        var node: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    package let directory: String
    private let name: String

    /// Creates a reference to a file in a directory, which need not exist yet.
    package init(directory: String, name: String) {
        self.directory = directory
        self.name = name
    }

    /// The path of the file.
    package var path: String { directory + "/" + name }

    /// The state of the file; nil if there is none.
    package var state: State? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return State(
            node: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(time.tv_sec),
            nanoseconds: Int64(time.tv_nsec))
    }

    /// Reads the file. Removes the permissions of other users.
    /// - Throws: ``Failure`` if the file cannot be read or is longer than 16 MiB.
    package func contents() throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("read", path) }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("read", path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            // No file of this program reaches this length.
            guard bytes.count <= 16 << 20 else { throw Failure("\(path) is too long") }
        }
    }

    /// Creates the directory, and runs `body` under a file lock, which keeps other programs from writing.
    /// - Throws: ``Failure`` if the directory or the lock cannot be created, or the error of `body`.
    package func whileLocked(_ body: () throws(Failure) -> Void) throws(Failure) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Self.cannotMake(directory)
        }
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Failure("write", path) }
        // Closing the descriptor releases the lock. Another program holds it only for the time of one write.
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Failure("lock", path) }
        }
        try body()
    }

    /// Returns the reason why a directory cannot be created. Foundation does not report it, so this creates the first
    /// missing directory itself.
    private static func cannotMake(_ directory: String) -> Failure {
        var missing = directory
        var status = stat()
        while let slash = missing.lastIndex(of: "/"), slash != missing.startIndex {
            let parent = String(missing[..<slash])
            guard stat(parent, &status) != 0, errno == ENOENT else { break }
            missing = parent
        }
        return mkdir(missing, 0o700) == 0 ? Failure("cannot create \(directory)") : Failure("create", missing)
    }

    /// Replaces the file: the new contents are on the disk before the old file is removed.
    /// - Throws: ``Failure`` if the file cannot be written.
    package func replace(with bytes: [UInt8]) throws(Failure) {
        let temporary = path + ".new"
        // A program that crashed may have left a temporary file. The lock excludes other writers.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("write", path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return try giveUp(descriptor, temporary) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { return try giveUp(descriptor, temporary) }
        close(descriptor)
    }

    /// Checks that ``replace(with:)`` would succeed now, as far as possible; the file is not changed.
    /// - Throws: ``Failure`` if it would fail.
    package func checkReplaceable() throws(Failure) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("write", path) }
        // The size of a few bonds: on a full disk a file can be created, but not filled.
        let bytes = [UInt8](repeating: 0x20, count: 8192)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { return try giveUp(descriptor, temporary) }
        close(descriptor)
        unlink(temporary)
    }

    private func giveUp(_ descriptor: Int32, _ temporary: String) throws(Failure) {
        let failure = Failure("write", path)
        close(descriptor)
        unlink(temporary)
        throw failure
    }
}
