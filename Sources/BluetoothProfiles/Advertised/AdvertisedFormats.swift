import BluetoothModel

/// The known formats of advertised values, by their places.
public enum AdvertisedFormats {
    /// All known formats. Where several match a frame, their values follow in this order.
    public static let all: [any AdvertisedFormat.Type] = [
        IBeacon.self, AltBeacon.self,
        EddystoneUID.self, EddystoneURL.self, EddystoneTLM.self, EddystoneEncryptedTLM.self, EddystoneEID.self,
        BTHome.self, MiBeacon.self,
        Ruuvi3.self, Ruuvi5.self, Ruuvi6.self,
        PVVXThermometer.self, ATCThermometer.self,
        GoveeH5075.self, GoveeH5101.self, GoveeH5106.self, GoveeH5074.self, GoveeH5179.self,
        InkbirdThermometer.self, InkbirdGrill.self, SwitchBotMeter.self, Tilt.self,
        XiaomiScale.self, XiaomiBodyScale.self,
        ExposureNotification.self, FindMy.self, FastPair.self, SwiftPair.self,
    ]

    /// The names of all formats, also of those that the user declared.
    package static var kinds: [String] { all.map { $0.kind } + declared.map(\.kind) }

    /// The patterns of the formats with these names, also of those that the user declared, and the names of the formats
    /// that have no pattern.
    package static func patterns(of kinds: Set<String>) -> (patterns: [AdvertisementPattern], without: [String]) {
        let formats = all.map { ($0.kind, $0.patterns) } + declared.map { ($0.kind, $0.patterns) }
        let wanted = formats.filter { kinds.contains($0.0) }
        return (wanted.flatMap(\.1).minimal, wanted.filter(\.1.isEmpty).map(\.0))
    }

    private static let byPlace: [AdvertisedPlace: [any AdvertisedFormat.Type]] = {
        var result: [AdvertisedPlace: [any AdvertisedFormat.Type]] = [:]
        for format in all { for place in format.places { result[place, default: []].append(format) } }
        return result
    }()

    /// Returns the formats of a frame.
    static func formats(of frame: AdvertisedFrame) -> [any AdvertisedFormat.Type] {
        guard let candidates = byPlace[frame.place] else { return [] }
        return candidates.filter { frame.bytes.starts(with: $0.start) && $0.matches(frame) }
    }
}
