#if Programs
import BluetoothProfiles
import Harald

/// Reads formats of advertised values that a user declares in a YAML file.
package enum FormatFile {
    /// Reads a file.
    /// - Throws: ``DeviceFileError`` with line and column, also for an example that has other values.
    package static func read(_ path: String) throws(DeviceFileError) -> [DeclaredFormat] {
        try formats(try DeviceDocument.text(of: path), file: path)
    }

    /// Parses the text of a file.
    /// - Throws: ``DeviceFileError`` with line and column, also for an example that has other values.
    package static func formats(_ text: String, file: String) throws(DeviceFileError) -> [DeclaredFormat] {
        let root = try DeviceDocument.root(text, file, least: "a file of formats requires 'formats: [...]'")
        var formats: [DeclaredFormat] = []
        for node in try root.mapping("a file of formats", keys: ["formats"]).required("formats").list("formats") {
            let format = try format(node)
            guard !formats.contains(where: { $0.kind == format.kind }) else {
                throw node.error("two formats are named '\(format.kind)'")
            }
            formats.append(format)
        }
        return formats
    }

    private static func format(_ node: FileNode) throws(DeviceFileError) -> DeclaredFormat {
        let mapping = try node.mapping(
            "a format", keys: ["kind", "title", "company", "service", "start", "name", "fields", "examples"])
        let kind = try mapping.required("kind")
        let name = try kind.string("kind")
        guard !name.isEmpty, name.utf8.allSatisfy(isWord) else {
            throw kind.error("kind must have letters, digits and '-', but this is '\(name)'")
        }
        guard !AdvertisedFormats.all.contains(where: { $0.kind == name }) else {
            throw kind.error("'\(name)' is a known format; choose another kind")
        }
        let place: AdvertisedPlace
        switch (mapping["company"], mapping["service"]) {
        case (let company?, nil): place = .manufacturer(try company.company())
        case (nil, let service?): place = .service(try service.uuid("a service", .service))
        default: throw node.error("a format requires either 'company' or 'service'")
        }
        var format = DeclaredFormat(
            kind: name, title: try mapping["title"]?.string("title") ?? name, place: place)
        if let start = mapping["start"] { format.start = try start.hex("start") }
        if let name = mapping["name"] { format.name = try name.string("name") }
        for field in try mapping.required("fields").list("fields") { try add(field, to: &format) }
        for example in mapping["examples"]?.listOrOne() ?? [] { try check(example, format) }
        return format
    }

    private static func isWord(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }

    // MARK: Fields

    private static func add(_ node: FileNode, to format: inout DeclaredFormat) throws(DeviceFileError) {
        if let skip = node.value(of: "skip") {
            _ = try node.mapping("a gap", keys: ["skip"])
            format.parts.append(.init("skip", .skip(try skip.integer("skip", in: 1...255))))
            return
        }
        let mapping = try node.mapping(
            "a field",
            keys: [
                "name", "type", "scale", "offset", "unit", "unknown", "codes", "bits", "count", "optional", "detail",
            ])
        let name = mapping["bits"] == nil ? try fieldName(try mapping.required("name")) : "bits"
        var part = DeclaredFormat.Part(name, .text)
        let type = try mapping.required("type")
        let text = try type.string("type")
        switch text {
        case "text": break
        case "bytes":
            part.layout = .bytes(
                try mapping["count"].map { node throws(DeviceFileError) in try node.integer("count", in: 1...255) })
        default: part = try number(part, type, mapping)
        }
        try allow(mapping, for: part.layout)
        if let unit = mapping["unit"] {
            let symbol = try unit.string("unit")
            guard (1...16).contains(symbol.count) else { throw unit.error("unit must have 1 to 16 characters") }
            part.unit = GATTUnit(symbol)
        }
        part.isOptional = try mapping["optional"]?.bool("optional") ?? false
        if try mapping["detail"]?.bool("detail") ?? false { format.details.append(name) }
        format.parts.append(part)
    }

    /// Checks that a field has no key that its type does not use.
    private static func allow(
        _ mapping: FileMapping, for layout: DeclaredFormat.Layout
    ) throws(DeviceFileError) {
        let (numeric, counted): (Bool, Bool) =
            switch layout {
            case .number: (true, false)
            case .bytes: (false, true)
            default: (false, false)
            }
        for key in ["scale", "offset", "unit", "unknown"] where !numeric && mapping[key] != nil {
            throw mapping.place(of: key).error("only numbers have '\(key)'")
        }
        if !counted, mapping["count"] != nil { throw mapping.place(of: "count").error("only bytes have 'count'") }
    }

    private static func number(
        _ part: DeclaredFormat.Part, _ type: FileNode, _ mapping: FileMapping
    ) throws(DeviceFileError) -> DeclaredFormat.Part {
        let text = try type.string("type")
        let known = integers.keys.sorted() + ["sfloat", "medfloat", "text", "bytes"]
        let isBigEndian = text.hasSuffix("be")
        let base = isBigEndian ? String(text.dropLast(2)) : text
        var part = part
        part.isBigEndian = isBigEndian
        if ["sfloat", "medfloat"].contains(base) {
            part.layout = .number(base == "sfloat" ? .sfloat : .float)
            for key in ["scale", "offset", "unknown", "codes", "bits"] where mapping[key] != nil {
                throw mapping.place(of: key).error("a \(base) has no '\(key)'")
            }
            return part
        }
        guard let format = integers[base] else {
            let meant = Spelling.nearest(to: text, among: known).map { "did you mean '\($0)'? " } ?? ""
            throw type.error(
                "no type is named '\(text)'; \(meant)Known: \(known.joined(separator: ", ")); integers with 'be' at the "
                    + "end have the most significant byte first")
        }
        let range = Int(format.range.lowerBound)...Int(format.range.upperBound)
        if let codes = mapping["codes"] {
            part.layout = .code(format, try self.codes(codes, in: range))
        } else if let bits = mapping["bits"] {
            part.layout = .bits(format, try self.bits(bits, atMost: format.byteCount * 8))
        } else {
            let scale = try mapping["scale"].map(decimal) ?? ExactDecimal(1)
            let offset = try mapping["offset"]?.integer("offset", in: -1_000_000_000...1_000_000_000) ?? 0
            let unknown = try mapping["unknown"]?.integer("unknown", in: range)
            let greatest = [format.range.lowerBound, format.range.upperBound].map {
                ($0 + Int64(offset)).multipliedReportingOverflow(by: scale.mantissa)
            }
            guard !greatest.contains(where: { $0.overflow || $0.partialValue.magnitude >= 1_000_000_000_000_000_000 })
            else {
                throw (mapping["scale"] ?? mapping.place).error(
                    "scale is too large: the greatest number of the type would have more than 18 digits")
            }
            part.layout = .number(
                .multiple(format, of: scale, offset: Int64(offset), unknown: unknown.map { Int64($0) }))
        }
        return part
    }

    private static let integers: [String: IntegerFormat] = [
        "u8": .uint8, "i8": .int8, "u16": .uint16, "i16": .int16, "u24": .uint24, "i24": .int24, "u32": .uint32,
        "i32": .int32, "u48": .uint48,
    ]

    private static func codes(
        _ node: FileNode, in range: ClosedRange<Int>
    ) throws(DeviceFileError) -> [Int64: String] {
        var codes: [Int64: String] = [:]
        for (key, value) in try node.entries("codes") {
            codes[Int64(try key.integer("a code", in: range))] = try value.string("the name of a code")
        }
        return codes
    }

    private static func bits(_ node: FileNode, atMost count: Int) throws(DeviceFileError) -> [String?] {
        var bits: [String?] = []
        for element in try node.list("bits") {
            bits.append(try element.string("a bit") == "-" ? nil : try fieldName(element))
        }
        guard bits.count <= count else { throw node.error("the type has \(count) bits, but \(bits.count) are named") }
        return bits
    }

    private static func fieldName(_ node: FileNode) throws(DeviceFileError) -> String {
        let name = try node.string("name")
        guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.allSatisfy(isWord),
            !name.contains("-"), name.utf8.count <= 40
        else {
            throw node.error(
                "name must begin with a lower case letter and have letters and digits, such as 'dewPoint', but this is "
                    + "'\(name)'")
        }
        return name
    }

    /// Reads a decimal number with all its digits.
    private static func decimal(_ node: FileNode) throws(DeviceFileError) -> ExactDecimal {
        let text = try node.string("scale")
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1].count : 0
        guard let mantissa = Int64(parts.joined()), mantissa != 0, text.utf8.count <= 15 else {
            throw node.error("scale must be a decimal number other than 0, such as 0.01, but this is '\(text)'")
        }
        return ExactDecimal(mantissa, exponent: -decimals)
    }

    // MARK: Examples

    private static func check(_ node: FileNode, _ format: DeclaredFormat) throws(DeviceFileError) {
        let mapping = try node.mapping("an example", keys: ["advertisement", "name", "text"])
        let hex = try mapping.required("advertisement")
        let data = AdvertisingData(parsing: try hex.hex("advertisement"))
        let value = data.frames(name: try mapping["name"]?.string("name"), address: nil)
            .filter { $0.place == format.place }.lazy.compactMap(format.value).first
        guard let value else { throw hex.error("the example is not of the format '\(format.kind)'") }
        guard let text = mapping["text"] else {
            guard let problem = value.problem else { return }
            throw hex.error("the example cannot be decoded: \(problem)")
        }
        guard try text.string("text") == value.text else { throw text.error("the example decodes as '\(value.text)'") }
    }
}
#endif
