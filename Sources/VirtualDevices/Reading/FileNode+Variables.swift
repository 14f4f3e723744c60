#if Programs
import Yams

/// Access to the structure of a file, for formats other than device files.
extension FileNode {
    /// The line, from 1; 0 if it is not known.
    package var line: Int { node.mark?.line ?? 0 }
    /// The column, from 1; 0 if it is not known.
    package var column: Int { node.mark?.column ?? 0 }
    /// The text of a scalar; nil for a mapping or a list.
    package var text: String? { node.scalar?.string }

    /// The entries of a mapping in the order of the file; nil for any other node.
    package var entries: [(key: FileNode, value: FileNode)]? {
        node.mapping.map { mapping in
            mapping.map { (FileNode(node: $0.key, file: file), FileNode(node: $0.value, file: file)) }
        }
    }

    /// Returns the node with the text of each scalar replaced, keys excepted. Positions are kept.
    /// - Throws: the error of `replacement`.
    package func replacingText(
        _ replacement: (String, FileNode) throws(DeviceFileError) -> String
    ) throws(DeviceFileError) -> FileNode {
        FileNode(node: try Self.replacing(node, file, replacement), file: file)
    }

    private static func replacing(
        _ node: Node, _ file: String, _ replacement: (String, FileNode) throws(DeviceFileError) -> String
    ) throws(DeviceFileError) -> Node {
        switch node {
        case .scalar(var scalar):
            scalar.string = try replacement(scalar.string, FileNode(node: node, file: file))
            return .scalar(scalar)
        case .mapping(var mapping):
            for index in mapping.indices {
                mapping[index].value = try replacing(mapping[index].value, file, replacement)
            }
            return .mapping(mapping)
        case .sequence(var sequence):
            for index in sequence.indices { sequence[index] = try replacing(sequence[index], file, replacement) }
            return .sequence(sequence)
        case .alias: return node
        }
    }
}
#endif
