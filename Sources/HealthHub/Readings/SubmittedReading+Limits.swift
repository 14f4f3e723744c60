import JSON

extension SubmittedReading {
    /// The maximum length of an attribute of a device, or of an identifier, in octets of UTF-8. Names of devices have
    /// at most 248 (Core 6.0, Vol 4, Part E, 7.3.11).
    private static let longestText = 1000
    /// The maximum size of the decoded fields, in octets of their names and values.
    private static let largestFields = 1 << 16

    func checkTexts() throws(ReadingProblem) {
        let texts = [
            ("id", id), ("characteristic", characteristic), ("deviceTime", deviceTime), ("time", time),
            ("identity", identity),
            ("device.id", device?.id), ("device.serial", device?.serial), ("device.systemID", device?.systemID),
            ("device.address", device?.address), ("device.model", device?.model), ("device.name", device?.name),
        ]
        for case (let name, let text?) in texts {
            guard text.utf8.count <= Self.longestText else {
                throw ReadingProblem("\(name) is longer than \(Self.longestText) octets")
            }
            guard !text.utf8.contains(0) else { throw ReadingProblem("\(name) has a NUL character") }
        }
        var rest = Self.largestFields
        guard fields.map({ JSONValue.object($0).fits(&rest) }) ?? true else {
            throw ReadingProblem("fields are larger than \(Self.largestFields) octets")
        }
    }
}

extension JSONValue {
    /// Subtracts the size of the names and values from `rest`; returns false if it exceeds that.
    fileprivate func fits(_ rest: inout Int) -> Bool {
        rest -= 4
        switch self {
        case .string(let text): rest -= text.utf8.count
        case .array(let list): return list.allSatisfy { $0.fits(&rest) }
        case .object(let object):
            return object.allSatisfy { name, node in
                rest -= name.utf8.count
                return node.fits(&rest)
            }
        case .decimal(let digits): rest -= digits.utf8.count
        case .null, .bool, .int, .number: break
        }
        return rest >= 0
    }
}
