import BluetoothBackend
import BluetoothHost
import BluetoothModel
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Counts the failed attempts on fixed passkeys in a file next to the bonds, so that neither a restart nor a success
/// resets them. Confined to the loop.
///
/// The file identifies passkeys by a keyed digest. Where it cannot be read or written, no attempt is allowed. Without a
/// directory all adapters of the process share one count, which lasts as long as the process.
final class PasskeyFailureStore: PasskeyLimiter {
    private struct Content: Codable {
        var version = 1
        /// The key of the digests.
        var key: String
        /// Failures by digest.
        var failures: [String: Int] = [:]
    }

    /// Limit of counted passkeys; beyond it, those with the fewest failures are removed.
    private static let capacity = 256
    private static let ofProcess = Mutex<[UInt32: Int]>([:])

    private let file: PrivateFile?

    /// Creates a store in `directory`; nil for the one of the process.
    init(_ directory: String?) { file = directory.map { PrivateFile(directory: $0, name: "passkeys.json") } }

    func allows(_ passkey: UInt32) -> Bool {
        guard let file else { return Self.ofProcess.withLock { $0[passkey, default: 0] < Self.failureLimit } }
        guard let content = try? Self.read(file) else { return false }
        return content.failures[Self.digest(passkey, content), default: 0] < Self.failureLimit
    }

    func begin(_ passkey: UInt32) -> Bool {
        (try? change(passkey) { count in
            guard count < Self.failureLimit else { return false }
            count += 1
            return true
        }) ?? false
    }

    func succeed(_ passkey: UInt32) {
        // If the file cannot be written, the attempt stays counted: the passkey is refused too early rather than too
        // late.
        _ = try? change(passkey) { count in
            count = max(0, count - 1)
            return true
        }
    }

    func reset(_ passkey: UInt32) throws(RadioError) {
        do throws(PrivateFile.Failure) {
            _ = try change(passkey, replacesDamaged: true) { count in
                count = 0
                return true
            }
        } catch {
            throw .unsupported("\(error)")
        }
    }

    /// Changes a count; `body` returns true if there is something to write.
    private func change(
        _ passkey: UInt32, replacesDamaged: Bool = false, _ body: (inout Int) -> Bool
    ) throws(PrivateFile.Failure) -> Bool {
        guard let file else {
            return Self.ofProcess.withLock { failures in
                var count = failures[passkey, default: 0]
                guard body(&count) else { return false }
                failures[passkey] = count == 0 ? nil : count
                return true
            }
        }
        var isChanged = false
        try file.whileLocked { () throws(PrivateFile.Failure) in
            var content: Content
            do throws(PrivateFile.Failure) {
                content = try Self.read(file)
            } catch {
                guard replacesDamaged else { throw error }
                content = Content(key: SecurityKey.random().octets.hexText())
            }
            let digest = Self.digest(passkey, content)
            var count = content.failures[digest, default: 0]
            guard body(&count) else { return }
            content.failures[digest] = count == 0 ? nil : count
            while content.failures.count > Self.capacity {
                guard let least = content.failures.min(by: { $0.value < $1.value }) else { break }
                content.failures[least.key] = nil
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let data = try? encoder.encode(content) else {
                throw PrivateFile.Failure("the failed attempts cannot be encoded as JSON")
            }
            try file.replace(with: Array(data))
            isChanged = true
        }
        return isChanged
    }

    private static func read(_ file: PrivateFile) throws(PrivateFile.Failure) -> Content {
        guard file.state != nil else { return Content(key: SecurityKey.random().octets.hexText()) }
        let bytes = try file.contents()
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.version == 1,
            SecurityKey(fileText: content.key) != nil
        else { throw PrivateFile.Failure("\(file.path) is damaged") }
        return content
    }

    private static func digest(_ passkey: UInt32, _ content: Content) -> String {
        SecurityKey(fileText: content.key)?.derived(for: "passkey \(passkey)").octets.hexText() ?? ""
    }
}
