import Harald
import VirtualDevices

/// Parses values as the user types them.
package enum ValueInput {
    /// The accepted forms, for messages.
    package static let forms =
        "hexadecimal bytes ('AA BB', 0xAABB), text ('text:hello'), or numbers "
        + "(u16:500, i8:-3, f32:1.5, u32be:1; little-endian unless the type ends in 'be')"

    /// Returns the bytes of all words, concatenated.
    /// - Throws: ``InputError`` if a word is no value.
    package static func bytes(_ words: [String]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words {
            if word.lowercased().hasPrefix("text:") {
                bytes += Array(word.dropFirst("text:".count).utf8)
            } else {
                for token in word.split(whereSeparator: \.isWhitespace) { bytes += try self.token(String(token)) }
            }
        }
        return bytes
    }

    private static func token(_ token: String) throws -> [UInt8] {
        let parts = token.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, parts[0].lowercased() == "hex", let bytes = [UInt8](hexText: parts[1]) { return bytes }
        if parts.count == 2, let format = NumberFormat(parts[0]) {
            guard let bytes = format.encoded(parts[1]) else {
                let size = format.byteCount.counted("byte")
                throw InputError("'\(parts[1])' is not a number that fits in \(format) (\(size))")
            }
            return bytes
        }
        if let bytes = [UInt8](hexText: token), !token.isEmpty { return bytes }
        if parts.count == 2 {
            let meant = Spelling.nearest(to: parts[0], among: NumberFormat.names + ["text", "hex"])
            throw InputError(
                "'\(token)' is not a value\(meant.map { "; did you mean '\($0):'?" } ?? ""); a value is \(forms)")
        }
        throw InputError("'\(token)' is not a value; a value is \(forms)")
    }
}
