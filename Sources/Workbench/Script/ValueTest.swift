import BluetoothModel
import BluetoothProfiles
import Explorer
import Foundation
import VirtualDevices

/// An expectation about a value in bytes. All of its conditions must hold.
struct ValueTest: Hashable, Sendable {
    enum Condition: Hashable, Sendable {
        case bytes(BytePattern)
        case text(String)
        /// A regular expression that a part of the text matches.
        case match(String)
        case length(NumberTest)
        case number(NumberFormat, offset: Int, NumberTest)
        /// The field of the decoded value with this name; nil for the only one.
        case field(String?, NumberTest)
    }

    var conditions: [Condition]

    static let forms =
        "bytes (\"01 ?? *\"), {hex: ...}, {text: ...}, {match: ...}, {length: ...}, {u8: {min: 1}} and its like, "
        + "{value: ...}, {fields: {NAME: ...}}, or a list of them"

    /// Reads an expectation. Numbers without an offset follow each other from the beginning of the value.
    init(_ node: FileNode) throws(DeviceFileError) {
        conditions = []
        var offset = 0
        for element in node.listOrOne() {
            guard let entries = element.entries else {
                conditions.append(.bytes(try Self.pattern(element)))
                continue
            }
            guard !entries.isEmpty else { throw element.error("a value is expected as \(Self.forms)") }
            for (key, content) in entries { try add(key, content, &offset) }
        }
    }

    private mutating func add(_ key: FileNode, _ content: FileNode, _ offset: inout Int) throws(DeviceFileError) {
        let name = try key.string("a key")
        switch name {
        case "hex": conditions.append(.bytes(try Self.pattern(content)))
        case "text": conditions.append(.text(try content.string("text")))
        case "match":
            let pattern = try content.string("match")
            do { _ = try NSRegularExpression(pattern: pattern) } catch {
                throw content.error("'\(pattern)' is not a valid regular expression")
            }
            conditions.append(.match(pattern))
        case "length": conditions.append(.length(try NumberTest(content, "length")))
        case "skip": offset += try content.integer("skip", in: 0...512)
        case "value": conditions.append(.field(nil, try NumberTest(content, "value", isNumber: false)))
        case "fields":
            guard let fields = content.entries else {
                throw content.error("fields is a mapping of names to values: {heartRateMeasurementValue: {min: 40}}")
            }
            for (field, test) in fields {
                let name = try field.string("the name of a field")
                conditions.append(.field(name, try NumberTest(test, name, isNumber: false)))
            }
        default:
            guard let format = NumberFormat(name) else {
                let known = FileKeys.expectedValue.names + NumberFormat.names
                let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ";"
                throw key.error("unknown condition '\(name)'\(meant) A value can be compared with \(Self.forms)")
            }
            for number in content.listOrOne() {
                conditions.append(.number(format, offset: offset, try NumberTest(number, name)))
                offset += format.byteCount
            }
        }
    }

    private static func pattern(_ node: FileNode) throws(DeviceFileError) -> BytePattern {
        let text = try node.string("a value")
        let plain = text.contains("0x") || text.contains(":") ? [UInt8](hexText: text)?.hexText(separator: " ") : nil
        guard let pattern = BytePattern(plain ?? text) else {
            throw node.error("'\(text)' is not a byte pattern; a value can be compared with \(forms)")
        }
        return pattern
    }

    /// Returns true if the bytes of an attribute meet the expectation.
    func accepts(_ bytes: [UInt8], of uuid: BluetoothUUID) -> Bool {
        conditions.allSatisfy { Self.accepts($0, bytes, uuid) }
    }

    private static func accepts(_ condition: Condition, _ bytes: [UInt8], _ uuid: BluetoothUUID) -> Bool {
        switch condition {
        case .bytes(let pattern): return pattern.matches(bytes)
        case .text(let text): return bytes == Array(text.utf8) || ValueText(bytes, of: uuid).text == text
        case .match(let pattern):
            let text = String(decoding: bytes, as: UTF8.self)
            return text.range(of: pattern, options: .regularExpression) != nil
        case .length(let test): return test.accepts([String(bytes.count)])
        case .number(let format, let offset, let test):
            guard bytes.count >= offset + format.byteCount else { return false }
            return format.decoded(bytes[offset..<(offset + format.byteCount)]).map { test.accepts([$0]) } ?? false
        case .field(let name, let test):
            guard let fields = ValueText(bytes, of: uuid).fields else { return false }
            guard let name else { return fields.count == 1 && test.accepts(texts(of: fields[0])) }
            return fields.contains { $0.name.lowercased() == name.lowercased() && test.accepts(texts(of: $0)) }
        }
    }

    /// Returns the texts that match a field in an expectation.
    static func texts(of field: Field) -> [String] {
        var texts = [field.value.description]
        switch field.value {
        case .text(let text): texts.append(text)
        case .code(let number, _): texts.append(String(number))
        case .bits(_, let raw): texts.append(String(raw))
        case .hex(let number, _): texts.append(String(number))
        case .flag(let flag): texts += flag ? ["true"] : ["false"]
        case .real(let number): texts.insert(String(number), at: 0)
        case .bytes(let bytes): texts.append(bytes.hexText())
        case .list(let values): texts += values.map(\.description)
        default: break
        }
        return texts
    }
}

extension ValueTest: CustomStringConvertible {
    /// The conditions in one line.
    var description: String { conditions.map(Self.text).joined(separator: ", ") }

    private static func text(_ condition: Condition) -> String {
        switch condition {
        case .bytes(let pattern): "\(pattern)".isEmpty ? "(empty)" : "\(pattern)"
        case .text(let text): "\"\(text)\""
        case .match(let pattern): "text that matches \(pattern)"
        case .length(let test): "length \(test)"
        case .number(let format, let offset, let test): (offset == 0 ? "" : "at \(offset) ") + "\(format) \(test)"
        case .field(let name, let test): "\(name ?? "value") \(test)"
        }
    }
}
