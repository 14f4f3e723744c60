import Harald

/// The attributes of a device, to be printed.
struct DeviceTree: Hashable, Sendable {
    struct Descriptor: Hashable, Sendable {
        var uuid: BluetoothUUID
        var name: String?
        var handle: UInt32
        var value: ValueText?
    }

    struct Characteristic: Hashable, Sendable {
        var uuid: BluetoothUUID
        var name: String?
        var handle: UInt32
        var properties: [String]
        var value: ValueText?
        var descriptors: [Descriptor] = []
    }

    struct Service: Hashable, Sendable {
        var uuid: BluetoothUUID
        var name: String?
        var handle: UInt32
        var isPrimary = true
        var characteristics: [Characteristic] = []
    }

    var id: PeripheralID
    var name: String?
    var address: String?
    var mtu: Int
    var services: [Service] = []

    /// One line for the device and one for each attribute; with a width no line has more columns, and what is longer
    /// goes on in the next one.
    func lines(width: Int?) -> [String] {
        var lines: [String] = []
        func add(_ line: String, indent: String = "") {
            let safe = TerminalText.safe(line)
            lines += width.map { TerminalText.wrap(safe, to: $0, indent: indent + "   ") } ?? [safe]
        }
        add([name ?? "-", address ?? id.description, "MTU \(mtu)"].joined(separator: "  "))
        for (index, service) in services.enumerated() {
            let isLast = index == services.count - 1
            let title = [service.uuid.description, service.name, service.isPrimary ? nil : "(secondary)"]
            let indent = isLast ? "   " : "│  "
            add((isLast ? "└─ " : "├─ ") + title.compactMap { $0 }.joined(separator: " "), indent: indent)
            for (number, characteristic) in service.characteristics.enumerated() {
                let isLast = number == service.characteristics.count - 1
                let inner = indent + (isLast ? "   " : "│  ")
                add(
                    indent + (isLast ? "└─ " : "├─ ") + Self.text(characteristic),
                    indent: inner + (characteristic.descriptors.isEmpty ? "   " : "│  "))
                for descriptor in characteristic.descriptors {
                    let isLast = descriptor == characteristic.descriptors.last
                    add(
                        inner + (isLast ? "└─ " : "├─ ") + Self.text(descriptor),
                        indent: inner + (isLast ? "   " : "│  "))
                }
            }
        }
        return lines
    }

    private static func text(_ characteristic: Characteristic) -> String {
        let parts = [
            characteristic.uuid.description, characteristic.name,
            "[\(characteristic.properties.joined(separator: " "))]",
            "#\(HandleText.text(characteristic.handle))", characteristic.value.map { "= \($0.line)" },
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    private static func text(_ descriptor: Descriptor) -> String {
        let parts = [
            descriptor.uuid.description, descriptor.name, "#\(HandleText.text(descriptor.handle))",
            descriptor.value.map { "= \($0.line)" },
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }

    /// One object.
    var json: JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "address": .optional(address), "mtu": .int(mtu),
            "services": .array(services.map(Self.json)),
        ]
    }

    private static func json(_ service: Service) -> JSONValue {
        [
            "uuid": .string(service.uuid.description), "name": .optional(service.name),
            "handle": .int(Int(service.handle)), "primary": .bool(service.isPrimary),
            "characteristics": .array(service.characteristics.map(json)),
        ]
    }

    private static func json(_ characteristic: Characteristic) -> JSONValue {
        var object = characteristic.value?.json ?? [:]
        object["uuid"] = .string(characteristic.uuid.description)
        object["name"] = .optional(characteristic.name)
        object["handle"] = .int(Int(characteristic.handle))
        object["properties"] = .array(characteristic.properties.map { .string($0) })
        object["descriptors"] = .array(characteristic.descriptors.map(json))
        return .object(object)
    }

    private static func json(_ descriptor: Descriptor) -> JSONValue {
        var object = descriptor.value?.json ?? [:]
        object["uuid"] = .string(descriptor.uuid.description)
        object["name"] = .optional(descriptor.name)
        object["handle"] = .int(Int(descriptor.handle))
        return .object(object)
    }
}
