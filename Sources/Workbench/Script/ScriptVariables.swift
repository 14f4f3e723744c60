import VirtualDevices

/// Replaces `${name}` in the text of a script.
enum ScriptVariables {
    /// Returns the text with every variable replaced; `$${` stands for `${`.
    /// - Parameter value: the value of a variable; nil leaves the reference in the text.
    /// - Throws: ``DeviceFileError`` at `node` if a reference is not closed, or the error of `value`.
    static func replaced(
        in text: String, at node: FileNode, _ value: (String) throws(DeviceFileError) -> String?
    ) throws(DeviceFileError) -> String {
        guard text.contains("${") else { return text }
        var (result, rest) = ("", text[...])
        while let start = rest.firstRange(of: "${") {
            if rest[..<start.lowerBound].last == "$" {
                result += rest[..<start.lowerBound].dropLast() + "${"
                rest = rest[start.upperBound...]
                continue
            }
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw node.error(
                    "'\(text)' begins a variable with '${' and has no '}' after it; '$${' is the text '${'")
            }
            let name = String(rest[start.upperBound..<end])
            result += rest[..<start.lowerBound]
            result += try value(name) ?? "${\(name)}"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    static func names(in node: FileNode) throws(DeviceFileError) -> Set<String> {
        var names: Set<String> = []
        _ = try node.replacingText { text, place throws(DeviceFileError) in
            try replaced(in: text, at: place) { name in
                names.insert(name)
                return nil
            }
        }
        return names
    }

    /// Returns a node with its variables replaced.
    /// - Throws: ``DeviceFileError`` if a variable has no value.
    static func replaced(in node: FileNode, _ values: [String: String]) throws(DeviceFileError) -> FileNode {
        try node.replacingText { text, place throws(DeviceFileError) in
            try replaced(in: text, at: place) { name throws(DeviceFileError) in
                if let value = values[name] { return value }
                throw unknown(name, at: place, known: Array(values.keys))
            }
        }
    }

    static func unknown(_ name: String, at node: FileNode, known: [String]) -> DeviceFileError {
        let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ";"
        return node.error(
            "unknown variable '\(name)'\(meant) 'variables:', 'set:', 'save:' and the command line define variables")
    }

    /// Returns true for a name of letters, digits, `_` and `-`.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
