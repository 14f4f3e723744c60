#if Programs
import Harald

extension DeviceFile {
    /// The text of a device file with the advertising, the attributes and the constant values of the device.
    ///
    /// Values that change over time, permissions, write behaviour and programs are omitted. They are unknown of a
    /// cloned device, and the format has no programs.
    package var yaml: String {
        var lines = DeviceFileLines()
        lines.add("name: \(YAMLText.quoted(name))")
        switch address {
        case .automatic: break
        case .public: lines.add("address: public")
        case .randomStatic(let address): lines.add("address: \(address.text)")
        }
        if appearance != .unknown { lines.add("appearance: \(appearance.rawValue)") }
        if let passkey { lines.add("passkey: \(YAMLText.quoted(Self.digits(passkey)))") }
        if replacesBonds { lines.add("replacesBonds: true") }
        if let disconnectAfter { lines.add("disconnectAfter: \(YAMLText.duration(disconnectAfter))") }
        lines.add(advertising)
        if !addsGenericServices { lines.add("genericServices: false") }
        lines.add(channels)
        lines.add(services)
        return lines.text
    }

    private static func digits(_ number: UInt32) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}

/// Formats YAML fragments.
package enum YAMLText {
    /// Returns a double-quoted string with unprintable characters escaped.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case " ": result += " "
            default:
                if isPrintable(scalar) {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true
        }
    }

    /// Returns bytes as a value.
    static func bytes(_ bytes: [UInt8]) -> String { "{hex: \(quoted(bytes.hexText(separator: " ")))}" }

    /// Returns a duration in milliseconds: "250 ms".
    static func duration(_ duration: Duration) -> String {
        let microseconds = Int((duration / .microseconds(1)).rounded())
        return microseconds % 1000 == 0 ? "\(microseconds / 1000) ms" : "\(Double(microseconds) / 1000) ms"
    }
}

/// The lines of a device file.
private struct DeviceFileLines {
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func add(_ line: String, indent: Int = 0) { lines.append(String(repeating: " ", count: indent) + line) }

    mutating func add(_ advertising: DeviceAdvertising) {
        add("advertise:")
        add("interval: \(YAMLText.duration(advertising.interval))", indent: 2)
        if let duration = advertising.duration { add("duration: \(YAMLText.duration(duration))", indent: 2) }
        if !advertising.isConnectable { add("connectable: false", indent: 2) }
        if let raw = advertising.raw {
            add("raw: \(YAMLText.quoted(raw.hexText(separator: " ")))", indent: 2)
        } else {
            addFields(advertising)
        }
        if let response = advertising.rawScanResponse {
            add("scanResponse: \(YAMLText.quoted(response.hexText(separator: " ")))", indent: 2)
        }
    }

    private mutating func addFields(_ advertising: DeviceAdvertising) {
        if !advertising.includesName { add("name: false", indent: 2) }
        if let name = advertising.name { add("name: \(YAMLText.quoted(name))", indent: 2) }
        if advertising.includesAppearance { add("appearance: true", indent: 2) }
        if advertising.flags != .standard {
            add("flags: \(advertising.flags.map { "\($0.rawValue)" } ?? "none")", indent: 2)
        }
        if let services = advertising.services { add("services: \(Self.list(services))", indent: 2) }
        if !advertising.solicitedServices.isEmpty {
            add("solicitedServices: \(Self.list(advertising.solicitedServices))", indent: 2)
        }
        if !advertising.manufacturerData.isEmpty {
            add("manufacturerData:", indent: 2)
            for data in advertising.manufacturerData {
                add("- {company: \(data.company.rawValue), data: \(YAMLText.bytes(data.data))}", indent: 4)
            }
        }
        if !advertising.serviceData.isEmpty {
            add("serviceData:", indent: 2)
            for (uuid, bytes) in advertising.serviceData.sorted(by: { $0.key < $1.key }) {
                add("- {service: \(YAMLText.quoted("\(uuid)")), data: \(YAMLText.bytes(bytes))}", indent: 4)
            }
        }
        if let power = advertising.txPower { add("txPower: \(power)", indent: 2) }
    }

    private static func list(_ uuids: [BluetoothUUID]) -> String {
        "[" + uuids.map { YAMLText.quoted("\($0)") }.joined(separator: ", ") + "]"
    }

