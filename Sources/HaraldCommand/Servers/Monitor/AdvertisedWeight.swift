import BluetoothProfiles
import Explorer
import Foundation
import Harald

/// The weight that a scale advertises, without a connection.
struct AdvertisedWeight: Hashable, Sendable {
    /// The services whose data has weights: Weight Scale, and Body Composition.
    private static let services: [BluetoothUUID] = ["181D", "181B"]
    private static let kinds: Set<String> = [XiaomiScale.kind, XiaomiBodyScale.kind]

    /// The name of the measurement.
    let title: String
    /// The weight in kilograms or pounds, and the impedance if it was measured.
    let fields: [Field]
    /// The time of the weighing on the scale's clock; nil if the clock was never set.
    let time: DateTime?
    /// True if the weight does not change any more.
    let isStable: Bool

    /// The weight in an advertisement; nil if there is none.
    init?(_ found: ScanResult) {
        guard Self.services.contains(where: { found.advertisement.serviceData[$0] != nil }) else { return nil }
        let values = AdvertisedReader.shared.values(of: found)
        guard let value = values.first(where: { Self.kinds.contains($0.kind) && $0.problem == nil }) else {
            return nil
        }
        self.init(value)
    }

    init?(_ value: AdvertisedValue) {
        guard let weight = value["weight"], case .number(let number) = weight.value, let exact = number.exact,
            exact.mantissa > 0
        else { return nil }
        title = value.title
        var shown = weight
        // A catty is 500 g, and no unit of the hub.
        if weight.unit == .catties {
            shown.value = .number(ProfileNumber(exact.mantissa * 5, exponent: exact.exponent - 1))
            shown.unit = .kilograms
        }
        fields = [shown] + [value["impedance"]].compactMap { $0 }
        if case .time(let time)? = value["time"]?.value, time.isValid { self.time = time } else { time = nil }
        if case .flag(let stable)? = value["stable"]?.value { isStable = stable } else { isStable = true }
    }
}

/// The weights that scales advertise, each reported once.
actor AdvertisedWeights {
    /// The last frame of each scale.
    private var last: [PeripheralID: AdvertisedWeight] = [:]
    /// The last reported weighing of each scale.
    private var reported: [PeripheralID: AdvertisedWeight] = [:]
    /// The maximum number of scales that are remembered. Anyone can advertise any number of addresses.
    private static let mostScales = 1000

    /// Notes a frame.
    /// - Returns: nil if it is no new weighing; else true if the weighing was heard from its beginning, so that it
    ///   happened now.
    func isLive(_ weight: AdvertisedWeight, of id: PeripheralID) -> Bool? {
        if last[id] == nil, last.count >= Self.mostScales { (last, reported) = ([:], [:]) }
        let former = last.updateValue(weight, forKey: id)
        guard weight.isStable, reported[id] != weight else { return nil }
        reported[id] = weight
        return former.map { !$0.isStable || $0.time != weight.time } ?? false
    }

    /// Forgets a weighing that could not be stored. The scale advertises it for a while.
    func forget(_ weight: AdvertisedWeight, of id: PeripheralID) {
        if reported[id] == weight { reported[id] = nil }
    }
}
