/// Decodes the bytes of a terminal into keys.
///
/// Bytes may arrive in pieces of any size: escape sequences and UTF-8 sequences are reassembled. A single escape
/// character becomes the escape key when `timeout()` reports that no bytes follow.
package struct KeyDecoder: Sendable {
    /// The maximum length of pasted text, in bytes; longer text is truncated.
    package static let pasteLimit = 65536
    /// The maximum length of a sequence, in bytes; longer ones are discarded.
    private static let sequenceLimit = 32

    private var bytes: ArraySlice<UInt8> = []
    private var pasted: [UInt8]?
    /// The number of bytes of pasted text that were dropped because of the limit.
    package private(set) var droppedByteCount = 0

    package init() {}

    /// True while an incomplete sequence waits for more bytes or for `timeout()`.
    package var isWaiting: Bool { pasted == nil && !bytes.isEmpty }

    /// Decodes bytes and returns the completed keys.
    package mutating func decode(_ new: some Sequence<UInt8>) -> [Key] {
        bytes += new
        var keys: [Key] = []
        while !bytes.isEmpty {
            if pasted != nil {
                guard let key = nextPaste() else { break }
                keys.append(key)
                continue
            }
            if bytes.starts(with: Self.pasteStart) {
                bytes = bytes.dropFirst(Self.pasteStart.count)
                pasted = []
                continue
            }
            guard let (key, count) = next() else { break }
            bytes = bytes.dropFirst(count)
            if let key { keys.append(key) }
        }
        // A new array, so that the slice does not retain decoded bytes.
        bytes = ArraySlice(Array(bytes))
        return keys
    }

    /// Ends the wait for more bytes: a pending escape character becomes the escape key.
    package mutating func timeout() -> [Key] {
        guard isWaiting else { return [] }
        let waiting = bytes
        bytes = []
        guard waiting.first == 0x1B else { return [] }
        // `ESC [` may remain of a lost key, or of Alt and a bracket; the rest is not text either.
        return [.escape]
    }

    // MARK: Parsing

    /// Returns the first key and its number of bytes. The key is nil for bytes without meaning; the result is nil if
    /// bytes are missing.
    private func next() -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return escapeSequence()
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0x00..<0x20: return (nil, 1)
        case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
        default: return unicodeCharacter(first)
        }
    }

    private func unicodeCharacter(_ first: UInt8) -> (Key?, Int)? {
        let length: Int
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return (nil, 1)
        }
        let part = bytes.prefix(length)
        if let wrong = part.dropFirst().firstIndex(where: { !(0x80...0xBF).contains($0) }) {
            return (nil, wrong - bytes.startIndex)
        }
        guard part.count == length else { return nil }
        guard let text = String(validating: part, as: UTF8.self), let character = text.first,
            character.unicodeScalars.first?.properties.generalCategory != .control
        else { return (nil, length) }
        return (.character(character), length)
    }

    private func escapeSequence() -> (Key?, Int)? {
        let rest = bytes.dropFirst()
        guard let second = rest.first else { return nil }
        switch second {
        case 0x5B: return controlSequence(Array(rest.dropFirst()))
        case 0x4F:
            guard let third = rest.dropFirst().first else { return nil }
            return (Self.applicationKey(third), 3)
        // The escape key, followed by another key.
        default: return (.escape, 1)
        }
    }

    /// Parses the bytes after `ESC [`: parameters, intermediate bytes and a final byte (ECMA-48, 5.4).
    private func controlSequence(_ body: [UInt8]) -> (Key?, Int)? {
        guard let first = body.first else { return nil }
        // F1 to F5 of the Linux console.
        if first == 0x5B {
            guard body.count > 1 else { return nil }
            return ((0x41...0x45).contains(body[1]) ? .function(Int(body[1]) - 0x40) : nil, 4)
        }
        guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
            return body.count > Self.sequenceLimit ? (nil, 2 + body.count) : nil
        }
        guard (0x40...0x7E).contains(body[end]) else { return (nil, 2 + end) }
        let numbers = body[..<end].split(separator: 0x3B, omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        return (Self.controlKey(body[end], numbers.first ?? 0), 3 + end)
    }

    private static func controlKey(_ final: UInt8, _ number: Int) -> Key? {
        switch final {
        case UInt8(ascii: "~"): numberedKey(number)
        case UInt8(ascii: "Z"): .backTab
        // A mouse report.
        case UInt8(ascii: "M"): nil
        default: applicationKey(final)
        }
    }

    /// The keys after `ESC O`, most of which also occur after `ESC [`.
    private static func applicationKey(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final) - 0x4F)
        default: nil
        }
    }

    private static func numberedKey(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23...24: .function(number - 12)
        default: nil
        }
    }

    // MARK: Pasting

    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func nextPaste() -> Key? {
        guard var text = pasted else { return nil }
        // The end marker may be split, so a possible beginning of it stays buffered.
        if let end = bytes.indices.first(where: { bytes[$0...].starts(with: Self.pasteEnd) }) {
            keep(bytes[..<end], in: &text)
            bytes = bytes[(end + Self.pasteEnd.count)...]
            pasted = nil
            return .paste(String(decoding: text, as: UTF8.self))
        }
        let waiting = (0..<Self.pasteEnd.count).last { bytes.suffix($0).elementsEqual(Self.pasteEnd.prefix($0)) } ?? 0
        keep(bytes.dropLast(waiting), in: &text)
        bytes = bytes.suffix(waiting)
        pasted = text
        return nil
    }

    private mutating func keep(_ part: ArraySlice<UInt8>, in text: inout [UInt8]) {
        let room = Self.pasteLimit - text.count
        text += part.prefix(room)
        droppedByteCount += max(0, part.count - room)
    }
}
