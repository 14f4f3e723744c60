import Foundation
import Harald
import VirtualDevices
import Yams

/// A YAML file with names of UUIDs, one `UUID: Name` per line.
///
///     F000AA00-0451-4000-B000-000000000000: Infrared Thermometer
///     FFF1: Lamp
package enum NameFile {
    /// The default path: `$XDG_CONFIG_HOME/harald/names.yaml`, else `~/.config/harald/names.yaml`; nil if the user has
    /// no home directory.
    package static func defaultPath(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
            return directory + "/harald/names.yaml"
        }
        return environment["HOME"].map { $0 + "/.config/harald/names.yaml" }
    }

    /// Reads a file and makes its names available in the whole program. They replace the names of an earlier file.
    /// - Parameter path: the file; nil for the default one, which may be missing.
    /// - Throws: ``InputError`` with the position in the file.
    package static func load(_ path: String? = nil) throws(InputError) {
        guard let file = path ?? defaultPath() else { return }
        guard path != nil || FileManager.default.fileExists(atPath: file) else { return }
        let text: String
        do { text = try TextFile.read(file) } catch {
            throw InputError(
                error == .noText
                    ? "\(file): the file of names must be UTF-8 text of at most 1 MB"
                    : "\(file): the file of names does not exist or cannot be read")
        }
        AssignedNumbers.namesOfUser = try names(in: text, file: file)
    }

    /// Returns the names in the text of a file; `file` is for messages.
    /// - Throws: ``InputError`` with the position in the file.
    package static func names(in text: String, file: String) throws(InputError) -> [BluetoothUUID: String] {
        guard let node = try compose(text, file) else { return [:] }
        guard let mapping = node.mapping else { throw error(file, node.mark, "a line must have the form 'UUID: Name'") }
        var names: [BluetoothUUID: String] = [:]
        for (key, value) in mapping {
            guard let text = key.scalar?.string, let uuid = BluetoothUUID(text) else {
                let text = key.scalar?.string ?? "this"
                throw error(file, key.mark, "'\(text)' is not a UUID; expected 4, 8 or 32 hexadecimal digits")
            }
            guard let name = value.scalar?.string, !name.isEmpty, name.utf8.count <= 248 else {
                throw error(file, value.mark, "the name of \(uuid) must be text of 1 to 248 bytes")
            }
            names[uuid] = PrintableText.escape(name)
        }
        return names
    }

    private static func compose(_ text: String, _ file: String) throws(InputError) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw Self.error(file, mark, "invalid YAML: \(problem)")
            case .duplicatedKeysInMapping(let keys, let context):
                throw Self.error(file, context.mark, "'\(keys.joined(separator: "', '"))' has two names")
            default: throw InputError("\(file): invalid YAML: \(error)")
            }
        } catch {
            throw InputError("\(file): invalid YAML: \(error)")
        }
    }

    private static func error(_ file: String, _ mark: Mark?, _ message: String) -> InputError {
        InputError(
            ([file] + (mark.map { ["\($0.line)", "\($0.column)"] } ?? [])).joined(separator: ":") + ": " + message)
    }
}
