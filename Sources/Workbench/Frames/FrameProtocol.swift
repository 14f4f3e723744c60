import BluetoothModel
import Explorer
import Foundation
import VirtualDevices

/// A serial protocol over two characteristics: the layout of its frames, its commands and its messages.
package struct FrameProtocol: Sendable {
    enum Field: Hashable, Sendable {
        case number(String, NumberFormat)
        /// All remaining octets, as text.
        case text(String)
        /// A number of octets; nil for all remaining octets.
        case bytes(String, Int?)
        case skip(Int)
    }

    struct Message: Sendable {
        var name: String
        var pattern: BytePattern
        var fields: [Field]
    }

    /// A command to the device. Its variables are replaced when it is sent.
    struct Command: Sendable {
        var name: String
        var node: FileNode
        var variables: [String]
    }

    /// The path of the characteristic for commands.
    package var write: String
    /// The path of the characteristic that notifies messages.
    package var notify: String
    package var format = FrameLayout()
    var messages: [Message] = []
    var commands: [Command] = []

    /// The usage texts of the commands, with their variables: "rate hertz=...".
    package var usages: [String] {
        commands.map { ([$0.name] + $0.variables.map { "\($0)=..." }).joined(separator: " ") }
    }

    /// Reads a file.
    /// - Throws: ``DeviceFileError`` with the position of the error.
    package init(
        path: String, checkPath: (String) throws -> Void
    ) throws(DeviceFileError) {
        try self.init(yaml: try DeviceDocument.text(of: path), file: path, checkPath: checkPath)
    }

    init(yaml: String, file: String, checkPath: (String) throws -> Void) throws(DeviceFileError) {
        let mapping = try DeviceDocument.root(
            yaml, file, least: "a protocol requires at least 'write: ...' and 'notify: ...'"
        ).mapping(
            "a protocol", keys: ["write", "notify", "frame", "commands", "messages"])
        func path(_ key: String) throws(DeviceFileError) -> String {
            let node = try mapping.required(key)
            let text = try node.string(key)
            do { try checkPath(text) } catch { throw node.error("\(error)") }
            return text
        }
        write = try path("write")
        notify = try path("notify")
        if let frame = mapping["frame"] { format = try FrameLayout(frame) }
        for (key, node) in mapping["commands"]?.entries ?? [] {
            let names = try ScriptVariables.names(in: node)
            if names.isEmpty { _ = try Self.bytes(node) }
            commands.append(Command(name: try key.string("a command"), node: node, variables: names.sorted()))
        }
        for (key, node) in mapping["messages"]?.entries ?? [] {
            let name = try key.string("a message")
            let mapping = try node.mapping("a message", keys: ["match", "fields"])
            let text = try mapping["match"]?.string("match") ?? "*"
            guard let pattern = BytePattern(text) else {
                throw (mapping["match"] ?? node).error(
                    "match must be a pattern such as \"81 ?? *\", but this is '\(text)'")
            }
            var fields: [Field] = []
            for field in try mapping["fields"]?.list("fields") ?? [] { fields.append(try Self.field(field)) }
            messages.append(Message(name: name, pattern: pattern, fields: fields))
        }
    }

    /// Reads `{name: format}` or `{skip: 1}`.
    private static func field(_ node: FileNode) throws(DeviceFileError) -> Field {
        guard let entries = node.entries, entries.count == 1, let (key, value) = entries.first else {
            throw node.error(
                "a field must be {NAME: FORMAT}, with a number format, text, hex or hex:LENGTH; or {skip: OCTETS}")
        }
        let (name, text) = (try key.string("the name of a field"), try value.string("the format of a field"))
        if name == "skip" { return .skip(try value.integer("skip", in: 0...65_535)) }
        switch text {
        case "text": return .text(name)
        case "hex": return .bytes(name, nil)
        case _ where text.hasPrefix("hex:"):
            guard let count = Int(text.dropFirst(4)), count > 0 else {
                throw value.error("hex:LENGTH requires a length")
            }
            return .bytes(name, count)
        default:
            guard let format = NumberFormat(text) else {
                let known = NumberFormat.names + ["text", "hex"]
                let meant = Spelling.nearest(to: text, among: known).map { "; did you mean '\($0)'?" } ?? ""
                throw value.error("'\(text)' is not a format\(meant) The formats are \(known.joined(separator: ", "))")
            }
            return .number(name, format)
        }
    }

    private static func bytes(_ node: FileNode) throws(DeviceFileError) -> [UInt8] {
        guard let text = node.text else { return try node.fixedValue("a command") }
        do { return try ValueInput.bytes([text]) } catch { throw node.error("\(error)") }
    }

    /// Returns the payload of a command.
    /// - Throws: ``InputError`` if the command does not exist, a variable has no value, or its value cannot be encoded.
    package func payload(_ name: String, _ values: [String: String]) throws -> [UInt8] {
        guard let command = commands.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            let meant = Spelling.nearest(to: name, among: commands.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw InputError(
                "there is no command '\(name)'\(meant) The commands are \(usages.joined(separator: ", "))")
        }
        for variable in command.variables where values[variable] == nil {
            throw InputError("the command '\(name)' requires \(variable)=VALUE")
        }
        if let other = values.keys.sorted().first(where: { !command.variables.contains($0) }) {
            throw InputError("the command '\(name)' has no variable '\(other)'")
        }
        do {
            return try Self.bytes(try ScriptVariables.replaced(in: command.node, values))
        } catch {
            // The command itself was checked when the file was read, unless it has variables.
            let given = command.variables.map { "\($0)=\(values[$0] ?? "")" }.joined(separator: " ")
            throw InputError("the command '\(name)' with \(given): \(error.message)")
        }
    }

    package struct Decoded: Sendable {
        /// The name of the message; nil if the message is not declared.
        package var name: String?
        package var fields: [(name: String, text: String, isNumber: Bool)] = []
        /// The octets that belong to no field.
        package var rest: [UInt8] = []
        package var payload: [UInt8]

        /// "version: major 1, minor 2".
        package var line: String {
            var parts = fields.map { "\($0.name) \($0.text)" }
            if !rest.isEmpty, name != nil {
                parts.append((fields.isEmpty ? "" : "and ") + rest.hexText(separator: " "))
            }
            guard let name else { return payload.isEmpty ? "(empty)" : payload.hexText(separator: " ") }
            return ([name] + (parts.isEmpty ? [] : [": " + parts.joined(separator: ", ")])).joined()
        }

        /// The message as a JSON object.
        package var json: JSONValue {
            let values = fields.map { field -> (String, JSONValue) in
                (
                    field.name,
                    field.isNumber && Double(field.text)?.isFinite == true ? .decimal(field.text) : .string(field.text)
                )
            }
            return [
                "message": .optional(name), "hex": .string(payload.hexText()),
                "fields": .object(Dictionary(values, uniquingKeysWith: { first, _ in first })),
                "rest": .string(rest.hexText()),
            ]
        }
    }

    /// Decodes a payload with the first declared message whose pattern and fields match.
    package func decoded(_ payload: [UInt8]) -> Decoded {
        for message in messages where message.pattern.matches(payload) {
            if let decoded = Self.decoded(payload, message) { return decoded }
        }
        return Decoded(rest: payload, payload: payload)
    }

    private static func decoded(_ payload: [UInt8], _ message: Message) -> Decoded? {
        var (decoded, rest) = (Decoded(name: message.name, payload: payload), payload[...])
        for field in message.fields {
            switch field {
            case .skip(let count):
                guard rest.count >= count else { return nil }
                rest = rest.dropFirst(count)
            case .number(let name, let format):
                guard let text = format.decoded(rest.prefix(format.byteCount)) else { return nil }
                decoded.fields.append((name, text, true))
                rest = rest.dropFirst(format.byteCount)
            case .text(let name):
                decoded.fields.append((name, String(decoding: rest, as: UTF8.self), false))
                rest = []
            case .bytes(let name, let count):
                guard rest.count >= count ?? 0 else { return nil }
                decoded.fields.append((name, Array(rest.prefix(count ?? rest.count)).hexText(separator: " "), false))
                rest = rest.dropFirst(count ?? rest.count)
            }
        }
        decoded.rest = Array(rest)
        return decoded
    }
}

