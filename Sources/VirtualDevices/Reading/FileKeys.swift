/// The keys of one kind of mapping in a YAML file, for its reader, its errors and the documentation.
package struct FileKeys: Hashable, Sendable {
    /// A key.
    package struct Key: Hashable, Sendable {
        package let name: String
        /// The meaning, in Markdown.
        package let meaning: String
        /// The default, in Markdown, or "required".
        package let fallback: String

        package init(_ name: String, _ meaning: String, _ fallback: String = "none") {
            (self.name, self.meaning, self.fallback) = (name, meaning, fallback)
        }
    }

    /// The mapping, as errors name it: "a device".
    package let what: String
    package let keys: [Key]
    /// The heading of the last column.
    package let last: String

    package init(_ what: String, last: String = "default", _ keys: [Key]) {
        (self.what, self.keys, self.last) = (what, keys, last)
    }

    package var names: [String] { keys.map(\.name) }

    /// Returns these keys and others.
    package func adding(_ more: [Key]) -> FileKeys { FileKeys(what, last: last, keys + more) }

    /// Returns some of these keys, for another mapping.
    func only(_ names: [String], of what: String) -> FileKeys {
        FileKeys(what, last: last, keys.filter { names.contains($0.name) })
    }
}
