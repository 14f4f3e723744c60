import BluetoothModel

/// What is asked of stored records, and what is answered (Record Access Control Point; GATT Specification Supplement,
/// 3.195).
public struct RecordAccessControlPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A52"

    /// What is to be done, or is answered.
    public struct OpCode: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "report stored records", 2: "delete stored records", 3: "abort operation",
            4: "report number of stored records", 5: "number of stored records response", 6: "response code",
            7: "combined report", 8: "combined report response",
        ]
        /// Sends the records.
        public static let report = OpCode(rawValue: 1)
        /// Deletes the records.
        public static let delete = OpCode(rawValue: 2)
        /// Stops what is being done.
        public static let abort = OpCode(rawValue: 3)
        /// Asks how many records there are.
        public static let count = OpCode(rawValue: 4)
        /// Says how many records there are.
        public static let countResponse = OpCode(rawValue: 5)
        /// Says how a request ended.
        public static let response = OpCode(rawValue: 6)
    }

    /// Which records.
    public struct Operator: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
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

    /// How a request ended.
    public struct ResponseCode: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
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

    /// What is to be done, or is answered.
    public var opCode = OpCode.report
    /// Which records; none in an answer.
    public var `operator` = Operator.none
    /// The rest: a filter and its bounds, a count, or the code of a request and of its end.
    public var operand: [UInt8] = []

    /// Nothing is set yet.
    public init() {}

    /// A request about records, by their sequence numbers (or, of a continuous glucose monitor, their time offsets).
    public init(_ opCode: OpCode, _ records: StoredRecords) {
        self.opCode = opCode
        (`operator`, operand) = records.operatorAndOperand
    }

    /// Stops what is being done.
    public static let abort = RecordAccessControlPoint { $0.opCode = .abort }

    /// Says how a request ended.
    public static func response(to request: OpCode, _ code: ResponseCode) -> RecordAccessControlPoint {
        RecordAccessControlPoint {
            $0.opCode = .response
            $0.operand = [request.rawValue, code.rawValue]
        }
    }

    /// Says how many records there are.
    public static func count(_ count: UInt16) -> RecordAccessControlPoint {
        RecordAccessControlPoint {
            $0.opCode = .countResponse
            $0.operand = [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        }
    }

    /// How a request ended, and which; nil for anything but such an answer.
    public var response: (request: OpCode, code: ResponseCode)? {
        guard opCode == .response, operand.count >= 2 else { return nil }
        return (OpCode(rawValue: operand[0]), ResponseCode(rawValue: operand[1]))
    }

    /// How many records there are; nil for anything but such an answer.
    public var count: Int? {
        guard opCode == .countResponse, operand.count >= 2 else { return nil }
        return Int(operand[0]) | Int(operand[1]) << 8
    }

    /// Which records a request is about; nil where its operator and operand do not fit each other.
    public var records: StoredRecords? { StoredRecords(`operator`, operand) }

    /// Names the fields.
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

/// Which of the stored records are meant, by their sequence numbers or time offsets.
public enum StoredRecords: Hashable, Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case all, first, last
    /// Up to this one.
    case atMost(UInt16)
    /// From this one on.
    case atLeast(UInt16)
    /// From the first to the last of these.
    case range(ClosedRange<UInt16>)

    var operatorAndOperand: (RecordAccessControlPoint.Operator, [UInt8]) {
        /// 1 is the filter by sequence number or time offset.
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

    /// The records that are meant among `numbers`, which are in their order.
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
