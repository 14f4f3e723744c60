#if Programs
import Harald

extension FileNode {
    private static let valueForms =
        "{hex: \"01 02\"}, {text: \"...\"}, {u8: 5} and other numbers (\(NumberFormat.names.joined(separator: ", ")), "
        + "with 'be' at the end for big-endian), {heartRate: {...}}, or a list of them"

    /// Reads a value: one part or a list of parts.
    func value() throws(DeviceFileError) -> ValueTemplate {
        var parts: [ValueTemplate.Part] = []
        for element in listOrOne() { parts += try element.valueParts() }
        // Adjacent byte parts are joined.
        var joined: [ValueTemplate.Part] = []
        for part in parts {
            if case .bytes(let bytes) = part, case .bytes(let before)? = joined.last {
                joined[joined.count - 1] = .bytes(before + bytes)
            } else {
                joined.append(part)
            }
        }
        let value = ValueTemplate(joined)
        var player = ValuePlayer(value)
        let length = player.bytes(at: .zero).count
        guard length <= 512 else { throw error("a value may have at most 512 bytes, but this has \(length)") }
        return value
    }

    /// Reads a value that does not change over time.
    /// - Throws: ``DeviceFileError`` if the node is no value, or one that changes over time.
    package func fixedValue(_ what: String) throws(DeviceFileError) -> [UInt8] {
        guard let bytes = try value().fixedBytes else { throw error("\(what) cannot change over time") }
        return bytes
    }

    private func valueParts() throws(DeviceFileError) -> [ValueTemplate.Part] {
        guard let mapping = node.mapping, mapping.count == 1, let (key, content) = mapping.first else {
            throw error("a value is \(Self.valueForms)")
        }
        let inner = FileNode(node: content, file: file)
        let keyNode = FileNode(node: key, file: file)
        let name = try keyNode.string("the kind of a value")
        switch name {
        case "hex": return [.bytes(try inner.hex("hex"))]
        case "text": return [.bytes(Array(try inner.string("text").utf8))]
        case "heartRate": return [.heartRate(try inner.heartRate())]
        default:
            guard let format = NumberFormat(name) else {
                let known = FileKeys.value.names + NumberFormat.names
                let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
                throw keyNode.error("no kind of value is named '\(name)'\(meant) A value is \(Self.valueForms)")
            }
            var parts: [ValueTemplate.Part] = []
            for element in inner.listOrOne() { parts.append(try element.number(format)) }
            return parts
        }
    }

    private func number(_ format: NumberFormat) throws(DeviceFileError) -> ValueTemplate.Part {
        if isMapping {
            let (waveform, digits) = try waveformAndDigits()
            return .number(format, waveform, digits: digits)
        }
        let text = try string("a number")
        guard let bytes = format.encoded(text) else {
            let range = format.integerRange.map { " from \($0.lowest) to \($0.highest)" } ?? ""
            throw error("\(format) must be a number\(range), or a waveform {wave: ...}, but this is '\(text)'")
        }
        return .bytes(bytes)
    }

    private func heartRate() throws(DeviceFileError) -> HeartRateTemplate {
        if !isMapping { return HeartRateTemplate(rate: .constant(try number("a heart rate", in: 0...65535))) }
        if hasKey("wave") { return HeartRateTemplate(rate: try waveform()) }
        let mapping = try mapping(.heartRate)
        return HeartRateTemplate(
            rate: try mapping.required("rate").waveform(),
            contact: try mapping["contact"].map { node throws(DeviceFileError) in try node.bool("contact") },
            energy: try mapping["energy"].map { node throws(DeviceFileError) in try node.waveform() },
            sendsIntervals: try mapping["intervals"]?.bool("intervals") ?? true)
    }

    /// Reads a waveform, or a number as a constant.
    func waveform() throws(DeviceFileError) -> Waveform { try waveformAndDigits().0 }

    private func waveformAndDigits() throws(DeviceFileError) -> (Waveform, digits: Int) {
        if !isMapping { return (.constant(try number("a number")), 1) }
        enum Shape { case constant, sine, ramp, walk, steps }
        let shape = try mapping(.waveform).required("wave").choice(
            "wave", ["constant": Shape.constant, "sine": .sine, "ramp": .ramp, "walk": .walk, "steps": .steps])
        let keys: [String]
        switch shape {
        case .constant: keys = ["value"]
        case .sine: keys = ["min", "max", "period"]
        case .ramp: keys = ["min", "max", "period", "falling"]
        case .walk: keys = ["min", "max", "step", "every"]
        case .steps: keys = ["values", "period"]
        }
        let mapping = try mapping(FileKeys.waveform.only(["wave", "digits"] + keys, of: "a waveform \(shape)"))
        let digits = try mapping["digits"]?.integer("digits", in: 0...7) ?? 1
        func range() throws(DeviceFileError) -> ClosedRange<Double> {
            let (low, high) = (try mapping.required("min").number("min"), try mapping.required("max").number("max"))
            guard low <= high else { throw mapping.place(of: "min").error("min is greater than max") }
            return low...high
        }
        switch shape {
        case .constant: return (.constant(try mapping.required("value").number("value")), digits)
        case .sine:
            return (.sine(try range(), period: try mapping.required("period").positive("period")), digits)
        case .ramp:
            let falls = try mapping["falling"]?.bool("falling") ?? false
            return (.ramp(try range(), period: try mapping.required("period").positive("period"), falls: falls), digits)
        case .walk:
            let range = try range()
            let step = try mapping["step"]?.number("step") ?? (range.upperBound - range.lowerBound) / 10
            let every = try mapping["every"]?.positive("every") ?? .seconds(1)
            return (.walk(range, step: step, every: every), digits)
        case .steps:
            var values: [Double] = []
            for element in try mapping.required("values").list("values") {
                values.append(try element.number("a value"))
            }
            guard !values.isEmpty else {
                throw mapping.place(of: "values").error("values requires at least one number")
            }
            let period = try mapping["period"]?.positive("period") ?? .seconds(values.count)
            return (.steps(values, period: period), digits)
        }
    }

    private func positive(_ what: String) throws(DeviceFileError) -> Duration {
        try duration(what, atLeast: .milliseconds(1))
    }
}
#endif
