/// An error in a device or scene file, with its position.
public struct DeviceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, as given.
    public var file: String
    /// The line, from 1; nil if the error concerns the whole file.
    public var line: Int?
    /// The column, from 1; nil if the error concerns the whole line.
    public var column: Int?
    /// The error, and the allowed values.
    public var message: String
    /// True if there is no such file, or it cannot be read.
    package var isMissing = false

    /// Creates an error.
    public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// File, line, column and message: "strap.yaml:12:7: unknown key 'propertys' ...".
    public var description: String {
        let place = [line, column].compactMap { $0.map(String.init) }
        return ([file] + place).joined(separator: ":") + ": " + message
    }
}
