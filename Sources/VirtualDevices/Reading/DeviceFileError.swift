/// What is wrong with a device file or a scene, and where.
public struct DeviceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public var file: String
    /// The line, from 1; nil where the whole file is meant.
    public var line: Int?
    /// The column, from 1; nil where the whole line is meant.
    public var column: Int?
    /// What is wrong, and what is allowed.
    public var message: String

    /// An error.
    public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// "strap.yaml:12:7: unknown key 'propertys' ...".
    public var description: String {
        let place = [line, column].compactMap { $0.map(String.init) }
        return ([file] + place).joined(separator: ":") + ": " + message
    }
}
