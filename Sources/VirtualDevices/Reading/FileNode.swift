#if Programs
import Harald
import Yams

/// A node of a YAML file. Reads values, and creates errors with the position and the expected value.
///
/// Proof of `@unchecked Sendable`: nodes are values that are not changed after they were parsed. Yams determines the
/// tag of a node when it is first asked for, compared or hashed, which this type never does.
package struct FileNode: @unchecked Sendable {
    let node: Node
    /// The path of the file, as given.
    package let file: String

    package func error(_ message: String) -> DeviceFileError {
        DeviceFileError(file: file, line: node.mark?.line, column: node.mark?.column, message: message)
    }

    /// A short description of the node for errors.
    private var kind: String {
        switch node {
        case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "'\(scalar.string)'"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    // MARK: Structure

    /// Reads a mapping. Unknown keys are errors.
    /// - Throws: ``DeviceFileError`` if the node is no mapping, or has a key that is not among `keys`.
    package func mapping(_ what: String, keys: [String]) throws(DeviceFileError) -> FileMapping {
        guard case .mapping(let mapping) = node else { throw error("\(what) must be a mapping, but this is \(kind)") }
        var entries: [String: (key: FileNode, value: FileNode)] = [:]
        for (key, value) in mapping {
            let keyNode = FileNode(node: key, file: file)
            let name = try keyNode.string("a key")
            guard keys.contains(name) else {
                let meant = Spelling.nearest(to: name, among: keys).map { "; did you mean '\($0)'?" } ?? ";"
                throw keyNode.error("unknown key '\(name)' in \(what)\(meant) Allowed: \(keys.joined(separator: ", "))")
            }
            entries[name] = (keyNode, FileNode(node: value, file: file))
        }
        return FileMapping(place: self, what: what, entries: entries)
    }

    /// Reads a mapping with these keys.
    /// - Throws: ``DeviceFileError`` if the node is no mapping, or has another key.
    package func mapping(_ keys: FileKeys) throws(DeviceFileError) -> FileMapping {
        try mapping(keys.what, keys: keys.names)
    }

    /// A mapping with this node as its only key, and an empty value.
    package var asKey: FileNode {
        FileNode(node: .mapping(.init([(node, .scalar(.init("")))], .implicit, .any, node.mark)), file: file)
    }

    package var isMapping: Bool { node.mapping != nil }
    package var isList: Bool { node.sequence != nil }

    package func hasKey(_ name: String) -> Bool { node.mapping?.contains { $0.key.scalar?.string == name } ?? false }

    /// True for a quoted string, which is never a keyword.
    package var isQuoted: Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .singleQuoted || scalar.style == .doubleQuoted
    }

    /// Returns the value of a key of this mapping; nil if missing.
    package func value(of key: String) -> FileNode? {
        node.mapping?.first { $0.key.scalar?.string == key }.map { FileNode(node: $0.value, file: file) }
    }

    /// Returns an element of the list that is the value of a key; nil if missing.
    func element(_ index: Int, of key: String) -> FileNode? {
        guard let list = value(of: key)?.listOrOne(), list.indices.contains(index) else { return nil }
        return list[index]
    }

    /// Reads a mapping whose keys are not known.
    /// - Throws: ``DeviceFileError`` if the node is no mapping.
    func entries(_ what: String) throws(DeviceFileError) -> [(key: FileNode, value: FileNode)] {
        guard case .mapping(let mapping) = node else { throw error("\(what) must be a mapping, but this is \(kind)") }
        return mapping.map { (FileNode(node: $0.key, file: file), FileNode(node: $0.value, file: file)) }
    }

    /// Reads a list.
    /// - Throws: ``DeviceFileError`` if the node is no list.
    package func list(_ what: String) throws(DeviceFileError) -> [FileNode] {
        guard case .sequence(let sequence) = node else { throw error("\(what) must be a list, but this is \(kind)") }
        return sequence.map { FileNode(node: $0, file: file) }
    }

    /// Returns the elements of a list, or the node itself if it is not a list.
    package func listOrOne() -> [FileNode] {
        guard case .sequence(let sequence) = node else { return [self] }
        return sequence.map { FileNode(node: $0, file: file) }
    }

    // MARK: Scalars

    /// Reads text.
    /// - Throws: ``DeviceFileError`` if the node is no scalar.
    package func string(_ what: String) throws(DeviceFileError) -> String {
        guard case .scalar(let scalar) = node else { throw error("\(what) must be text, but this is \(kind)") }
        return scalar.string
    }

    /// Reads `true` or `false`, or `yes`, `no`, `on`, `off`.
    /// - Throws: ``DeviceFileError`` if the node is none of them.
    package func bool(_ what: String) throws(DeviceFileError) -> Bool {
        switch try string(what).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error("\(what) must be true or false, but this is \(kind)")
        }
    }

    /// Reads a finite number.
    /// - Throws: ``DeviceFileError`` if the node is no number, or is outside of `range`.
    package func number(_ what: String, in range: ClosedRange<Double>? = nil) throws(DeviceFileError) -> Double {
        guard let value = Double(try string(what)), value.isFinite else {
            throw error("\(what) must be a number, but this is \(kind)")
        }
        guard range?.contains(value) ?? true else {
            throw error(
                "\(what) must be from \(range?.lowerBound ?? 0) to \(range?.upperBound ?? 0), but this is \(kind)")
        }
        return value
    }

    /// Reads an integer, decimal or hexadecimal with the prefix `0x`.
    /// - Throws: ``DeviceFileError`` if the node is no integer, or is outside of `range`.
    package func integer(_ what: String, in range: ClosedRange<Int>) throws(DeviceFileError) -> Int {
        guard let value = Int(decimalOrHex: try string(what)), range.contains(value) else {
            throw error("\(what) must be a number from \(range.lowerBound) to \(range.upperBound), but this is \(kind)")
        }
        return value
    }

    func handle(_ what: String = "a handle") throws(DeviceFileError) -> UInt16 {
        UInt16(try integer(what, in: 1...0xFFFF))
    }

    /// Reads bytes in hexadecimal.
    /// - Throws: ``DeviceFileError`` if the node is not hexadecimal.
    package func hex(_ what: String) throws(DeviceFileError) -> [UInt8] {
        guard let bytes = [UInt8](hexText: try string(what)) else {
            throw error("\(what) must be hexadecimal bytes such as \"01 A2\", but this is \(kind)")
        }
        return bytes
    }

    /// Reads a duration with its unit.
    /// - Throws: ``DeviceFileError`` if the node is no duration with a unit, or is shorter than `least`.
    package func duration(_ what: String, atLeast least: Duration = .zero) throws(DeviceFileError) -> Duration {
        let text = try string(what)
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["ms": 0.001, "s": 1, "min": 60, "h": 3600]
        guard let value = Double(digits), value < 1e6,
            let unit = units[text.dropFirst(digits.count).filter { !$0.isWhitespace }]
        else {
            throw error("\(what) must be a duration with a unit, such as '250 ms', '1 s', '2 min', but this is \(kind)")
        }
        // Exact to the nanosecond: a duration that was written reads as the same duration.
        let duration = Duration.nanoseconds(Int64((value * unit * 1e9).rounded()))
        guard duration >= least else { throw error("\(what) must be at least \(least), but this is \(kind)") }
        return duration
    }

    /// Reads one of several keywords, ignoring case.
    /// - Throws: ``DeviceFileError`` if the node is none of the keywords.
    package func choice<Value>(_ what: String, _ choices: KeyValuePairs<String, Value>) throws(DeviceFileError) -> Value
    {
        let text = try string(what)
        for (name, value) in choices where name.lowercased() == text.lowercased() { return value }
        let names = choices.map(\.key)
        let meant = Spelling.nearest(to: text, among: names).map { "did you mean '\($0)'? " } ?? ""
        throw error("\(what) cannot be \(kind); \(meant)Allowed: \(names.joined(separator: ", "))")
    }
}

/// The entries of a YAML mapping.
package struct FileMapping {
    package let place: FileNode
    let what: String
    fileprivate let entries: [String: (key: FileNode, value: FileNode)]

    fileprivate init(place: FileNode, what: String, entries: [String: (key: FileNode, value: FileNode)]) {
        self.place = place
        self.what = what
        self.entries = entries
    }

    /// The value of a key; nil if missing.
    package subscript(_ key: String) -> FileNode? { entries[key]?.value }

    /// Returns the node of a key; the mapping itself if the key is missing.
    package func place(of key: String) -> FileNode { entries[key]?.key ?? place }

    /// Returns the value of a key.
    /// - Throws: ``DeviceFileError`` if the key is missing.
    package func required(_ key: String) throws(DeviceFileError) -> FileNode {
        guard let value = self[key] else { throw place.error("\(what) requires the key '\(key)'") }
        return value
    }
}
#endif
