import Foundation

/// The test vectors of a GATT implementation, as its public source has them: packets, step data and databases.
struct GATTVectorFile {
    /// The side that is tested.
    enum Side: String {
        case att, client, server
    }

    /// The requested operation, beside the packets.
    struct Step {
        var function = ""
        var handle = 0
        var endHandle = 0
        var errorCode = 0
        var value: [UInt8] = []
    }

    struct Vector {
        var name: String
        var side: Side
        var function: String
        /// The name of the database; nil if there is none.
        var database: String?
        /// The UUID that is looked for, little-endian, as long as the file writes it.
        var uuid: [UInt8]?
        var step: Step?
        /// The packets in their order, both ways; an empty one stands for an action, or for none.
        var packets: [[UInt8]]
    }

    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var vectors: [Vector] = []
    /// The entries of each database, as they are written: `PRIMARY_SERVICE(0x0001, GAP_UUID, 4)`.
    private(set) var databases: [String: [String]] = [:]
    let source: CSource

    init(_ text: String) throws {
        source = CSource(text)
        let steps = try Self.steps(source)
        let uuids = Self.uuids(source)
        databases = Self.databases(source)
        for match in source.text.matches(of: #/\bdefine_test_(att|client|server)\s*(?=\("\/)/#) {
            guard let side = Side(rawValue: String(match.1)), let list = source.bracketed(match.range.upperBound) else {
                throw Malformed(description: "a vector without an end")
            }
            let arguments = CSource.arguments(list.inner)
            guard arguments.count >= 5, let name = source.string(arguments[0]) else {
                throw Malformed(description: "a vector with \(arguments.count) parts")
            }
            let stepName = arguments[3].trimmingCharacters(in: CharacterSet(charactersIn: "& "))
            let what = arguments[2].trimmingCharacters(in: CharacterSet(charactersIn: "& "))
            vectors.append(
                Vector(
                    name: name, side: side, function: arguments[1],
                    database: side == .att || what == "NULL" ? nil : what, uuid: side == .att ? uuids[what] : nil,
                    step: steps[stepName], packets: try Self.packets(arguments[4...], source)))
        }
    }

    // MARK: Parts

    private static func packets(_ parts: some Sequence<String>, _ source: CSource) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        for part in parts where part != "{}" {
            if let body = source.macros[part] {
                packets += try Self.packets(CSource.arguments(body), source)
            } else if let call = CSource.call(part), call.name == "raw_pdu", let bytes = CSource.bytes(call.arguments) {
                packets.append(bytes)
            } else if !part.isEmpty {
                throw Malformed(description: "no packet: \(part)")
            }
        }
        return packets
    }

    private static func arrays(_ source: CSource) -> [String: [UInt8]] {
        var arrays: [String: [UInt8]] = [:]
        for match in source.text.matches(of: #/static const uint8_t (\w+)\[[^\]]*\]\s*=\s*/#) {
            guard let list = source.bracketed(match.range.upperBound) else { continue }
            arrays[String(match.1)] = CSource.bytes(CSource.arguments(list.inner))
        }
        return arrays
    }

    private static func steps(_ source: CSource) throws -> [String: Step] {
        let arrays = arrays(source)
        var steps: [String: Step] = [:]
        for match in source.text.matches(of: #/static const struct test_step (\w+)\s*=\s*/#) {
            guard let list = source.bracketed(match.range.upperBound) else { continue }
            var step = Step()
            for field in CSource.arguments(list.inner) where !field.isEmpty {
                let parts = field.split(separator: "=", maxSplits: 1).map {
                    $0.trimmingCharacters(in: .whitespacesAndNewlines)
                }
                guard parts.count == 2 else { throw Malformed(description: "no field: \(field)") }
                switch parts[0] {
                case ".func": step.function = parts[1]
                case ".handle": step.handle = CSource.number(parts[1]) ?? 0
                case ".end_handle": step.endHandle = CSource.number(parts[1]) ?? 0
                case ".expected_att_ecode": step.errorCode = CSource.number(parts[1]) ?? 0
                case ".value": step.value = arrays[parts[1]] ?? []
                default: break
                }
            }
            steps[String(match.1)] = step
        }
        return steps
    }

    private static func uuids(_ source: CSource) -> [String: [UInt8]] {
        var uuids: [String: [UInt8]] = [:]
        for match in source.text.matches(of: #/static bt_uuid_t (\w+)\s*=\s*/#) {
            guard let list = source.bracketed(match.range.upperBound) else { continue }
            let inner = String(list.inner)
            if let short = inner.firstMatch(of: #/u16\s*=\s*(\w+)/#), let number = CSource.number(String(short.1)) {
                uuids[String(match.1)] = [UInt8(number & 0xFF), UInt8(number >> 8)]
            } else if let long = inner.firstMatch(of: #/\{([^}]*)\}/#),
                let bytes = CSource.bytes(CSource.arguments(long.1))
            {
                uuids[String(match.1)] = bytes.reversed()
            }
        }
        return uuids
    }

    /// The databases by the names of the variables that hold them.
    private static func databases(_ source: CSource) -> [String: [String]] {
        var makers: [String: [String]] = [:]
        for match in source.text.matches(of: #/static struct gatt_db \*(\w+)\(void\)\s*/#) {
            guard let list = source.bracketed(match.range.upperBound), let table = list.inner.firstRange(of: "specs[]"),
                let start = source.text[table.upperBound...].firstIndex(of: "{"),
                let entries = source.bracketed(start)
            else { continue }
            makers[String(match.1)] = CSource.arguments(entries.inner).filter { CSource.call($0) != nil }
        }
        var databases: [String: [String]] = [:]
        for match in source.text.matches(of: #/(\w+)\s*=\s*(make_\w+)\(\)/#) {
            databases[String(match.1)] = makers[String(match.2)]
        }
        return databases
    }
}
