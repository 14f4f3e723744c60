import BluetoothBackend
import Foundation

/// One manager's state on the disk: a file that only the user can access and that is replaced atomically.
///
/// A failure to read or write disables the restoration, nothing else; it is reported once.
final class RestorationFile {
    private let file: PrivateFile
    private var hasFailed = false

    init(directory: String, kind: String, identifier: String) {
        // An identifier may contain any character, a file name may not.
        let name = identifier.utf8.map { octet -> String in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                String(UnicodeScalar(octet))
            default: "_" + String(octet, radix: 16)
            }
        }.joined()
        file = PrivateFile(directory: directory, name: "restoration-\(kind)-\(name.prefix(180)).json")
    }

    func read<Content: Decodable>() -> Content? {
        guard file.state != nil else { return nil }
        do {
            return try JSONDecoder().decode(Content.self, from: Data(try file.contents()))
        } catch {
            failed("\(file.path) cannot be used: \(error)")
            return nil
        }
    }

    func write(_ content: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            let bytes = [UInt8](try encoder.encode(content))
            try file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: bytes) }
        } catch {
            failed("\(error); the state of this manager will not be restored")
        }
    }

    private func failed(_ what: String) {
        if !hasFailed { Misuse.notice(what) }
        hasFailed = true
    }
}
