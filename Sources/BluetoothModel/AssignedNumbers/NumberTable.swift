/// Names of numbers as one text in the program: lines of a number in hexadecimal digits, a space and a name, sorted by
/// the bytes of the number.
///
/// A lookup halves the text until one line is left. Nothing is built at start-up or kept.
struct NumberTable: Sendable {
    /// The lines; each ends with a newline.
    let text: StaticString

    /// What follows `key` and a space in its line; the first such line where there are several.
    func value(_ key: String) -> String? {
        text.withUTF8Buffer { bytes -> String? in
            guard let start = Self.lowerBound(key.utf8, in: bytes) else { return nil }
            let line = bytes[start..<Self.endOfLine(start, in: bytes)]
            guard line.starts(with: key.utf8) else { return nil }
            let rest = line.dropFirst(key.utf8.count)
            guard rest.first == 0x20 else { return nil }
            return String(decoding: rest.dropFirst(), as: UTF8.self)
        }
    }

    /// Calls `body` for each line, without its newline; the bytes are valid during the call.
    func forEachLine(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        text.withUTF8Buffer { bytes in
            var start = 0
            while start < bytes.count {
                let end = Self.endOfLine(start, in: bytes)
                body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                start = end + 1
            }
        }
    }

    /// The start of the first line that is not before `key`; nil where all are.
    private static func lowerBound(_ key: String.UTF8View, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var low = 0
        var high = bytes.count
        // `low` and `high` are starts of lines; each turn drops at least one line.
        while low < high {
            var start = low + (high - low) / 2
            while start > low, bytes[start - 1] != 0x0A { start -= 1 }
            let end = endOfLine(start, in: bytes)
            if bytes[start..<end].prefix(key.count).lexicographicallyPrecedes(key) {
                low = end + 1
            } else {
                high = start
            }
        }
        return low < bytes.count ? low : nil
    }

    private static func endOfLine(_ start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A { end += 1 }
        return end
    }
}
