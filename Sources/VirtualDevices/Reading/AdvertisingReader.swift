#if Programs
import Harald

/// Reads the advertising of a device.
struct AdvertisingReader {
    func advertising(_ node: FileNode) throws(DeviceFileError) -> DeviceAdvertising {
        let mapping = try node.mapping(.advertise)
        var advertising = DeviceAdvertising()
        if let interval = mapping["interval"] {
            advertising.interval = try interval.duration("interval", atLeast: .milliseconds(20))
            guard advertising.interval <= .milliseconds(10240) else {
                throw interval.error("interval must be at most 10.24 s")
            }
        }
        advertising.duration = try mapping["duration"]?.duration("duration", atLeast: .milliseconds(1))
        advertising.isConnectable = try mapping["connectable"]?.bool("connectable") ?? true
        if let name = mapping["name"] { try self.name(name, &advertising) }
        advertising.includesAppearance = try mapping["appearance"]?.bool("appearance") ?? false
        if let flags = mapping["flags"] {
            advertising.flags =
                try flags.string("flags").lowercased() == "none"
                ? nil : AdvertisingFlags(rawValue: UInt8(try flags.integer("flags", in: 0...0xFF)))
        }
        advertising.services = try mapping["services"]?.uuids("a service", .service)
        advertising.solicitedServices = try mapping["solicitedServices"]?.uuids("a service", .service) ?? []
        for element in mapping["manufacturerData"]?.listOrOne() ?? [] {
            let entry = try element.mapping(.manufacturerData)
            advertising.manufacturerData.append(
                ManufacturerData(
                    company: try entry.required("company").company(),
                    data: try entry["data"]?.fixedValue("manufacturerData") ?? []))
        }
        for element in mapping["serviceData"]?.listOrOne() ?? [] {
            let entry = try element.mapping(.serviceData)
            let service = try entry.required("service").uuid("a service", .service)
            guard advertising.serviceData[service] == nil else {
                throw element.error("service \(service) has data already; 'raw' can have several for one service")
            }
            advertising.serviceData[service] = try entry["data"]?.fixedValue("serviceData") ?? []
        }
        advertising.txPower = try mapping["txPower"].map { node throws(DeviceFileError) in
            Int8(try node.integer("txPower", in: -127...20))
        }
        if let raw = mapping["raw"] { advertising.raw = try structures(raw, "raw") }
        if let raw = mapping["scanResponse"] {
            let bytes = try structures(raw, "scanResponse")
            guard bytes.count <= DeviceAdvertising.packetLength else {
                throw raw.error("a scan response may have at most 31 bytes, but this has \(bytes.count)")
            }
            advertising.rawScanResponse = bytes
        }
        try checkRaw(advertising, mapping)
        return advertising
    }

    /// Reads advertising data in hexadecimal. It must consist of complete structures (Core 6.0, Vol 3, Part C, 11).
    private func structures(_ node: FileNode, _ what: String) throws(DeviceFileError) -> [UInt8] {
        let bytes = try node.hex(what)
        let whole = AdvertisingData(parsing: bytes).encoded
        guard bytes.starts(with: whole), bytes.dropFirst(whole.count).allSatisfy({ $0 == 0 }) else {
            throw node.error(
                "\(what) must be a list of structures, each a length byte and as many bytes; the one at byte "
                    + "\(whole.count) is incomplete")
        }
        return bytes
    }

    /// Reads `true`, `false`, or the name to advertise in place of the device's name.
    private func name(_ node: FileNode, _ advertising: inout DeviceAdvertising) throws(DeviceFileError) {
        if !node.isQuoted, let isThere = try? node.bool("name") {
            advertising.includesName = isThere
        } else {
            advertising.name = try node.string("name")
        }
    }

    private func checkRaw(_ advertising: DeviceAdvertising, _ mapping: FileMapping) throws(DeviceFileError) {
        if advertising.raw != nil {
            let others = [
                "name", "appearance", "flags", "services", "solicitedServices", "manufacturerData", "serviceData",
                "txPower",
            ]
            if let other = others.first(where: { mapping[$0] != nil }) {
                throw mapping.place(of: other).error("'raw' is the whole advertisement; remove '\(other)'")
            }
        }
    }

    /// Checks that the data fits into an advertising packet and a scan response of 31 bytes each, which every adapter
    /// supports.
    /// - Parameters:
    ///   - advertise: the node of the advertising; nil if the file has none.
    ///   - name: the node of the device's name.
    func check(_ device: DeviceFile, advertise: FileNode?, name: FileNode) throws(DeviceFileError) {
        let place = device.advertising.name == nil ? name : advertise?.value(of: "name") ?? name
        if let length = device.advertising.name(of: device)?.utf8.count, length > DeviceAdvertising.maximumNameLength {
            throw place.error(
                "the name has \(length) bytes, and at most \(DeviceAdvertising.maximumNameLength) can be advertised; "
                    + "advertise a shorter one with 'advertise: {name: ...}', or none with 'name: false'")
        }
        do throws(AdvertisingDataError) { _ = try device.advertising.data(for: device) } catch {
            throw (advertise ?? place).error("the advertisement is too long: \(error)")
        }
    }
}
#endif
