import BluetoothModel
import SystemBus

extension AdvertisementPattern {
    /// Reads the `Patterns` of `org.bluez.AdvertisementMonitor1`; nil unless it has valid ones.
    static func patterns(_ value: BusValue?) -> [AdvertisementPattern]? {
        guard case .array(let entries, of: "(yyay)")? = value, !entries.isEmpty else { return nil }
        var patterns: [AdvertisementPattern] = []
        for entry in entries {
            guard case .structure(let fields) = entry, case .byte(let position) = fields[0],
                case .byte(let type) = fields[1], let bytes = fields[2].bytes, !bytes.isEmpty,
                Int(position) + bytes.count <= 31
            else { return nil }
            patterns.append(AdvertisementPattern(ADType(rawValue: type), bytes, at: Int(position)))
        }
        return patterns
    }
}
