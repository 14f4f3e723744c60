#if Programs
import Harald

/// Reads what a device advertises.
struct AdvertisingReader {
    private static let keys = [
        "interval", "connectable", "name", "appearance", "flags", "services", "solicitedServices", "manufacturerData",
        "serviceData", "txPower", "raw", "scanResponse",
    ]

    func advertising(_ node: FileNode, of device: DeviceFile) throws(DeviceFileError) -> DeviceAdvertising {
        let mapping = try node.mapping("advertise", keys: Self.keys)
        var advertising = DeviceAdvertising()
        if let interval = mapping["interval"] {
            advertising.interval = try interval.duration("interval", atLeast: .milliseconds(20))
            guard advertising.interval <= .milliseconds(10240) else {
                throw interval.error("interval is at most 10.24 s")
            }
        }
        advertising.isConnectable = try mapping["connectable"]?.bool("connectable") ?? true
        advertising.includesName = try mapping["name"]?.bool("name") ?? true
        advertising.includesAppearance = try mapping["appearance"]?.bool("appearance") ?? false
        if let flags = mapping["flags"] {
            advertising.flags =
                try flags.string("flags").lowercased() == "none"
                ? nil : AdvertisingFlags(rawValue: UInt8(try flags.integer("flags", in: 0...0xFF)))
        }
        advertising.services = try mapping["services"]?.uuids("a service", .service)
        advertising.solicitedServices = try mapping["solicitedServices"]?.uuids("a service", .service) ?? []
        for element in mapping["manufacturerData"]?.listOrOne() ?? [] {
            let entry = try element.mapping("manufacturerData", keys: ["company", "data"])
            advertising.manufacturerData.append(
                ManufacturerData(
                    company: try entry.required("company").company(),
                    data: try entry["data"]?.fixedValue("manufacturerData") ?? []))
        }
        for element in mapping["serviceData"]?.listOrOne() ?? [] {
            let entry = try element.mapping("serviceData", keys: ["service", "data"])
            let service = try entry.required("service").uuid("a service", .service)
            advertising.serviceData[service] = try entry["data"]?.fixedValue("serviceData") ?? []
        }
        advertising.txPower = try mapping["txPower"].map { node throws(DeviceFileError) in
            Int8(try node.integer("txPower", in: -127...20))
        }
        if let raw = mapping["raw"] { advertising.raw = try raw.hex("raw") }
        if let raw = mapping["scanResponse"] { advertising.rawScanResponse = try raw.hex("scanResponse") }
        try check(advertising, mapping, device)
        return advertising
    }

    private func check(
        _ advertising: DeviceAdvertising, _ mapping: FileMapping, _ device: DeviceFile
    ) throws(DeviceFileError) {
        if advertising.raw != nil {
            let others = [
                "name", "appearance", "flags", "services", "solicitedServices", "manufacturerData", "serviceData",
                "txPower",
            ]
            if let other = others.first(where: { mapping[$0] != nil }) {
                throw mapping.place(of: other).error("'raw' is the whole advertisement; leave '\(other)' out")
            }
        }
        do {
            // Every adapter has room for this much; a name may be shortened.
            let limit = advertising.rawScanResponse == nil ? 31 : 0
            _ = try advertising.data(for: device).split(advertisingLimit: 31, scanResponseLimit: limit)
        } catch {
            throw mapping.place.error("the advertisement is too long: \(error)")
        }
    }
}
#endif
