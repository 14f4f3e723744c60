import VirtualDevices

/// An expectation about a number or a word: equal to one of several values, or within a range.
struct NumberTest: Hashable, Sendable {
    var least: Double?
    var greatest: Double?
    /// The allowed values as text; nil if any is allowed.
    var values: [String]?
    var isNegated = false

    /// Reads `5`, `{min: 1, max: 9}`, `{in: [1, 2]}` or `{not: 0}`.
    /// - Parameter isNumber: true if only numbers are allowed.
    init(_ node: FileNode, _ what: String, isNumber: Bool = true) throws(DeviceFileError) {
        guard node.isMapping else {
            values = [try Self.value(node, what, isNumber)]
            return
        }
        let mapping = try node.mapping(what, keys: FileKeys.number.names)
        if let node = mapping["min"] { least = try node.number("min") }
        if let node = mapping["max"] { greatest = try node.number("max") }
        if let least, let greatest, least > greatest { throw mapping.place(of: "min").error("min is greater than max") }
        if let not = mapping["not"] {
            guard least == nil, greatest == nil, mapping["in"] == nil else {
                throw mapping.place(of: "not").error(
                    "'not' cannot be combined with other conditions: {not: 0}, {not: [1, 2]}")
            }
            isNegated = true
            values = try not.listOrOne().map { node throws(DeviceFileError) in try Self.value(node, what, isNumber) }
        }
        if let list = mapping["in"] {
            values = try list.list("in").map { node throws(DeviceFileError) in try Self.value(node, what, isNumber) }
        }
        guard least != nil || greatest != nil || values != nil else {
            throw node.error("\(what) must be a value, {min: 1, max: 9}, {in: [1, 2]} or {not: 0}")
        }
    }

    /// Reads a minimum such as `-80`, or any other form of an expectation.
    init(minimum node: FileNode, _ what: String) throws(DeviceFileError) {
        try self.init(node, what)
        guard !node.isMapping, let text = values?.first else { return }
        (least, values) = (Self.number(text), nil)
    }

    private static func value(_ node: FileNode, _ what: String, _ isNumber: Bool) throws(DeviceFileError) -> String {
        let text = try node.string(what)
        if isNumber, number(text) == nil { throw node.error("\(what) must be a number, not '\(text)'") }
        return text
    }

    static func number(_ text: String) -> Double? {
        if text.lowercased().hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map { Double($0) } }
        return Double(text)
    }

    /// Returns true if a value meets the expectation. `texts` has its alternative notations, such as name and code.
    func accepts(_ texts: [String]) -> Bool {
        if least != nil || greatest != nil {
            guard let number = texts.lazy.compactMap(Self.number).first, !number.isNaN else { return false }
            if let least, number < least { return false }
            if let greatest, number > greatest { return false }
        }
        guard let values else { return true }
        return values.contains { wanted in texts.contains { Self.equal($0, wanted) } } != isNegated
    }

    private static func equal(_ left: String, _ right: String) -> Bool {
        if left.lowercased() == right.lowercased() { return true }
        // Integers beyond 2^53 are compared as decimal text, above.
        guard let first = number(left), let second = number(right), abs(first) < 9e15 else { return false }
        return first == second
    }
}

extension NumberTest: CustomStringConvertible {
    /// "5", "1 to 9", "from 1", "1 or 2", "not 0".
    var description: String {
        var parts: [String] = []
        switch (least, greatest) {
        case (let least?, let greatest?): parts.append("\(Self.text(least)) to \(Self.text(greatest))")
        case (let least?, nil): parts.append("from \(Self.text(least))")
        case (nil, let greatest?): parts.append("up to \(Self.text(greatest))")
        case (nil, nil): break
        }
        if let values { parts.append((isNegated ? "not " : "") + values.joined(separator: " or ")) }
        return parts.joined(separator: ", ")
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }
}
