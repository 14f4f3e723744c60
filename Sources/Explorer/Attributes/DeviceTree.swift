import Harald

/// The attributes of a device, for output.
package struct DeviceTree: Hashable, Sendable {
    package struct Descriptor: Hashable, Sendable {
        package var uuid: BluetoothUUID
        package var name: String?
        package var handle: UInt32
        package var value: ValueText?
        /// The reason why the value could not be read.
        package var problem: String?
    }

    package struct Characteristic: Hashable, Sendable {
        package var uuid: BluetoothUUID
        package var name: String?
        package var handle: UInt32
        package var properties: [String]
        package var value: ValueText?
        /// The reason why the value could not be read.
        package var problem: String?
        package var descriptors: [Descriptor] = []
    }

    /// An included service.
    package struct Include: Hashable, Sendable {
        package var uuid: BluetoothUUID
        package var handle: UInt32
    }

    package struct Service: Hashable, Sendable {
        package var uuid: BluetoothUUID
        package var name: String?
        package var handle: UInt32
        package var isPrimary = true
        package var includes: [Include] = []
        package var characteristics: [Characteristic] = []
    }

    package var id: PeripheralID
    package var name: String?
    /// The name in the advertisement; nil if there is none, or it was not received.
    package var advertisedName: String?
    /// The value of the characteristic Device Name of the GAP service; nil if it cannot be read.
    package var deviceName: String?
    package var address: String?
    package var mtu: Int
    package var services: [Service] = []
    /// The attributes that violate the specification, as far as they were recorded, and their total number.
    package var skipped: [SkippedAttribute] = []
    package var skippedCount = 0

    /// The number of values that could not be read.
    package var problemCount: Int {
        services.flatMap(\.characteristics).reduce(0) { count, characteristic in
            count + (characteristic.problem == nil ? 0 : 1)
                + characteristic.descriptors.filter { $0.problem != nil }.count
        }
    }

    /// One object.
    package var json: JSONValue { json { _ in [:] } }

    /// One object; adds to each value the members that `more` returns for its bytes.
    package func json(_ more: ([UInt8]) -> [String: JSONValue]) -> JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "advertisedName": .optional(advertisedName),
            "deviceName": .optional(deviceName), "address": .optional(address), "mtu": .int(mtu),
            "services": .array(services.map { Self.json($0, more) }), "skipped": .array(skipped.map(Self.json)),
            "skippedCount": .int(skippedCount),
        ]
    }

    /// The skipped attributes in one line; nil if there are none.
    package var skippedText: String? {
        guard skippedCount > 0 else { return nil }
        let parts = skipped.prefix(5).map {
            "\($0.kind.text) at \(HandleText.text($0.attribute.rawValue)): \($0.reason)"
        }
        let rest = skippedCount - parts.count
        let subject = skippedCount.counted("attribute that violates", "attributes that violate")
        return "skipped \(subject) the specification: "
            + (parts + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
    }

    fileprivate static func json(_ skipped: SkippedAttribute) -> JSONValue {
        [
            "kind": .string(skipped.kind.rawValue), "handle": .int(Int(skipped.attribute.rawValue)),
            "reason": .string(skipped.reason),
        ]
    }

    private static func json(_ include: Include) -> JSONValue {
        ["uuid": .string(include.uuid.description), "handle": .int(Int(include.handle))]
    }

    fileprivate static func json(
        _ service: Service, _ more: ([UInt8]) -> [String: JSONValue]
    ) -> JSONValue {
        [
            "uuid": .string(service.uuid.description), "name": .optional(service.name),
            "handle": .int(Int(service.handle)), "primary": .bool(service.isPrimary),
            "includes": .array(service.includes.map(json)),
            "characteristics": .array(service.characteristics.map { json($0, more) }),
        ]
    }

    fileprivate static func json(
        _ characteristic: Characteristic, _ more: ([UInt8]) -> [String: JSONValue]
    ) -> JSONValue {
        var object = characteristic.value.map { $0.json.merging(more($0.bytes)) { $1 } } ?? [:]
        if let problem = characteristic.problem { object["problem"] = .string(problem) }
        object["uuid"] = .string(characteristic.uuid.description)
        object["name"] = .optional(characteristic.name)
        object["handle"] = .int(Int(characteristic.handle))
        object["properties"] = .array(characteristic.properties.map { .string($0) })
        object["descriptors"] = .array(characteristic.descriptors.map { json($0, more) })
        return .object(object)
    }

    fileprivate static func json(
        _ descriptor: Descriptor, _ more: ([UInt8]) -> [String: JSONValue]
    ) -> JSONValue {
        var object = descriptor.value.map { $0.json.merging(more($0.bytes)) { $1 } } ?? [:]
        if let problem = descriptor.problem { object["problem"] = .string(problem) }
        object["uuid"] = .string(descriptor.uuid.description)
        object["name"] = .optional(descriptor.name)
        object["handle"] = .int(Int(descriptor.handle))
        return .object(object)
    }
}

extension DeviceTree.Service {
    /// One object.
    var json: JSONValue { DeviceTree.json(self) { _ in [:] } }
}

extension DeviceTree.Characteristic {
    /// One object.
    var json: JSONValue { DeviceTree.json(self) { _ in [:] } }
}

extension DeviceTree.Descriptor {
    /// One object.
    var json: JSONValue { DeviceTree.json(self) { _ in [:] } }
}

extension SkippedAttribute.Kind {
    /// The kind in words.
    fileprivate var text: String {
        switch self {
        case .service: "service"
        case .includedService: "included service"
        case .characteristic: "characteristic"
        case .descriptor: "descriptor"
        }
    }
}
