import BluetoothModel

/// Decodes, encodes and describes the fields of a value, one call per field.
public struct FieldCoder {
    private enum Direction { case decoding, encoding }

    /// The flags of a value, which indicate the optional fields that are present.
    private struct Flags {
        var value: UInt32
        /// The offset in the output at which the flags are stored once all fields are encoded.
        var offset: Int
        var format: IntegerFormat
    }

    private let direction: Direction
    let input: [UInt8]
    var position = 0
    private var flags: Flags?
    var lastField = ""
    /// The offsets of the dates and times that are out of range and are decoded as unknown; nil if such a time is an
    /// error.
    var invalidTimes: [Int]?
    /// The encoded bytes.
    var output: [UInt8] = []
    let describes: Bool
    /// The forms of the fields of the value and of its groups.
    var forms: [String: FieldForm]
    /// The described fields.
    var fields: [Field] = []

    init(decoding bytes: [UInt8], describes: Bool, forms: [String: FieldForm] = [:]) {
        direction = .decoding
        input = bytes
        (self.describes, self.forms) = (describes, forms)
    }

    init(encodingWith describes: Bool, forms: [String: FieldForm] = [:]) {
        direction = .encoding
        input = []
        (self.describes, self.forms) = (describes, forms)
    }

    /// True if integers have the most significant byte first. Characteristics have the least significant byte first.
    public var isBigEndian = false
    /// True when decoding, false when encoding.
    public var isDecoding: Bool { direction == .decoding }
    /// The number of bytes left to decode; 0 when encoding.
    public var bytesLeft: Int { isDecoding ? input.count - position : 0 }
    /// The bytes that were decoded or encoded so far.
    public var bytesSoFar: ArraySlice<UInt8> { isDecoding ? input[..<position] : output[...] }

    mutating func finish() throws(ValueError) {
        guard !isDecoding || position == input.count else {
            let count = input.count - position
            throw ValueError(
                field: lastField.isEmpty ? "value" : lastField,
                reason: "\(count.counted("byte follows", "bytes follow")) the last field")
        }
        placeFlags()
    }

    // MARK: Flags

    /// Codes the flags of the value.
    /// - Parameters:
    ///   - known: the flags with an assigned meaning.
    ///   - reserved: receives the other flags when decoding, provides them when encoding.
    /// - Throws: ``ValueError`` if bytes are missing.
    public mutating func flags(
        _ format: IntegerFormat, known: UInt32, _ reserved: inout ReservedPart
    ) throws(ValueError) {
        if isDecoding {
            let value = UInt32(truncatingIfNeeded: try take("flags", format))
            reserved.flags = value & ~known
            flags = Flags(value: value, offset: 0, format: format)
        } else {
            flags = Flags(value: reserved.flags & ~known, offset: output.count, format: format)
            output += Array(repeating: 0, count: format.byteCount)
        }
        lastField = "flags"
    }

    /// Returns true if a flag is set. When encoding, sets the flag if `condition` holds.
    public mutating func flag(_ bit: Int, when condition: @autoclosure () -> Bool) -> Bool {
        guard isDecoding else {
            let isSet = condition()
            if isSet { flags?.value |= 1 << UInt32(bit) }
            return isSet
        }
        return (flags?.value ?? 0) >> UInt32(bit) & 1 == 1
    }

    /// Codes several flags as one number.
    public mutating func flags(_ bits: Range<Int>, _ value: inout UInt8) {
        let (mask, shift) = (UInt32(1) << UInt32(bits.count) - 1, UInt32(bits.lowerBound))
        if isDecoding {
            value = UInt8(truncatingIfNeeded: (flags?.value ?? 0) >> shift & mask)
        } else {
            flags?.value |= (UInt32(value) & mask) << shift
        }
    }

    /// Codes the bytes after the known fields. They are present only if a reserved flag is set.
    public mutating func rest(_ reserved: inout ReservedPart) {
        if isDecoding {
            guard reserved.flags != 0, position < input.count else { return }
            reserved.bytes = Array(input[position...])
            position = input.count
        } else if reserved.flags != 0 {
            output += reserved.bytes
        }
        if describes, !reserved.bytes.isEmpty { fields.append(Field("reserved", .bytes(reserved.bytes))) }
    }

    mutating func placeFlags() {
        guard !isDecoding, let flags else { return }
        for index in 0..<flags.format.byteCount {
            output[flags.offset + index] = UInt8(truncatingIfNeeded: flags.value >> UInt32(8 * index))
        }
    }

    // MARK: Bytes

    func need(_ count: Int, _ name: String) throws(ValueError) {
        guard bytesLeft >= count else {
            throw ValueError(field: name, reason: "\(count.counted("byte")) needed, \(bytesLeft) left")
        }
    }

    mutating func take(_ name: String, _ format: IntegerFormat) throws(ValueError) -> Int64 {
        try need(format.byteCount, name)
        var raw: Int64 = 0
        for index in 0..<format.byteCount {
            raw |= Int64(input[position + index]) << Int64(8 * place(of: index, in: format))
        }
        position += format.byteCount
        let unused = Int64(64 - 8 * format.byteCount)
        return format.isSigned ? (raw << unused) >> unused : raw
    }

    mutating func put(_ raw: Int64, _ format: IntegerFormat) {
        for index in 0..<format.byteCount {
            output.append(UInt8(truncatingIfNeeded: raw >> Int64(8 * place(of: index, in: format))))
        }
    }

    /// Returns the power of 256 of the byte at `index`.
    private func place(of index: Int, in format: IntegerFormat) -> Int {
        isBigEndian ? format.byteCount - 1 - index : index
    }
}
