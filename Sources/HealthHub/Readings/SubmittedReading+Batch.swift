import Foundation
import JSON

/// Batches of readings without `JSONDecoder`, which takes several times as long.
extension SubmittedReading {
    /// Returns the readings of the JSON `{"readings":[...]}`; nil for invalid JSON, and if a member has a value of
    /// another type. `JSONDecoder` then describes the error.
    package static func batch(_ octets: [UInt8]) -> [SubmittedReading]? {
        guard case .object(let batch)? = try? JSONValue(parsing: octets), case .array(let list)? = batch["readings"]
        else {
            return nil
        }
        var readings: [SubmittedReading] = []
        readings.reserveCapacity(list.count)
        for json in list {
            guard let reading = SubmittedReading(json) else { return nil }
            readings.append(reading)
        }
        return readings
    }

    private init?(_ json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        self.init()
        for (name, value) in members where value != .null {
            switch (CodingKeys(rawValue: name), value) {
            case (.id, .string(let text)): id = text
            case (.characteristic, .string(let text)): characteristic = text
            case (.hex, .string(let text)): hex = text
            case (.deviceTime, .string(let text)): deviceTime = text
            case (.time, .string(let text)): time = text
            case (.gateway, .string(let text)): gateway = text
            case (.identity, .string(let text)): identity = text
            case (.simulated, .bool(let flag)): simulated = flag
            case (.retracted, .bool(let flag)): retracted = flag
            case (.clockOffset, .int), (.clockOffset, .decimal):
                guard let number = value.number else { return nil }
                clockOffset = number
            case (.device, .object(let members)):
                guard let device = Device(members) else { return nil }
                self.device = device
            case (.fields, .object(let members)):
                guard case .object(let fields)? = FieldNode(.object(members)) else { return nil }
                self.fields = fields
            case (nil, _): break
            default: return nil
            }
        }
    }
}

extension SubmittedReading.Device {
    fileprivate init?(_ members: [String: JSONValue]) {
        self.init()
        for (name, value) in members where value != .null {
            switch (CodingKeys(rawValue: name), value) {
            case (.id, .string(let text)): id = text
            case (.serial, .string(let text)): serial = text
            case (.systemID, .string(let text)): systemID = text
            case (.address, .string(let text)): address = text
            case (.model, .string(let text)): model = text
            case (.name, .string(let text)): self.name = text
            case (nil, _): break
            default: return nil
            }
        }
    }
}

extension FieldNode {
    fileprivate init?(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .flag(flag)
        case .string(let text): self = .text(text)
        case .int(let number): self = .number(Decimal(number))
        case .number, .decimal:
            guard let number = json.digits.flatMap(Self.decimal) else { return nil }
            self = .number(number)
        case .array(let list):
            var nodes: [FieldNode] = []
            for json in list {
                guard let node = FieldNode(json) else { return nil }
                nodes.append(node)
            }
            self = .list(nodes)
        case .object(let members):
            var nodes: [String: FieldNode] = [:]
            for (name, json) in members {
                guard let node = FieldNode(json) else { return nil }
                nodes[name] = node
            }
            self = .object(nodes)
        }
    }
}
