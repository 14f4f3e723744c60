import BluetoothModel
import BluetoothProfiles
import Foundation

/// A kind of measurement: its characteristics, how a measurement follows from their fields, its quantities, and its
/// names for programs and people. The monitor, the store, the rules, FHIR, MQTT and the pages are derived from it.
package final class MeasurementKind: Sendable {
    struct Value: Sendable {
        let quantity: QuantityKind
        /// The names of the fields that have it; the first one that is present is used.
        let fields: [String]
        /// True if one of the fields alone shows that a reading is of this kind.
        let isIndicative: Bool
        /// The code in FHIR, if it differs from that of the quantity.
        let code: FHIRCode?

        init(_ quantity: QuantityKind, _ fields: String..., isIndicative: Bool = true, code: FHIRCode? = nil) {
            self.quantity = quantity
            self.fields = fields.isEmpty ? [quantity.name] : fields
            (self.isIndicative, self.code) = (isIndicative, code)
        }
    }

    /// Bits of a status after which a value is not judged.
    struct Fault: Sendable {
        let field: String
        let mask: UInt32
        let reason: HubText

        init(_ field: String, _ mask: UInt32, _ reason: HubText) {
            (self.field, self.mask, self.reason) = (field, mask, reason)
        }
    }

    /// A plot of the kind on the page of a person.
    enum Plot: String, Sendable {
        /// Values over time.
        case timeline
        /// Values by the hour of the day.
        case hours
    }

    /// The number in the store.
    package let rawValue: Int
    /// The name in JSON and in rule files.
    package let name: String
    /// The name as a title: "Blood pressure".
    package let title: String
    /// The services whose measurements are of the kind.
    package let services: [BluetoothUUID]
    /// The characteristics whose values are of the kind.
    package let characteristics: [any CharacteristicType.Type]
    /// The quantities, in the order of the value.
    let values: [Value]
    /// The quantities without a number of which a measurement is unsuccessful.
    let mainQuantities: [String]
    /// The quantities that are stored in columns for statistics, in the order of the columns.
    package let storedQuantities: [String]
    /// The fields whose named codes are qualifiers of the measurement.
    let qualifiers: [String]
    let faults: [Fault]
    /// Adds what follows from other fields.
    let complete: @Sendable (inout HealthMeasurement, any DecodedFields) -> Void
    /// The code in FHIR of a measurement whose quantities are components; nil if its first quantity is the value.
    let panel: FHIRCode?
    let category: String
    /// The plot of the first stored quantities; nil for a kind without one.
    let plot: Plot?
    /// True if devices send values each second, many of them without a number.
    let isStreamed: Bool

    init(
        _ rawValue: Int, _ name: String, _ title: String, services: [BluetoothUUID] = [],
        _ characteristics: [any CharacteristicType.Type], _ values: [Value], main: [String]? = nil,
        stored: [String], qualifiers: [String] = [], faults: [Fault] = [], panel: FHIRCode? = nil,
        category: String = "vital-signs", plot: Plot? = .timeline, isStreamed: Bool = false,
        complete: @escaping @Sendable (inout HealthMeasurement, any DecodedFields) -> Void = { _, _ in }
    ) {
        (self.rawValue, self.name, self.title, self.services) = (rawValue, name, title, services)
        (self.characteristics, self.values) = (characteristics, values)
        (mainQuantities, storedQuantities) = (main ?? Array(stored.prefix(1)), stored)
        (self.qualifiers, self.faults, self.complete) = (qualifiers, faults, complete)
        (self.panel, self.category, self.plot, self.isStreamed) = (panel, category, plot, isStreamed)
    }

    private static let byNumber = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
    private static let byCharacteristic = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { kind in kind.characteristics.map { ($0.uuid, kind) } })

    /// Returns the kind with this number in the store; nil for an unknown one.
    static func stored(_ rawValue: Int) -> MeasurementKind? { byNumber[rawValue] }

    package static func named(_ name: String) -> MeasurementKind? { byName[name] }

    /// Returns the kind of the values of a characteristic; nil for one that is not a measurement.
    package static func of(_ characteristic: BluetoothUUID) -> MeasurementKind? { byCharacteristic[characteristic] }

    /// Returns the kind that decoded fields indicate. A body composition has a weight too.
    static func indicated(by fields: any DecodedFields) -> MeasurementKind? {
        ([.bodyComposition] + allCases).first { kind in
            kind.values.contains { $0.isIndicative && $0.fields.contains(where: fields.contains) }
        }
    }

    private static let valuesByKind = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let all = kind.values + allCases.flatMap(\.values)
            return (kind, all.filter { $0.quantity.name != "pulseRate" } + [Value(.pulseRate)])
        })

    /// The quantities that a reading of the kind may have: its own, then those of other kinds, and last a pulse.
    var allValues: [Value] { Self.valuesByKind[self] ?? values }

    /// The unit of the statistics of the first stored quantity.
    var unit: String { storedQuantities.first.flatMap { QuantityKind[$0]?.canonicalUnit } ?? "" }

    /// Returns the column of a quantity; nil if it is not stored in one.
    func column(of quantity: String) -> String? {
        storedQuantities.firstIndex(of: quantity).map { "v\($0 + 1)" }
    }

    /// Returns the field in which a quantity is sent as decoded fields.
    func field(of quantity: String) -> String {
        values.first { $0.quantity.name == quantity }?.fields.last ?? quantity
    }
}

extension MeasurementKind: Hashable {
    package static func == (left: MeasurementKind, right: MeasurementKind) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
