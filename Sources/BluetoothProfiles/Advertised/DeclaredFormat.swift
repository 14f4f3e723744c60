import BluetoothModel
import Synchronization

/// A format of advertised values that a user declared in a file.
package struct DeclaredFormat: Hashable, Sendable {
    /// The bytes of a field.
    package enum Layout: Hashable, Sendable {
        case number(NumberLayout)
        /// A number whose values have names.
        case code(IntegerFormat, [Int64: String])
        /// A flag for each named bit, the lowest first; nil for bits without a name.
        case bits(IntegerFormat, [String?])
        /// Text up to the end.
        case text
        /// Uninterpreted bytes; nil for all that remain.
        case bytes(Int?)
        /// Bytes without a meaning.
        case skip(Int)
    }

    /// A field.
    package struct Part: Hashable, Sendable {
        /// The name in JSON.
        package var name: String
        package var layout: Layout
        package var unit: GATTUnit?
        /// True if the most significant byte is first.
        package var isBigEndian = false
        /// True if frames may end before the field.
        package var isOptional = false

        /// Creates a field.
        package init(_ name: String, _ layout: Layout, unit: GATTUnit? = nil) {
            (self.name, self.layout, self.unit) = (name, layout, unit)
        }
    }

    /// The name in JSON and scripts.
    package var kind: String
    /// The name for people.
    package var title: String
    /// The place in an advertisement.
    package var place: AdvertisedPlace
    /// The constant bytes that frames begin with.
    package var start: [UInt8] = []
    /// The beginning of the names of the devices; nil for all.
    package var name: String?
    /// The fields, in the order of the bytes.
    package var parts: [Part] = []
    /// The names of the fields that a line of a list omits.
    package var details: [String] = []

    /// Creates a format without fields.
    package init(kind: String, title: String, place: AdvertisedPlace) {
        (self.kind, self.title, self.place) = (kind, title, place)
    }

    /// The patterns, one of which every frame has.
    package var patterns: [AdvertisementPattern] { place.pattern(start).map { [$0] } ?? [] }

    /// Returns the value of a frame at the place; nil if the frame is of another format.
    package func value(of frame: AdvertisedFrame) -> AdvertisedValue? {
        guard frame.bytes.starts(with: start) else { return nil }
        if let name, frame.name?.hasPrefix(name) != true { return nil }
        var value = AdvertisedValue(kind: kind, title: title)
        value.details = details
        guard frame.missing == 0 else {
            value.problem = "the frame ends \(frame.missing.counted("byte")) early"
            return value
        }
        var coder = FieldCoder(decoding: Array(frame.bytes.dropFirst(start.count)), describes: true)
        do throws(ValueError) {
            for part in parts {
                if part.isOptional, coder.bytesLeft == 0 { break }
                try part.code(&coder)
            }
        } catch {
            value.problem = error.description
            return value
        }
        let extra = Array(coder.input[coder.position...])
        if !extra.isEmpty { coder.describe("extra", .bytes(extra)) }
        value.fields = coder.fields.joiningRepeated
        return value
    }
}

extension DeclaredFormat.Part {
    fileprivate func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = isBigEndian
        switch layout {
        case .number(let layout):
            var number: ProfileNumber = 0
            try coder.number(name, &number, layout, unit: unit)
        case .code(let format, let names):
            var code: Int64 = 0
            try coder.integer(name, &code, format) { .code($0, names[$0]) }
        case .bits(let format, let names):
            var bits: Int64 = 0
            _ = try coder.wholeNumber(name, &bits, format)
            for (index, bit) in names.enumerated() {
                if let bit { coder.describe(bit, .flag(bits >> Int64(index) & 1 == 1)) }
            }
        case .text:
            var text = ""
            try coder.text(name, &text)
        case .bytes(let count):
            var bytes: [UInt8] = []
            try coder.bytes(name, &bytes, count: count)
        case .skip(let count):
            var bytes: [UInt8] = []
            try coder.hiddenBytes(name, &bytes, count: count)
        }
    }
}

extension AdvertisedFormats {
    private static let declaredFormats = Mutex<[AdvertisedPlace: [DeclaredFormat]]>([:])

    /// The formats that the user declared, for the whole process.
    package static var declared: [DeclaredFormat] {
        get { declaredFormats.withLock { $0.values.flatMap { $0 } }.sorted { $0.kind < $1.kind } }
        set { declaredFormats.withLock { $0 = Dictionary(grouping: newValue, by: \.place) } }
    }

    static var declaredByPlace: [AdvertisedPlace: [DeclaredFormat]] { declaredFormats.withLock { $0 } }
}
