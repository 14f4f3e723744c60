#if Programs
import Foundation
import Harald
import Yams

/// The content of a YAML file.
public enum DeviceDocument: Hashable, Sendable {
    /// A device.
    case device(DeviceFile)
    /// A scene. Recognised by the key `devices`.
    case scene(SceneFile)

    /// Reads a file.
    /// - Throws: ``DeviceFileError`` if the file cannot be read, is not YAML, or describes no valid device or scene.
    public init(path: String) throws(DeviceFileError) {
        try self.init(yaml: try Self.text(of: path), file: path)
    }

    /// Reads the text of a file.
    /// - Throws: ``DeviceFileError`` if the file cannot be read, or is not UTF-8 text of at most 1 MB.
    package static func text(of path: String) throws(DeviceFileError) -> String {
        do { return try TextFile.read(path) } catch {
            let message =
                switch error {
                case .missing: "the file does not exist"
                case .unreadable: "the file cannot be read"
                case .noText: "the file must be UTF-8 text of at most 1 MB"
                }
            var problem = DeviceFileError(file: path, message: message)
            problem.isMissing = error != .noText
            throw problem
        }
    }

    /// Parses the text of a file. `file` is used in error messages and as the base of relative paths.
    /// - Throws: ``DeviceFileError`` if the text is not YAML, or describes no valid device or scene.
    public init(yaml: String, file: String) throws(DeviceFileError) {
        let root = try Self.root(yaml, file)
        self =
            Self.isScene(root)
            ? .scene(try SceneFileReader().scene(root)) : .device(try DeviceFileReader().device(root))
    }

    static func isScene(_ root: FileNode) -> Bool { root.hasKey("devices") }

    /// Parses YAML and returns its root node.
    /// - Parameter least: the minimum content of the file, for the message about an empty file.
    /// - Throws: ``DeviceFileError`` if the text is not YAML, is empty, or has too many values.
    package static func root(
        _ yaml: String, _ file: String, least: String = "a device requires at least 'name: ...'"
    ) throws(DeviceFileError) -> FileNode {
        guard let node = try compose(yaml, file) else {
            throw DeviceFileError(
                file: file, line: 1, column: 1, message: "the file is empty; \(least)")
        }
        guard !hasTooMany(node) else {
            throw DeviceFileError(
                file: file,
                message:
                    "the file has more than \(TextFile.maximumLength) values: its aliases (*NAME) repeat too much"
            )
        }
        return FileNode(node: node, file: file)
    }

    /// Returns true if there are more values than the largest file has bytes. Nested aliases can expand exponentially.
    private static func hasTooMany(_ root: Node) -> Bool {
        // Not recursive: aliases can be nested as deep as the file is long.
        var rest = [root]
        var count = 0
        while let node = rest.popLast() {
            count += 1
            guard count <= TextFile.maximumLength else { return true }
            switch node {
            case .mapping(let mapping): for (key, value) in mapping { rest += [key, value] }
            case .sequence(let sequence): rest += sequence
            case .scalar, .alias: break
            }
        }
        return false
    }

    private static func compose(_ yaml: String, _ file: String) throws(DeviceFileError) -> Node? {
        do {
            return try Yams.compose(yaml: yaml)
        } catch {
            guard let error = error as? YamlError else { throw DeviceFileError(file: file, message: "\(error)") }
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw DeviceFileError(
                    file: file, line: mark.line, column: mark.column, message: "invalid YAML: \(problem)")
            case .duplicatedKeysInMapping(let duplicates, let context):
                throw DeviceFileError(
                    file: file, line: context.mark.line, column: context.mark.column,
                    message: "the key '\(duplicates.joined(separator: "', '"))' is repeated in this mapping")
            default: throw DeviceFileError(file: file, message: "invalid YAML: \(error)")
            }
        }
    }
}

extension DeviceFile {
    /// Reads a device from a file.
    /// - Throws: ``DeviceFileError`` if the file cannot be read, is not YAML, or describes no valid device.
    public init(path: String) throws(DeviceFileError) {
        try self.init(yaml: try DeviceDocument.text(of: path), file: path)
    }

    /// Parses a device from the text of a file.
    /// - Throws: ``DeviceFileError`` if the text is not YAML, or describes no valid device.
    public init(yaml: String, file: String = "device") throws(DeviceFileError) {
        let root = try DeviceDocument.root(yaml, file)
        // Checked before any files that the scene refers to are read, one of which may be this file.
        guard !DeviceDocument.isScene(root) else {
            throw DeviceFileError(file: file, message: "this is a scene, not a device")
        }
        self = try DeviceFileReader().device(root)
    }
}

extension SceneFile {
    /// Reads a scene from a file. A file with one device is a scene of that device.
    /// - Throws: ``DeviceFileError`` if the file cannot be read, is not YAML, or describes no valid scene or device.
    public init(path: String) throws(DeviceFileError) { self.init(try DeviceDocument(path: path)) }

    /// Parses a scene from the text of a file. A file with one device is a scene of that device.
    /// - Throws: ``DeviceFileError`` if the text is not YAML, or describes no valid scene or device.
    public init(yaml: String, file: String = "scene") throws(DeviceFileError) {
        self.init(try DeviceDocument(yaml: yaml, file: file))
    }

    /// Creates a scene from a document. A document with one device is a scene of that device.
    public init(_ document: DeviceDocument) {
        switch document {
        case .scene(let scene): self = scene
        case .device(let device): self.init(name: device.name, devices: [SceneDevice(device)])
        }
    }
}
#endif
