import CPostgres
import Foundation
import GRDB

/// The result of a statement, with its rows in binary form.
final class PostgresResult {
    private let result: OpaquePointer?
    private lazy var columns: [(name: String, type: UInt32)] = {
        guard let result else { return [] }
        return (0..<harald_pq_columns(result)).map { column in
            (harald_pq_name(result, column).map { String(cString: $0) } ?? "", harald_pq_type(result, column))
        }
    }()

    /// Takes a result over.
    init(_ result: OpaquePointer?) { self.result = result }

    deinit { harald_pq_free(result) }

    var count: Int { result.map { Int(harald_pq_rows($0)) } ?? 0 }

    /// The number of rows that the statement changed.
    var changes: Int { result.flatMap { Int(String(cString: harald_pq_changes($0))) } ?? 0 }

    var tag: String { result.map { String(cString: harald_pq_tag($0)) } ?? "" }

    /// SQLSTATE and message of a failure; empty if the server sent none.
    var failure: (state: String, message: String) {
        guard let result else { return ("", "") }
        return (String(cString: harald_pq_state(result)), String(cString: harald_pq_message(result)))
    }

    var isFailure: Bool { !failure.state.isEmpty }

    func row(_ index: Int) throws -> Row {
        var values: [String: (any DatabaseValueConvertible)?] = [:]
        for (column, (name, _)) in columns.enumerated() { values[name] = try value(index, column) }
        return Row(values)
    }

    /// Returns a value in the form that SQLite has for it.
    func value(_ row: Int, _ column: Int) throws -> DatabaseValue {
        var length: CInt = 0
        guard let result, let start = harald_pq_value(result, CInt(row), CInt(column), &length) else { return .null }
        let octets = UnsafeRawBufferPointer(start: start, count: Int(length))
        // The numbers of types are those of pg_type.dat.
        switch columns[column].type {
        case 16: return (octets.first == 1 ? 1 : 0).databaseValue
        case 17: return Data(octets).databaseValue
        case 20: return Int64(bitPattern: Self.number(octets)).databaseValue
        case 21: return Int64(Int16(truncatingIfNeeded: Self.number(octets))).databaseValue
        case 23: return Int64(Int32(truncatingIfNeeded: Self.number(octets))).databaseValue
        case 701: return Double(bitPattern: Self.number(octets)).databaseValue
        case 19, 25, 1043: return String(decoding: octets, as: UTF8.self).databaseValue
        case let type:
            throw PostgresError(
                state: "", message: "the column '\(columns[column].name)' has the unknown type \(type)", isLost: false)
        }
    }

    /// Decodes an unsigned number, the most significant octet first.
    private static func number(_ octets: UnsafeRawBufferPointer) -> UInt64 {
        octets.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The values of parameters in the form of libpq: octets for data, text for everything else.
struct PostgresParameters {
    private var octets: [UInt8] = []
    private var starts: [Int?] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []

    init(_ sets: [StoreArguments]) {
        for value in sets.lazy.flatMap(\.values) {
            let start = octets.count
            switch value.storage {
            case .null:
                append(nil, isData: false)
                continue
            case .int64(let number): octets += String(number).utf8
            case .double(let number): octets += "\(number)".utf8
            case .string(let text): octets += Self.text(text).utf8
            case .blob(let data):
                octets += data
                append(start, isData: true)
                continue
            }
            append(start, isData: false)
            octets.append(0)
        }
    }

    /// Returns a text as PostgreSQL stores it, which has no text with the character U+0000.
    static func text(_ text: String) -> String {
        text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    }

    private mutating func append(_ start: Int?, isData: Bool) {
        starts.append(start)
        lengths.append(start.map { CInt(octets.count - $0) } ?? 0)
        formats.append(isData ? 1 : 0)
    }

    /// Calls `body` with the arrays of libpq.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?) -> Result
    ) -> Result {
        // One more octet, so that an empty value at the end has an address.
        (octets + [0]).withUnsafeBytes { buffer in
            let base = buffer.baseAddress
            let pointers = starts.map { start in
                start.flatMap { base?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
