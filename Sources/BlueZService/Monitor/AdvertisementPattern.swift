import BluetoothModel
import SystemBus

/// A pattern of an advertisement monitor: bytes at a position of the data of one type.
struct AdvertisementPattern: Hashable {
    let position: Int
    let type: ADType
    let bytes: [UInt8]

    /// Reads the `Patterns` of `org.bluez.AdvertisementMonitor1`; nil unless it has valid ones.
    static func patterns(_ value: BusValue?) -> [AdvertisementPattern]? {
        guard case .array(let entries, of: "(yyay)")? = value, !entries.isEmpty else { return nil }
        var patterns: [AdvertisementPattern] = []
        for entry in entries {
            guard case .structure(let fields) = entry, case .byte(let position) = fields[0],
                case .byte(let type) = fields[1], let bytes = fields[2].bytes, !bytes.isEmpty,
                Int(position) + bytes.count <= 31
            else { return nil }
            patterns.append(
                AdvertisementPattern(position: Int(position), type: ADType(rawValue: type), bytes: bytes))
        }
        return patterns
    }

    func matches(_ data: AdvertisingData) -> Bool {
        data.firstStructure { type, view in
            type == self.type && view.dropFirst(min(position, view.count)).prefix(bytes.count).equals(bytes)
                ? true : nil
        } ?? false
    }
}
