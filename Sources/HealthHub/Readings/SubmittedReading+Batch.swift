#if Programs
import Foundation

/// Batches of readings without `JSONDecoder`, which takes several times as long.
extension SubmittedReading {
    /// Returns the readings of the JSON `{"readings":[...]}`; nil for invalid JSON, and if a member has a value of
    /// another type. `JSONDecoder` then describes the error.
    package static func batch(_ octets: [UInt8]) -> [SubmittedReading]? {
        guard case .object(let batch)? = try? JSONText(octets), case .list(let list)? = batch["readings"] else {
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

    private init?(_ json: JSONText) {
        guard case .object(let members) = json else { return nil }
        self.init()
        for (name, value) in members where value != .null {
            switch (CodingKeys(rawValue: name), value) {
            case (.id, .text(let text)): id = text
            case (.characteristic, .text(let text)): characteristic = text
            case (.hex, .text(let text)): hex = text
            case (.deviceTime, .text(let text)): deviceTime = text
            case (.time, .text(let text)): time = text
            case (.gateway, .text(let text)): gateway = text
            case (.identity, .text(let text)): identity = text
            case (.simulated, .flag(let flag)): simulated = flag
            case (.retracted, .flag(let flag)): retracted = flag
            case (.clockOffset, .number(let text)):
                guard let number = Double(text), number.isFinite else { return nil }
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
    fileprivate init?(_ members: [String: JSONText]) {
        self.init()
        for (name, value) in members where value != .null {
            switch (CodingKeys(rawValue: name), value) {
            case (.id, .text(let text)): id = text
            case (.serial, .text(let text)): serial = text
            case (.systemID, .text(let text)): systemID = text
            case (.address, .text(let text)): address = text
            case (.model, .text(let text)): model = text
            case (.name, .text(let text)): self.name = text
            case (nil, _): break
            default: return nil
            }
        }
    }
}

extension FieldNode {
    fileprivate init?(_ json: JSONText) {
        switch json {
        case .null: self = .null
        case .flag(let flag): self = .flag(flag)
        case .text(let text): self = .text(text)
        case .number(let text):
            guard let number = Self.decimal(text) else { return nil }
            self = .number(number)
        case .list(let list):
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
#endif
