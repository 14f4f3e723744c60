import BluetoothBackend
import BluetoothModel
import SystemBus

/// The properties of a device that advertisements determine: advertisements in, names of changed properties out.
struct AdvertisedProperties {
    /// The services, and the entries of data, that are kept of a device: one that always advertises others would fill
    /// the memory.
    static let limit = 64

    private(set) var name: String?
    private var isNameComplete = false
    private(set) var appearance: Appearance?
    /// The identification of vendor, product and version.
    private(set) var modalias: String?
    private(set) var rssi: Int16?
    private(set) var txPower: Int16?
    private(set) var services: [BluetoothUUID] = []
    private(set) var manufacturerData: [UInt16: [UInt8]] = [:]
    private(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
    private(set) var flags: UInt8?
    /// Data that no other property has, by its type: Transport Discovery Data.
    private(set) var otherData: [UInt8: [UInt8]] = [:]

    /// Takes the data of an advertisement.
    /// - Parameters:
    ///   - rssiDelta: the change of the RSSI from which on it is announced, in dB; 0 to announce every RSSI.
    ///   - repeats: true to announce data that did not change.
    /// - Returns: the changed properties.
    mutating func hear(_ report: ScanReport, rssiDelta: Int16, repeats: Bool) -> [String] {
        let data = report.advertisement
        var changes: [String] = []
        if let heard = report.rssi.flatMap(Int16.init(exactly:)), heard != 0,
            rssi.map({ abs(heard - $0) >= rssiDelta }) ?? true
        {
            rssi = heard
            changes.append("RSSI")
        }
        if let power = data.txPower.map(Int16.init), power != txPower {
            txPower = power
            changes.append("TxPower")
        }
        if let heard = data.appearance { changes += setAppearance(heard) }
        changes += hearName(in: data)
        let new = data.serviceUUIDs.filter { !services.contains($0) }
        if !new.isEmpty {
            services = (services + new).suffix(Self.limit)
            changes.append("UUIDs")
        }
        changes += hearData(data, repeats: repeats)
        return changes
    }

    private mutating func hearName(in data: AdvertisingData) -> [String] {
        guard let heard = data.localName, data.isNameComplete || !isNameComplete else { return [] }
        isNameComplete = data.isNameComplete
        return setName(heard)
    }

    /// Sets the name that the device has in its GAP service.
    /// - Returns: the changed properties.
    mutating func setName(_ heard: String) -> [String] {
        guard heard != name, !heard.isEmpty else { return [] }
        name = heard
        return ["Name", "Alias"]
    }

    /// Sets the value of the appearance in the GAP service.
    /// - Returns: the changed properties.
    mutating func setAppearance(_ value: ByteView) -> [String] {
        value.count == 2 ? setAppearance(Appearance(rawValue: value.uint16(at: 0))) : []
    }

    private mutating func setAppearance(_ heard: Appearance) -> [String] {
        guard heard != appearance, heard.rawValue != 0 else { return [] }
        appearance = heard
        return ["Appearance"] + (heard.icon == nil ? [] : ["Icon"])
    }

    /// Sets the value of the PnP ID (Device Information Service 1.1, 3.9).
    /// - Returns: the changed properties.
    mutating func setIdentification(_ value: ByteView) -> [String] {
        guard value.count == 7, let source = [1: "bluetooth", 2: "usb"][value[0]] else { return [] }
        let numbers = zip(["v", "p", "d"], [1, 3, 5]).map { $0 + UInt64(value.uint16(at: $1)).hexText(digits: 4) }
        let text = source + ":" + numbers.joined()
        guard text != modalias else { return [] }
        modalias = text
        return ["Modalias"]
    }

    private mutating func hearData(_ data: AdvertisingData, repeats: Bool) -> [String] {
        var changes: [String] = []
        let manufacturers = data.manufacturerData
        if !manufacturers.isEmpty {
            let before = manufacturerData
            if before.count >= Self.limit { manufacturerData = [:] }
            for entry in manufacturers { manufacturerData[entry.company.rawValue] = entry.data }
            if repeats || before != manufacturerData { changes.append("ManufacturerData") }
        }
        let services = data.serviceData
        if !services.isEmpty {
            let before = serviceData
            if before.count >= Self.limit { serviceData = [:] }
            serviceData.merge(services) { $1 }
            if repeats || before != serviceData { changes.append("ServiceData") }
        }
        if let heard = data[.transportDiscovery], repeats || otherData[ADType.transportDiscovery.rawValue] != heard {
            otherData[ADType.transportDiscovery.rawValue] = heard
            changes.append("AdvertisingData")
        }
        let heard = data.flags?.rawValue ?? 0
        if heard != flags {
            flags = heard
            changes.append("AdvertisingFlags")
        }
        return changes
    }

    /// Forgets the strength of the signal when the discovery ended.
    /// - Returns: the changed properties.
    mutating func discoveryEnded() -> [String] {
        let changes = (rssi == nil ? [] : ["RSSI"]) + (txPower == nil ? [] : ["TxPower"])
        rssi = nil
        txPower = nil
        return changes
    }
}

extension Appearance {
    /// The name of the freedesktop.org icon; nil if there is none for the category.
    var icon: String? {
        switch (category, subcategory) {
        case (0x01, _): "phone"
        case (0x02, _): "computer"
        case (0x05, _): "video-display"
        case (0x0A, _): "multimedia-player"
        case (0x0B, _): "scanner"
        case (0x0F, 1): "input-keyboard"
        case (0x0F, 2): "input-mouse"
        case (0x0F, 3), (0x0F, 4): "input-gaming"
        case (0x0F, 5): "input-tablet"
        case (0x0F, 8): "scanner"
        default: nil
        }
    }
}
