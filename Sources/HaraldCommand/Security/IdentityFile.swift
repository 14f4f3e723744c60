import Explorer
import Foundation
import Harald

/// The file of the devices that the user has named, in the directory of the bonds. It contains keys: only the user may
/// read it.
enum IdentityFile {
    /// The path of the file; nil if nothing is stored.
    static func path(_ storage: AdapterOptions.Storage) -> String? {
        storage.directory(isVirtual: false).map { $0 + "/identities.json" }
    }

    private struct Entry: Codable {
        var name: String
        var address: String?
        var irk: String?
        var key: String?
    }

    /// Returns the identities; none if there is no file.
    /// - Throws: ``ProgramError`` if the file is damaged, or if others may read it.
    static func read(_ storage: AdapterOptions.Storage) throws(ProgramError) -> [DeviceIdentity] {
        var status = stat()
        guard let path = path(storage), stat(path, &status) == 0 else { return [] }
        guard status.st_mode & S_IFMT == S_IFREG, let data = FileManager.default.contents(atPath: path) else {
            throw ProgramError(
                .badFile, "\(path) cannot be read; give it to this user, or remove it and add the identities again")
        }
        try checkIsPrivate(status, path)
        guard let entries = try? JSONDecoder().decode([Entry].self, from: data) else {
            throw ProgramError(.badFile, "\(path) is damaged; remove it, and add the identities again")
        }
        return entries.map { entry in
            DeviceIdentity(
                name: entry.name, address: entry.address.flatMap { BluetoothAddress($0) },
                irk: entry.irk.flatMap { [UInt8](hexDigits: $0) }, key: entry.key.flatMap { [UInt8](hexDigits: $0) })
        }
    }

    /// - Throws: ``ProgramError`` if others may read the file, which has keys. A pipe has one reader.
    static func checkIsPrivate(_ status: stat, _ path: String) throws(ProgramError) {
        guard status.st_mode & S_IFMT != S_IFREG || status.st_mode & 0o077 == 0 else {
            throw ProgramError(
                .badFile, "others may read the keys in \(path); run 'chmod 600 \(Invocation.quoted(path))'")
        }
    }

    /// Writes the identities.
    /// - Throws: ``ProgramError`` if the file cannot be written.
    static func write(_ identities: [DeviceIdentity], _ storage: AdapterOptions.Storage) throws(ProgramError) {
        guard let path = path(storage) else { throw ProgramError(.usage, "there is no directory for identities") }
        let entries = identities.map {
            Entry(name: $0.name, address: $0.address?.text, irk: $0.irk?.hexText(), key: $0.key?.hexText())
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let directory = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let other = path + ".new"
        unlink(other)
        guard let data = try? encoder.encode(entries),
            FileManager.default.createFile(atPath: other, contents: data, attributes: [.posixPermissions: 0o600]),
            rename(other, path) == 0
        else {
            throw ProgramError(.failed, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
    }
}
