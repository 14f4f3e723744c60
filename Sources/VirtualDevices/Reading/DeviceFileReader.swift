#if Programs
import Harald

/// Reads a device from its place in a YAML file.
struct DeviceFileReader {
    static let keys = ["name", "address", "appearance", "advertise", "services", "disconnectAfter", "passkey"]

    func device(_ node: FileNode) throws(DeviceFileError) -> DeviceFile {
        let mapping = try node.mapping("a device", keys: Self.keys)
        var device = DeviceFile(name: try mapping.required("name").string("name"))
        if device.name.utf8.count > 248 { throw mapping.place(of: "name").error("a name has at most 248 bytes") }
        if let address = mapping["address"] { device.address = try address.ownAddress() }
        if let appearance = mapping["appearance"] { device.appearance = try appearance.appearance() }
        if let after = mapping["disconnectAfter"] {
            device.disconnectAfter = try after.duration("disconnectAfter", atLeast: .milliseconds(1))
        }
        if let passkey = mapping["passkey"] { device.passkey = try passkey.passkey() }
        if let services = mapping["services"] {
            for service in try services.list("services") {
                device.services.append(try self.service(service, earlier: device.services))
            }
        }
        if let advertise = mapping["advertise"] {
            device.advertising = try AdvertisingReader().advertising(advertise, of: device)
        }
        return device
    }

    private func service(_ node: FileNode, earlier: [DeviceService]) throws(DeviceFileError) -> DeviceService {
        let mapping = try node.mapping(
            "a service", keys: ["uuid", "primary", "includes", "characteristics", "handle"])
        var service = DeviceService(try mapping.required("uuid").uuid("a service", .service))
        if service.uuid == 0x1800 || service.uuid == 0x1801 {
            throw mapping.place(of: "uuid").error("every device has \(service.uuid) already; leave it out")
        }
        service.isPrimary = try mapping["primary"]?.bool("primary") ?? true
        service.handle = try handle(mapping)
        for element in mapping["includes"]?.listOrOne() ?? [] {
            let uuid = try element.uuid("an included service", .service)
            guard earlier.contains(where: { $0.uuid == uuid }) else {
                throw element.error("\(uuid) is included before it is there: put that service first")
            }
            service.includes.append(uuid)
        }
        let nodes = try mapping["characteristics"].map { node throws(DeviceFileError) in
            try node.list("characteristics")
        }
        for element in nodes ?? [] { service.characteristics.append(try characteristic(element)) }
        try check(service, nodes ?? [])
        return service
    }

    /// Answers to writes have to come from a characteristic that can send.
    private func check(_ service: DeviceService, _ nodes: [FileNode]) throws(DeviceFileError) {
        for (characteristic, node) in zip(service.characteristics, nodes) where characteristic.onWrite.answers {
            guard service.characteristic(answering: characteristic) == nil else { continue }
            if let from = characteristic.onWrite.answersOn {
                throw node.error("\(characteristic.uuid) answers on \(from), which does not notify or indicate")
            }
            throw node.error(
                "\(characteristic.uuid) answers, but no characteristic of its service notifies or indicates")
        }
    }

    private func characteristic(_ node: FileNode) throws(DeviceFileError) -> DeviceCharacteristic {
        let mapping = try node.mapping(
            "a characteristic",
            keys: [
                "uuid", "properties", "permissions", "security", "value", "notifyEvery", "onWrite", "description",
                "descriptors", "handle",
            ])
        var characteristic = DeviceCharacteristic(
            try mapping.required("uuid").uuid("a characteristic", .characteristic),
            try mapping.required("properties").properties())
        if let permissions = mapping["permissions"] { characteristic.permissions = try permissions.permissions() }
        if let security = mapping["security"] { try secure(&characteristic, security) }
        if let value = mapping["value"] {
            characteristic.value = try value.value()
            if let bytes = characteristic.value.fixedBytes, bytes.count > 512 {
                throw value.error("a value has at most 512 bytes, but this has \(bytes.count)")
            }
        }
        if let every = mapping["notifyEvery"] {
            guard characteristic.isSubscribable else {
                throw mapping.place(of: "notifyEvery").error("notifyEvery needs the property notify or indicate")
            }
            characteristic.notifyEvery = try every.duration("notifyEvery", atLeast: .milliseconds(1))
        }
        if let onWrite = mapping["onWrite"] {
            guard characteristic.isWriteable else {
                throw mapping.place(of: "onWrite").error("onWrite needs the property write or writeWithoutResponse")
            }
            characteristic.onWrite = try WriteBehaviourReader().behaviour(onWrite)
        }
        if let text = mapping["description"] { characteristic.description = try text.string("description") }
        for element in try mapping["descriptors"]?.list("descriptors") ?? [] {
            characteristic.descriptors.append(try descriptor(element))
        }
        characteristic.handle = try handle(mapping)
        return characteristic
    }

    /// One word for what reading, writing and subscribing demand.
    private func secure(_ characteristic: inout DeviceCharacteristic, _ node: FileNode) throws(DeviceFileError) {
        let demand: AttributePermissions = try node.choice(
            "security",
            [
                "none": [],
                "encrypted": [.readEncryptionRequired, .writeEncryptionRequired],
                "authenticated": [.readAuthenticationRequired, .writeAuthenticationRequired],
                "secureConnections": [
                    .readAuthenticationRequired, .writeAuthenticationRequired, .secureConnectionsRequired,
                ],
            ])
        guard !demand.isEmpty else { return }
        var permissions = characteristic.permissions ?? []
        if characteristic.permissions == nil {
            if characteristic.properties.contains(.read) { permissions.insert(.readable) }
            if characteristic.isWriteable { permissions.insert(.writeable) }
        }
        characteristic.permissions = permissions.union(demand)
        if characteristic.properties.contains(.notify) { characteristic.properties.insert(.notifyEncryptionRequired) }
        if characteristic.properties.contains(.indicate) {
            characteristic.properties.insert(.indicateEncryptionRequired)
        }
    }

    private func descriptor(_ node: FileNode) throws(DeviceFileError) -> DeviceDescriptor {
        let mapping = try node.mapping("a descriptor", keys: ["uuid", "value", "permissions", "handle"])
        let uuid = try mapping.required("uuid").uuid("a descriptor", .descriptor)
        guard uuid != 0x2902 else {
            throw mapping.place(of: "uuid").error(
                "2902 is added by itself where a characteristic notifies or indicates")
        }
        return DeviceDescriptor(
            uuid, value: try mapping.required("value").fixedValue("a descriptor's value"),
            permissions: try mapping["permissions"]?.permissions() ?? .readable, handle: try handle(mapping))
    }

    private func handle(_ mapping: FileMapping) throws(DeviceFileError) -> UInt16? {
        guard let node = mapping["handle"] else { return nil }
        return try node.handle()
    }
}
#endif
