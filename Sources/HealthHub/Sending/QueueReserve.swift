import Foundation

/// Room on the disk of a queue, occupied by a file that is removed when the queue needs the room.
///
/// SQLite appends the changed pages of a deletion to its log before any page becomes free. A queue that has filled its
/// disk could therefore not remove the readings that the hub has acknowledged, and would never have room again.
struct QueueReserve: Sendable {
    /// The size in octets: the file and the log grow by less until the log is empty again
    /// (``SendQueue/checkpointPages``, ``SendQueue/smallRemoval``).
    static let size = 256 << 10
    /// The free space in octets below which a disk is full.
    private static let leastSpace = 64 << 10

    let directory: String
    var path: String { directory + "/queue.reserve" }

    /// Removes the file, if there is one.
    func release() { unlink(path) }

    /// Writes the file, unless it exists, or the disk has no room for it twice. What is needed more than the reserve
    /// is thus not taken. The octets are random, because some file systems store others in less space.
    func restore() {
        guard Self.octets(in: path) != Self.size else { return }
        release()
        guard Self.space(of: directory) >= 2 * Self.size,
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { return }
        let words = (0..<Self.size / 8).map { _ in UInt64.random(in: 0...UInt64.max) }
        do {
            try file.write(contentsOf: words.withUnsafeBytes { Data($0) })
            try file.synchronize()
            try file.close()
        } catch {
            try? file.close()
            release()
        }
    }

    /// Returns true if so many octets leave the room for removals: that of the file, or as much of the disk.
    func leavesRoom(for count: Int) -> Bool {
        Self.octets(in: path) == Self.size || Self.space(of: directory) >= UInt64(Self.size + count)
    }

    /// Returns true if the disk of a directory has no room for another reading.
    static func isFull(_ directory: String) -> Bool { space(of: directory) < leastSpace }

    /// Returns the size of a file; nil if there is none.
    private static func octets(in path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Returns the free space of the disk of a directory, in octets; the maximum if it is unknown.
    private static func space(of directory: String) -> UInt64 {
        var disk = statvfs()
        return statvfs(directory, &disk) == 0 ? UInt64(disk.f_bavail) * UInt64(disk.f_frsize) : .max
    }
}