    mutating func add(_ channels: [DeviceChannel]) {
        if !channels.isEmpty { add("l2cap:") }
        for channel in channels {
            var parts = ["psm: \(channel.psm)"]
            switch channel.behaviour {
            case .echo: parts.append("behaviour: echo")
            case .sink: parts.append("behaviour: sink")
            case .source(let length): parts += ["behaviour: source", "length: \(length)"]
            }
            if channel.requiresEncryption { parts.append("encrypted: true") }
            add("- {\(parts.joined(separator: ", "))}", indent: 2)
        }
    }

    mutating func add(_ services: [DeviceService]) {
        guard !services.isEmpty else { return }
        add("services:")
        for service in services {
            add("- uuid: \(YAMLText.quoted("\(service.uuid)"))", indent: 2)
            if !service.isPrimary { add("primary: false", indent: 4) }
            if let name = service.name { add("name: \(YAMLText.quoted(name))", indent: 4) }
            if !service.includes.isEmpty {
                let includes = service.includes.map { include in
                    switch include {
                    case .uuid(let uuid): YAMLText.quoted("\(uuid)")
                    case .name(let name): YAMLText.quoted(name)
                    }
                }
                add("includes: [\(includes.joined(separator: ", "))]", indent: 4)
            }
            if let handle = service.handle { add("handle: \(handle)", indent: 4) }
            if let handle = service.endHandle { add("endHandle: \(handle)", indent: 4) }
            if !service.characteristics.isEmpty { add("characteristics:", indent: 4) }
            for characteristic in service.characteristics { add(characteristic) }
        }
    }

    private static let properties = [
        "read", "write", "writeWithoutResponse", "notify", "indicate", "broadcast", "authenticatedSignedWrites",
        "extendedProperties",
    ]

    private mutating func add(_ characteristic: DeviceCharacteristic) {
        add("- uuid: \(YAMLText.quoted("\(characteristic.uuid)"))", indent: 6)
        let properties = characteristic.properties.names.filter { Self.properties.contains($0) }
        add("properties: [\(properties.joined(separator: ", "))]", indent: 8)
        addDemands(characteristic)
        if let handle = characteristic.handle { add("handle: \(handle)", indent: 8) }
        if let bytes = characteristic.value.fixedBytes, !bytes.isEmpty {
            add("value: \(YAMLText.bytes(bytes))", indent: 8)
        }
        if let every = characteristic.notifyEvery { add("notifyEvery: \(YAMLText.duration(every))", indent: 8) }
        if let text = characteristic.description { add("description: \(YAMLText.quoted(text))", indent: 8) }
        add(characteristic.descriptors)
    }

    /// Writes the security of subscriptions as `security`, and all other requirements as `permissions`.
    private mutating func addDemands(_ characteristic: DeviceCharacteristic) {
        if let permissions = characteristic.permissions {
            add("permissions: \(Self.list(permissions))", indent: 8)
        }
        let demands: CharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
        if !characteristic.properties.isDisjoint(with: demands) {
            let permissions = characteristic.permissions ?? []
            let word =
                permissions.contains(.secureConnectionsRequired)
                ? "secureConnections"
                : permissions.contains(.readAuthenticationRequired) ? "authenticated" : "encrypted"
            add("security: \(word)", indent: 8)
        }
        if let hasConfiguration = characteristic.hasConfiguration { add("cccd: \(hasConfiguration)", indent: 8) }
    }

    private mutating func add(_ descriptors: [DeviceDescriptor]) {
        if !descriptors.isEmpty { add("descriptors:", indent: 8) }
        for descriptor in descriptors {
            var parts = ["uuid: \(YAMLText.quoted("\(descriptor.uuid)"))"]
            // The stack keeps the value of a configuration for each central.
            if descriptor.uuid != 0x2902 {
                parts.append("value: \(YAMLText.bytes(descriptor.value))")
                if descriptor.permissions != .readable {
                    parts.append("permissions: \(Self.list(descriptor.permissions))")
                }
            }
            if let handle = descriptor.handle { parts.append("handle: \(handle)") }
            add("- {\(parts.joined(separator: ", "))}", indent: 10)
        }
    }

    private static func list(_ permissions: AttributePermissions) -> String {
        let names: [(AttributePermissions, String)] = [
            (.readable, "readable"), (.writeable, "writeable"), (.readEncryptionRequired, "readEncrypted"),
            (.writeEncryptionRequired, "writeEncrypted"), (.readAuthenticationRequired, "readAuthenticated"),
            (.writeAuthenticationRequired, "writeAuthenticated"), (.secureConnectionsRequired, "secureConnections"),
        ]
        return "[" + names.filter { permissions.contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}
#endif
