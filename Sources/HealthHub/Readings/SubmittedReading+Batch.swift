import Foundation
import JSON

extension SubmittedReading {
    /// Returns the readings of the JSON `{"readings":[...]}`. An element that is not a reading has a ``problem``.
    /// - Throws: ``ReadingProblem`` for JSON without such a list.
    package static func batch(_ octets: [UInt8]) throws(ReadingProblem) -> [SubmittedReading] {
        let json: JSONValue
        do { json = try JSONValue(parsing: octets) } catch { throw ReadingProblem("\(error)") }
        guard case .array(let list)? = json["readings"] else {
            throw ReadingProblem("`readings` is \(json["readings"] == nil ? "missing" : "not a list")")
        }
        return list.map { json in
            do throws(ReadingProblem) {
                return try SubmittedReading(json)
            } catch {
                var reading = SubmittedReading()
                reading.problem = error.description
                return reading
            }
        }
    }

    /// Creates a reading from the object of a gateway.
    /// - Throws: ``ReadingProblem`` for another value, and for a member with a value of another type.
    package init(_ json: JSONValue) throws(ReadingProblem) {
        guard case .object(let members) = json else { throw ReadingProblem("a reading must be an object") }
        self.init()
        let form = Members(members: members, path: "")
        id = try form.text("id")
        characteristic = try form.text("characteristic")
        hex = try form.text("hex")
        deviceTime = try form.text("deviceTime")
        time = try form.text("time")
        gateway = try form.text("gateway")
        identity = try form.text("identity")
        simulated = try form.value("simulated", \.flag)
        retracted = try form.value("retracted", \.flag)
        clockOffset = try form.value("clockOffset", \.number)
        fields = try form.value("fields", \.members)
        guard let device = try form.value("device", \.members) else { return }
        let own = Members(members: device, path: "device.")
        self.device = Device(
            id: try own.text("id"), serial: try own.text("serial"), systemID: try own.text("systemID"),
            address: try own.text("address"), model: try own.text("model"), name: try own.text("name"))
    }

    /// The members of an object; null is the same as none.
    private struct Members {
        let members: [String: JSONValue]
        let path: String

        func value<Value>(_ name: String, _ value: (JSONValue) -> Value?) throws(ReadingProblem) -> Value? {
            guard let json = members[name], json != .null else { return nil }
            guard let value = value(json) else {
                throw ReadingProblem("\(path)\(name) has another type")
            }
            return value
        }

        func text(_ name: String) throws(ReadingProblem) -> String? { try value(name, \.string) }
    }
}

extension JSONValue {
    /// The members of an object; nil for other values.
    var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
