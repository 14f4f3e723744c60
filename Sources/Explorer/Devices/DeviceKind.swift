import BluetoothProfiles
import Harald

/// The kind of a device, as far as its advertisement shows it; for icons and names.
package enum DeviceKind: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case heart, bloodPressure, thermometer, scale, glucose, oximeter, cycling, running, environment, light, lock, phone,
        computer, watch, audio, input, tag, beacon, link, sensorTag, device

    /// The kind in words: "heart rate belt"; empty for ``device``.
    package var words: String {
        switch self {
        case .heart: "heart rate"
        case .bloodPressure: "blood pressure"
        case .thermometer, .scale, .glucose, .oximeter, .cycling, .running, .light, .lock, .phone, .computer, .watch,
            .audio, .input, .tag, .beacon:
            rawValue
        case .environment: "room sensor"
        case .link: "web address"
        case .sensorTag: "SensorTag"
        case .device: ""
        }
    }

    /// The kind of the appearance's category (Assigned Numbers, 2.6.2); nil for other categories.
    private init?(_ appearance: Appearance) {
        switch appearance.category {
        case 0x001: self = .phone
        case 0x002: self = .computer
        case 0x003: self = .watch
        case 0x006, 0x00F: self = .input
        case 0x008, 0x009: self = .tag
        case 0x00C: self = .thermometer
        case 0x00D: self = .heart
        case 0x00E: self = .bloodPressure
        case 0x010, 0x034: self = .glucose
        case 0x011: self = .running
        case 0x012: self = .cycling
        case 0x015: self = .environment
        case 0x016, 0x01F: self = .light
        case 0x01C: self = .lock
        case 0x021...0x029: self = .audio
        case 0x031: self = .oximeter
        case 0x032: self = .scale
        default: return nil
        }
    }

    private static let services: [BluetoothUUID: DeviceKind] = [
        "180D": .heart, "1810": .bloodPressure, "1809": .thermometer, "181D": .scale, "181B": .scale, "1808": .glucose,
        "181F": .glucose, "1822": .oximeter, "1816": .cycling, "1818": .cycling, "1814": .running, "181A": .environment,
        "FCD2": .environment, "1812": .input, "184E": .audio, "1853": .audio, "FD6F": .beacon,
    ]

    /// The kind of a device with these properties.
    init(_ advertisement: AdvertisingData, values: [AdvertisedValue], isSensorTag: Bool) {
        let appearance = advertisement.appearance.flatMap { DeviceKind($0) }
        let uuids = advertisement.serviceUUIDs + advertisement.allServiceData.map(\.service)
        if isSensorTag {
            self = .sensorTag
        } else if let kind = appearance ?? uuids.lazy.compactMap({ Self.services[$0] }).first {
            self = kind
        } else if let value = values.first(where: \.isBeacon) {
            self = value.kind == EddystoneURL.kind ? .link : .beacon
        } else if values.contains(where: { $0["temperature"] != nil || $0["humidity"] != nil }) {
            self = .environment
        } else {
            switch advertisement.manufacturerData.first?.company.rawValue {
            case 0x004C, 0x0075, 0x00E0: self = .phone
            case 0x0006: self = .computer
            default: self = .device
            }
        }
    }
}

extension AdvertisedValue {
    /// True for the formats of beacons.
    var isBeacon: Bool { kind == IBeacon.kind || kind == AltBeacon.kind || kind.hasPrefix("eddystone") }

    /// The beacon as the name of a device: "iBeacon 1/27", "example.com/menu"; nil for other values.
    var deviceName: String? {
        func text(_ name: String) -> String {
            if case .text(let text)? = self[name]?.value { text } else { self[name]?.value.description ?? "" }
        }
        switch kind {
        case IBeacon.kind: return "iBeacon \(text("major"))/\(text("minor"))"
        case EddystoneUID.kind: return "Eddystone \(text("instance").filter(\.isHexDigit).suffix(6))"
        case EddystoneURL.kind:
            return String(text("url").split(separator: "/", maxSplits: 1).last?.trimmingPrefix("/") ?? "")
        default: return nil
        }
    }
}

extension ExplorerDevice {
    /// The name for lists: the user's name for the device, its own name, or what it is: "iBeacon 1/27", "Apple device
    /// 4F:3A", "Gadget FFF0". Never empty.
    package var title: String {
        for name in [alias, name] { if let name, !name.isEmpty { return name } }
        if let title = values.lazy.compactMap(\.deviceName).first { return title }
        let digits = address.map { $0.text.suffix(5) } ?? id.description.suffix(4)
        if let company {
            return measurements.isEmpty
                ? "\(Self.short(company)) device \(digits)"
                : "\(Self.short(company).prefix { $0 != " " }) sensor \(digits)"
        }
        if let service = advertisement.serviceUUIDs.first ?? advertisement.allServiceData.first?.service {
            return AssignedNumbers.serviceName(service).map { "\($0) \(digits)" } ?? "Gadget \(service)"
        }
        return "Device \(digits)"
    }

    /// The name of a company without its legal form: "Apple", "Texas Instruments".
    private static func short(_ company: String) -> String {
        let forms: Set<String> = [
            "inc", "inc.", "ltd", "ltd.", "llc", "gmbh", "co.", "corp", "corp.", "corporation", "oy", "ab", "as", "asa",
            "a/s", "b.v.", "limited", "kg", "ag", "s.a.", "electronics",
        ]
        var words = company.prefix { $0 != "," && $0 != "(" }.split(separator: " ")
        while words.count > 1, let last = words.last, forms.contains(last.lowercased()) { words.removeLast() }
        return words.joined(separator: " ")
    }

    /// The measured quantities that the device advertises, such as a temperature, for display.
    package var measurements: [ValuePart] {
        values.flatMap { value in ValuePart.parts(of: value.fields.filter { !value.details.contains($0.name) }) }
            .filter { $0.unit != nil && $0.number != nil }
    }
}
