#if Programs
import Harald

/// Reads a device from a YAML node.
struct DeviceFileReader {
    func device(_ node: FileNode) throws(DeviceFileError) -> DeviceFile {
        let mapping = try node.mapping(.device)
        var device = DeviceFile(name: try name(mapping.required("name")))
        if let address = mapping["address"] { device.address = try address.ownAddress() }
        if let appearance = mapping["appearance"] { device.appearance = try appearance.appearance() }
        if let after = mapping["disconnectAfter"] {
            device.disconnectAfter = try after.duration("disconnectAfter", atLeast: .milliseconds(1))
        }
        if let passkey = mapping["passkey"] { device.passkey = try passkey.passkey() }
        if let replaces = mapping["replacesBonds"] { device.replacesBonds = try replaces.bool("replacesBonds") }
        if let generic = mapping["genericServices"] {
            device.addsGenericServices = try generic.bool("genericServices")
        }
        if let services = mapping["services"] {
            let nodes = try services.list("services")
            for service in nodes { device.services.append(try self.service(service)) }
            try ServicesCheck(nodes: nodes).check(&device)
        }
        for element in try mapping["l2cap"]?.list("l2cap") ?? [] {
            let channel = try self.channel(element)
            guard !device.channels.contains(where: { $0.psm == channel.psm }) else {
                throw element.error("the PSM \(channel.psm) is repeated")
            }
            device.channels.append(channel)
        }
        let reader = AdvertisingReader()
        if let advertise = mapping["advertise"] {
            device.advertising = try reader.advertising(advertise)
        }
        try reader.check(device, advertise: mapping["advertise"], name: mapping["name"] ?? node)
        return device
    }

    /// Reads an L2CAP channel: {psm: 0x80, behaviour: echo}.
    private func channel(_ node: FileNode) throws(DeviceFileError) -> DeviceChannel {
        let mapping = try node.mapping(.channel)
        let psm = UInt16(try mapping.required("psm").integer("psm", in: 0x80...0xFF))
        let length = try mapping["length"]?.integer("length", in: 1...65_535)
        var behaviour: DeviceChannel.Behaviour = try mapping.required("behaviour").choice(
            "behaviour", ["echo": .echo, "source": .source(length: 512), "sink": .sink])
        if let length {
            guard case .source = behaviour else {
                throw mapping.place(of: "length").error("length requires the behaviour 'source'")
            }
            behaviour = .source(length: length)
        }
        var channel = DeviceChannel(psm: psm, behaviour)
        channel.requiresEncryption = try mapping["encrypted"]?.bool("encrypted") ?? false
        return channel
    }

    /// Reads a GAP name (Core 6.0, Vol 3, Part C, 12.1).
    func name(_ node: FileNode) throws(DeviceFileError) -> String {
        let name = try node.string("name")
        guard name.utf8.count <= 248 else {
            throw node.error("a name may have at most 248 bytes, but this has \(name.utf8.count)")
        }
        return name
    }

    private func service(_ node: FileNode) throws(DeviceFileError) -> DeviceService {
        let mapping = try node.mapping(.service)
        var service = DeviceService(try mapping.required("uuid").uuid("a service", .service))
        service.name = try mapping["name"]?.string("name")
        service.isPrimary = try mapping["primary"]?.bool("primary") ?? true
        service.handle = try handle(mapping)
        service.endHandle = try mapping["endHandle"]?.handle("endHandle")
        let nodes = try mapping["characteristics"].map { node throws(DeviceFileError) in
            try node.list("characteristics")
        }
        for element in nodes ?? [] { service.characteristics.append(try characteristic(element)) }
        try check(service, nodes ?? [])
        return service
    }

    /// Checks that answers to writes are sent from a characteristic that can notify or indicate.
    private func check(_ service: DeviceService, _ nodes: [FileNode]) throws(DeviceFileError) {
        for (characteristic, node) in zip(service.characteristics, nodes) where characteristic.onWrite.answers {
            guard service.characteristic(answering: characteristic) == nil else { continue }
            if let from = characteristic.onWrite.answersOn {
                throw node.error("\(characteristic.uuid) replies on \(from), which does not notify or indicate")
            }
            throw node.error(
                "\(characteristic.uuid) replies, but no characteristic of its service notifies or indicates")
        }
    }

    private func characteristic(_ node: FileNode) throws(DeviceFileError) -> DeviceCharacteristic {
        let mapping = try node.mapping(.characteristic)
        var characteristic = DeviceCharacteristic(
            try mapping.required("uuid").uuid("a characteristic", .characteristic),
            try mapping.required("properties").properties())
        if let permissions = mapping["permissions"] { characteristic.permissions = try permissions.permissions() }
        if let security = mapping["security"] { try secure(&characteristic, security) }
        if let value = mapping["value"] {
            characteristic.value = try value.value()
        }
        characteristic.hasConfiguration = try mapping["cccd"]?.bool("cccd")
        if let every = mapping["notifyEvery"] {
            guard characteristic.isSubscribable else {
                throw mapping.place(of: "notifyEvery").error(
                    "notifyEvery requires the property notify or indicate, and a cccd")
            }
            characteristic.notifyEvery = try every.duration("notifyEvery", atLeast: .milliseconds(1))
        }
        if let onWrite = mapping["onWrite"] {
            guard characteristic.isWriteable else {
                throw mapping.place(of: "onWrite").error("onWrite requires the property write or writeWithoutResponse")
            }
            characteristic.onWrite = try WriteBehaviourReader().behaviour(onWrite)
        }
        if let text = mapping["description"] {
            let description = try text.string("description")
            guard description.utf8.count <= 512 else {
                throw text.error("a description may have at most 512 bytes, but this has \(description.utf8.count)")
            }
            characteristic.description = description
        }
        for element in try mapping["descriptors"]?.list("descriptors") ?? [] {
            let descriptor = try descriptor(element)
            if descriptor.uuid == 0x2902, characteristic.hasConfiguration == false {
                throw element.error("the descriptor 2902 contradicts 'cccd: false'")
            }
            characteristic.descriptors.append(descriptor)
        }
        characteristic.handle = try handle(mapping)
        return characteristic
    }

    /// Applies the key `security`, which sets the requirements of reading, writing and subscribing together.
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
        let mapping = try node.mapping(.descriptor)
        let uuid = try mapping.required("uuid").uuid("a descriptor", .descriptor)
        if uuid == 0x2902 {
            // The server stores a value per client, and the permissions follow from those of the characteristic.
            if let other = ["value", "permissions"].first(where: { mapping[$0] != nil }) {
                throw mapping.place(of: other).error(
                    "2902 takes no '\(other)', because the stack stores it for each central; 'handle' sets its handle")
            }
            return DeviceDescriptor(uuid, value: [], handle: try handle(mapping))
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
