import BluetoothProfiles
import Harald

/// A value of a characteristic or a descriptor, as a JSON object and as text.
package struct CharacteristicValue: Sendable {
    package let characteristic: Characteristic
    /// The descriptor with the value; nil for a value of the characteristic itself.
    package let descriptor: Descriptor?
    package let value: ValueText

    /// Creates the value of a characteristic.
    /// - Parameter format: its Characteristic Presentation Format; nil if there is none.
    package init(
        _ bytes: [UInt8], of characteristic: Characteristic, format: CharacteristicPresentationFormat? = nil
    ) {
        self.characteristic = characteristic
        descriptor = nil
        value = ValueText(bytes, of: characteristic.uuid, format: format)
    }

    package init(_ bytes: [UInt8], of descriptor: Descriptor) {
        characteristic = descriptor.characteristic
        self.descriptor = descriptor
        value = ValueText(bytes, of: descriptor.uuid)
    }

    /// Returns a JSON object with the device, the attribute, the value, and the additional members `more`.
    package func json(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let peripheral = characteristic.peripheral
        let (name, attribute) =
            descriptor.map { ($0.name, $0.handle) } ?? (characteristic.name, characteristic.valueHandle)
        var object = value.json
        object["device"] = ["id": .string(peripheral.id.description), "name": .optional(peripheral.name)]
        object["service"] = .string(characteristic.service.uuid.description)
        object["characteristic"] = .string(characteristic.uuid.description)
        if let descriptor { object["descriptor"] = .string(descriptor.uuid.description) }
        object["name"] = .optional(name)
        object["handle"] = .int(Int(attribute.rawValue))
        return .object(object.merging(more) { $1 })
    }

    /// "Battery Level"; "Client Characteristic Configuration of Battery Level".
    package var title: String {
        let name = characteristic.name ?? characteristic.uuid.description
        return descriptor.map { "\($0.name ?? $0.uuid.description) of \(name)" } ?? name
    }

    /// "Battery Level: 85 %  (55)"
    package var line: String { "\(title): \(value.line)" }
}

extension Characteristic {
    /// Reads the Characteristic Presentation Format (Core 6.0, Vol 3, Part G, 3.3.3.5), if the type of the value is
    /// unknown. A value with several formats has none that applies to all of it.
    /// - Parameter discovers: true to discover the descriptors, if none is known.
    /// - Returns: nil if the type is known, or there is no single format that can be read.
    package func presentationFormat(
        timeout: Duration, discovers: Bool = false
    ) async -> CharacteristicPresentationFormat? {
        guard Profiles.type(of: uuid) == nil else { return nil }
        var all = descriptors
        if all.isEmpty, discovers { all = (try? await discoverDescriptors(timeout: timeout)) ?? [] }
        let formats = all.filter { $0.uuid == CharacteristicPresentationFormat.uuid }
        guard formats.count == 1, let bytes = try? await formats[0].read(timeout: timeout) else { return nil }
        return try? CharacteristicPresentationFormat(bytes: bytes)
    }
}
