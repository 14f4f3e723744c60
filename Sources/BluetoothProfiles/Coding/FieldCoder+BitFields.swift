/// Codes fields of bits that share one integer, the most significant bits first.
public struct BitFieldCoder {
    private let name: String
    private let isDecoding: Bool
    /// The bits that are not coded yet.
    private var bitsLeft: Int64
    private(set) var raw: Int64
    fileprivate var fields: [Field] = []

    fileprivate init(_ name: String, bits: Int, raw: Int64?) {
        self.name = name
        isDecoding = raw != nil
        self.raw = raw ?? 0
        bitsLeft = Int64(bits)
    }

    /// Codes the next `bits` bits as an unsigned integer.
    /// - Throws: ``ValueError`` if the value does not fit.
    public mutating func integer<Number: FixedWidthInteger>(
        _ name: String, _ value: inout Number, bits: Int, unit: GATTUnit? = nil,
        shown: (Int64) -> FieldValue? = { .integer($0) }
    ) throws(ValueError) {
        var count = Int64(clamping: value)
        try code(name, &count, bits)
        if isDecoding { value = Number(clamping: count) }
        if let shown = shown(count) { fields.append(Field(name, shown, unit: unit)) }
    }

    /// Codes the next bit without describing it.
    mutating func hiddenFlag(_ value: inout Bool) throws(ValueError) {
        var count: Int64 = value ? 1 : 0
        try code(name, &count, 1)
        value = count == 1
    }

    /// Codes the next bit.
    /// - Throws: ``ValueError``, as every field may.
    public mutating func flag(_ name: String, _ value: inout Bool) throws(ValueError) {
        try hiddenFlag(&value)
        fields.append(Field(name, .flag(value)))
    }

    /// Codes the next `bits` bits as a multiple of `unit`, to which `offset` is added first. `unknown` is the integer
    /// that stands for an unknown value.
    /// - Throws: ``ValueError`` if the number cannot be represented.
    public mutating func number(
        _ name: String, _ value: inout ProfileNumber, bits: Int, of unit: ExactDecimal, offset: Int64 = 0,
        unknown: Int64? = nil, unit symbol: GATTUnit? = nil
    ) throws(ValueError) {
        let specials: [Int64: ProfileNumber.Special] = unknown.map { [$0: .unknown] } ?? [:]
        var count: Int64 = 0
        if !isDecoding {
            count = try value.count(name, of: unit, offset: offset, specials: specials, in: 0...(1 << Int64(bits) - 1))
        }
        try code(name, &count, bits)
        if isDecoding { value = ProfileNumber(count: count, of: unit, offset: offset, specials: specials) }
        fields.append(Field(name, .number(value), unit: symbol))
    }

    private mutating func code(_ name: String, _ count: inout Int64, _ bits: Int) throws(ValueError) {
        let highest: Int64 = 1 << Int64(bits) - 1
        bitsLeft -= Int64(bits)
        if isDecoding {
            count = raw >> bitsLeft & highest
        } else {
            guard (0...highest).contains(count) else {
                throw ValueError(field: name, reason: "\(count) is outside 0...\(highest)")
            }
            raw |= count << bitsLeft
        }
    }
}

extension FieldCoder {
    /// Codes an integer whose bits are several fields.
    /// - Throws: ``ValueError`` if bytes are missing or a field cannot be represented.
    public mutating func bitFields(
        _ name: String, _ format: IntegerFormat, _ body: (inout BitFieldCoder) throws(ValueError) -> Void
    ) throws(ValueError) {
        var bits = BitFieldCoder(
            name, bits: 8 * format.byteCount, raw: isDecoding ? try take(name, format) : nil)
        try body(&bits)
        if !isDecoding { put(bits.raw, format) }
        lastField = name
        if describes { fields += bits.fields }
    }
}
