import BluetoothBackend
import BluetoothModel
import SystemBus

/// The discovery filter of one client (`SetDiscoveryFilter` of `org.bluez.Adapter1`).
struct DiscoveryFilter: Hashable {
    var services: [BluetoothUUID] = []
    /// The minimum RSSI, in dBm.
    var rssi: Int?
    /// The maximum path loss, in dB.
    var pathloss: Int?
    /// False if the client looks for devices of Bluetooth Classic only.
    var includesLowEnergy = true
    /// True to announce the data of every advertisement.
    var reportsDuplicates = false
    /// The beginning of the address or the name.
    var pattern: String?

    /// The names of the entries.
    static let keys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

    /// Reads a filter; nil if it has no entries.
    /// - Throws: `InvalidArguments` for an unknown entry or a wrong type.
    init?(_ entries: [String: BusValue]) throws(BusError) {
        if entries.isEmpty { return nil }
        for (key, value) in entries { try set(key, value) }
        // `bluetoothd` accepts one of the two.
        if rssi != nil, pathloss != nil { throw .invalidArguments }
    }

    private mutating func set(_ key: String, _ value: BusValue) throws(BusError) {
        switch (key, value) {
        case ("UUIDs", .array(let texts, of: "s")):
            for text in texts {
                guard let uuid = text.text.flatMap(BluetoothUUID.init) else { throw .invalidArguments }
                services.append(uuid)
            }
        case ("RSSI", .int16(let value)) where (-127...20).contains(value): rssi = Int(value)
        case ("Pathloss", .uint16(let value)) where value <= 137: pathloss = Int(value)
        case ("Transport", .string(let text)) where ["auto", "le", "bredr"].contains(text):
            includesLowEnergy = text != "bredr"
        case ("DuplicateData", .bool(let value)): reportsDuplicates = value
        // The adapter becomes discoverable meanwhile, which concerns Bluetooth Classic.
        case ("Discoverable", .bool): break
        case ("Pattern", .string(let text)): pattern = text
        default: throw .invalidArguments
        }
    }

    /// Returns true if the client wants to know of an advertisement.
    func matches(_ report: ScanReport) -> Bool {
        guard includesLowEnergy else { return false }
        if !services.isEmpty, !report.advertisement.serviceUUIDs.contains(where: services.contains) { return false }
        if let rssi, (report.rssi ?? -127) < rssi { return false }
        if let pathloss {
            guard let power = report.advertisement.txPower, let rssi = report.rssi else { return false }
            return Int(power) - rssi <= pathloss
        }
        return true
    }

    /// Returns true if the address or the name begins with the pattern; nil without a pattern.
    func matchesPattern(_ report: ScanReport) -> Bool? {
        guard let pattern else { return nil }
        let name = report.advertisement.localName
        return report.address?.text.hasPrefix(pattern) == true || name?.hasPrefix(pattern) == true || pattern.isEmpty
    }
}
