/// A table of names as text in the binary. Each line is a number in hexadecimal, a space and a name. The lines are
/// sorted by the bytes of the number.
///
/// Lookup is a binary search over the text. Nothing is built at start-up or cached.
struct NumberTable: Sendable {
    /// The lines, each terminated by a newline.
    let text: StaticString

    /// Returns the text after `key` and a space in its line; the first such line if there are several.
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

    /// Calls `body` for each line, without its newline. The bytes are valid during the call.
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

    /// Returns the start of the first line that is not less than `key`; nil if all are less.
    private static func lowerBound(_ key: String.UTF8View, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var low = 0
        var high = bytes.count
        // `low` and `high` are starts of lines. Each iteration removes at least one line.
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