extension FrameLayout {
    /// Reads `{start: "AA", length: u8, counts: payload, checksum: crc16, covers: all, end: "0D 0A"}`.
    init(_ node: FileNode) throws(DeviceFileError) {
        let mapping = try node.mapping("a frame", keys: ["start", "length", "counts", "checksum", "covers", "end"])
        if let start = mapping["start"] { self.start = try start.hex("start") }
        if let end = mapping["end"] { self.end = try end.hex("end") }
        if let length = mapping["length"] {
            let text = try length.string("length")
            let known = ["u8", "u16", "u16be", "u32", "u32be"]
            guard known.contains(text.lowercased()), let format = NumberFormat(text) else {
                throw length.error("length must be \(known.joined(separator: ", ")), but this is '\(text)'")
            }
            self.length = format
        }
        if let counts = mapping["counts"] {
            guard length != nil else { throw mapping.place(of: "counts").error("counts requires the key 'length'") }
            countsAll = try counts.choice("counts", ["payload": false, "frame": true])
        }
        if let checksum = mapping["checksum"] {
            self.checksum = try checksum.choice(
                "checksum", ["sum8": Checksum.sum8, "xor8": .xor8, "crc16": .crc16, "modbus": .modbus])
        }
        if let covers = mapping["covers"] {
            guard checksum != nil else { throw mapping.place(of: "covers").error("covers requires the key 'checksum'") }
            coversAll = try covers.choice("covers", ["payload": false, "frame": true])
        }
    }
}
