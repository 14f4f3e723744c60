import BluetoothModel

/// The Record Access Control Point: a request for stored records, or a response (GATT Specification Supplement, 3.195).
public struct RecordAccessControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A52"

    /// The op code of a request or a response.
    public struct OpCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "report stored records", 2: "delete stored records", 3: "abort operation",
            4: "report number of stored records", 5: "number of stored records response", 6: "response code",
            7: "combined report", 8: "combined report response",
        ]
        /// Requests the records.
        public static let report = OpCode(rawValue: 1)
        /// Deletes the records.
        public static let delete = OpCode(rawValue: 2)
        /// Aborts the operation in progress.
        public static let abort = OpCode(rawValue: 3)
        /// Requests the number of records.
        public static let count = OpCode(rawValue: 4)
        /// Reports the number of records.
        public static let countResponse = OpCode(rawValue: 5)
        /// Reports the result of a request.
        public static let response = OpCode(rawValue: 6)
    }

    /// The selection of records.
    public struct Operator: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "none", 1: "all records", 2: "less than or equal to", 3: "greater than or equal to",
            4: "within range of",
            5: "first record", 6: "last record",
        ]
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let none = Operator(rawValue: 0)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let all = Operator(rawValue: 1)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let atMost = Operator(rawValue: 2)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let atLeast = Operator(rawValue: 3)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let range = Operator(rawValue: 4)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let first = Operator(rawValue: 5)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let last = Operator(rawValue: 6)
    }

    /// The result of a request.
    public struct ResponseCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "success", 2: "op code not supported", 3: "invalid operator", 4: "operator not supported",
            5: "invalid operand", 6: "no records found", 7: "abort unsuccessful", 8: "procedure not completed",
            9: "operand not supported",
        ]
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let success = ResponseCode(rawValue: 1)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let opCodeNotSupported = ResponseCode(rawValue: 2)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let invalidOperator = ResponseCode(rawValue: 3)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let operatorNotSupported = ResponseCode(rawValue: 4)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let invalidOperand = ResponseCode(rawValue: 5)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let noRecordsFound = ResponseCode(rawValue: 6)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let procedureNotCompleted = ResponseCode(rawValue: 8)
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let operandNotSupported = ResponseCode(rawValue: 9)
    }

    /// The op code.
    public var opCode = OpCode.report
    /// The selection of records; `none` in a response.
    public var `operator` = Operator.none
    /// The operand: a filter and its bounds, a count, or the op code of a request and its response code. Little-endian.
    public var operand: [UInt8] = []

    public init() {}

    /// Creates a request for records, selected by sequence number or, on a continuous glucose monitor, by time offset.
    public init(_ opCode: OpCode, _ records: StoredRecords) {
        self.opCode = opCode
        (`operator`, operand) = records.operatorAndOperand
    }

    /// A request to abort the operation in progress.
    public static let abort = RecordAccessControlPoint { $0.opCode = .abort }

    /// Creates the response to a request.
    public static func response(to request: OpCode, _ code: ResponseCode) -> RecordAccessControlPoint {
        RecordAccessControlPoint {
            $0.opCode = .response
            $0.operand = [request.rawValue, code.rawValue]
        }
    }

    /// Creates a response with the number of records.
    public static func count(_ count: UInt16) -> RecordAccessControlPoint {
        RecordAccessControlPoint {
            $0.opCode = .countResponse
            $0.operand = [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        }
    }

    /// The request and the result that a response reports; nil for other op codes.
    public var response: (request: OpCode, code: ResponseCode)? {
        guard opCode == .response, operand.count >= 2 else { return nil }
        return (OpCode(rawValue: operand[0]), ResponseCode(rawValue: operand[1]))
    }

    /// The number of records that a response reports; nil for other op codes.
    public var count: Int? {
        guard opCode == .countResponse, operand.count >= 2 else { return nil }
        return Int(operand[0]) | Int(operand[1]) << 8
    }

    /// The records that a request selects; nil if the operator and the operand do not match.
    public var records: StoredRecords? { StoredRecords(`operator`, operand) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.code("operator", &`operator`)
        try coder.hiddenBytes("operand", &operand)
        if let response {
            coder.describe("requestOpCode", .code(Int64(response.request.rawValue), response.request.name))
            coder.describe("responseCodeValue", .code(Int64(response.code.rawValue), response.code.name))
        } else if let count {
            coder.describe("numberOfRecords", .integer(Int64(count)))
        } else if !operand.isEmpty {
            coder.describe("operand", .bytes(operand))
        }
    }
}

/// A selection of stored records by sequence number or time offset.
public enum StoredRecords: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case all, first, last
    /// Records up to and including this number.
    case atMost(UInt16)
    /// Records from this number on.
    case atLeast(UInt16)
    /// Records in this range.
    case range(ClosedRange<UInt16>)

    var operatorAndOperand: (RecordAccessControlPoint.Operator, [UInt8]) {
        /// Filter type 1 is the sequence number or time offset.
        func filter(_ numbers: UInt16...) -> [UInt8] {
            [1] + numbers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        }
        return switch self {
        case .all: (.all, [])
        case .first: (.first, [])
        case .last: (.last, [])
        case .atMost(let most): (.atMost, filter(most))
        case .atLeast(let least): (.atLeast, filter(least))
        case .range(let range): (.range, filter(range.lowerBound, range.upperBound))
        }
    }

    init?(_ operator: RecordAccessControlPoint.Operator, _ operand: [UInt8]) {
        func number(_ index: Int) -> UInt16 { UInt16(operand[index]) | UInt16(operand[index + 1]) << 8 }
        switch (`operator`, operand.count) {
        case (.all, 0): self = .all
        case (.first, 0): self = .first
        case (.last, 0): self = .last
        case (.atMost, 3) where operand[0] == 1: self = .atMost(number(1))
        case (.atLeast, 3) where operand[0] == 1: self = .atLeast(number(1))
        case (.range, 5) where operand[0] == 1 && number(1) <= number(3): self = .range(number(1)...number(3))
        default: return nil
        }
    }

    /// Returns the selected numbers among `numbers`, which must be in ascending order.
    public func selected(among numbers: [UInt16]) -> [UInt16] {
        switch self {
        case .all: numbers
        case .first: Array(numbers.prefix(1))
        case .last: Array(numbers.suffix(1))
        case .atMost(let most): numbers.filter { $0 <= most }
        case .atLeast(let least): numbers.filter { $0 >= least }
        case .range(let range): numbers.filter { range.contains($0) }
        }
    }
}
