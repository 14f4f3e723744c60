import Harald

/// A value of a characteristic, as a JSON object and as lines.
struct CharacteristicValue: Sendable {
    let characteristic: Characteristic
    let value: ValueText

    init(_ bytes: [UInt8], of characteristic: Characteristic) {
        self.characteristic = characteristic
        value = ValueText(bytes, of: characteristic.uuid)
    }

    /// The device, the characteristic and the value, and whatever else there is to say.
    func json(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let peripheral = characteristic.peripheral
        var object = value.json
        object["device"] = ["id": .string(peripheral.id.description), "name": .optional(peripheral.name)]
        object["service"] = .string(characteristic.service.uuid.description)
        object["characteristic"] = .string(characteristic.uuid.description)
        object["name"] = .optional(characteristic.name)
        object["handle"] = .int(Int(characteristic.attribute.rawValue))
        return .object(object.merging(more) { $1 })
    }

    /// "Battery Level: 85 %  (55)"
    var line: String { "\(characteristic.name ?? characteristic.uuid.description): \(value.line)" }
}
