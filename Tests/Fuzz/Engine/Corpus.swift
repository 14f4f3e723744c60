import BluetoothModel
import Foundation

/// The inputs that are kept in the repository, one file for each target. Each line is an input in hexadecimal digits;
/// lines that begin with `#` are remarks.
struct Corpus {
    /// A line that is no input.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// `Tests/Fuzz/Corpus` of the sources that the program was built from.
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Corpus").path

    /// The inputs, in the order of the file; none if there is no file.
    let inputs: [[UInt8]]

    /// Reads the corpus of a target.
    init(of target: FuzzTarget, in directory: String = Self.directory) throws {
        let path = directory + "/" + target.name + ".hex"
        guard FileManager.default.fileExists(atPath: path) else {
            inputs = []
            return
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var inputs: [[UInt8]] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("#") || line.isEmpty { continue }
            guard let bytes = Self.bytes(line) else { throw Fault(description: "\(path):\(index + 1): no input") }
            inputs.append(bytes)
        }
        self.inputs = inputs
    }

    /// The text of a corpus file, in an order that depends on the inputs alone.
    static func text(_ inputs: [[UInt8]]) -> String {
        let lines = Set(inputs.filter { !$0.isEmpty }).map { $0.hexText() }
        return lines.sorted { ($0.count, $0) < ($1.count, $1) }.map { $0 + "\n" }.joined()
    }

    private static func bytes(_ line: Substring) -> [UInt8]? {
        let digits = line.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
