import BluetoothProfiles
import Foundation

/// A quantity that people measure: its units, its limits, and its names for programs and people.
package struct QuantityKind: Sendable {
    /// The name in JSON, in rules and in targets.
    package let name: String
    /// The name as a title: "Body fat".
    let title: String
    /// The name in a sentence: "body fat".
    let label: String
    /// The units in which the quantity is stored, the unit of the statistics first, each with the numbers that a person
    /// can have. The limits are far beyond those of people.
    private let units: [(unit: GATTUnit, possible: ClosedRange<Double>)]
    /// True if a value without a unit is refused: there are two usual units.
    private let requiresUnit: Bool
    /// True if limits are declared for each unit, so that the store records the unit of a value.
    let recordsUnit: Bool
    /// True if devices send 0 for an unknown value.
    let isUnknownAtZero: Bool
    /// The device class of Home Assistant; nil if it has none that fits.
    let deviceClass: String?
    /// The code in FHIR; nil if it depends on the measurement.
    let code: FHIRCode?
    /// Further MDC and LOINC codes of the quantity that other systems send.
    let otherCodes: [String]

    init(
        _ name: String, _ title: String, label: String? = nil, _ units: [(GATTUnit, ClosedRange<Double>)],
        requiresUnit: Bool = false, recordsUnit: Bool = false, isUnknownAtZero: Bool = false,
        deviceClass: String? = nil, _ code: FHIRCode?, otherCodes: [String] = []
    ) {
        (self.name, self.title, self.label) = (name, title, label ?? title.lowercased())
        self.units = units.map { (unit: $0.0, possible: $0.1) }
        (self.requiresUnit, self.recordsUnit, self.isUnknownAtZero) = (requiresUnit, recordsUnit, isUnknownAtZero)
        (self.deviceClass, self.code, self.otherCodes) = (deviceClass, code, otherCodes)
    }

    var symbols: [String] { units.map(\.unit.symbol) }

    var canonicalUnit: String { units.first?.unit.symbol ?? "" }

    /// The symbol of the unit of a value that was sent without one; nil if it must be sent.
    var standardUnit: String? { requiresUnit ? nil : units.first?.unit.symbol }

    /// Returns the number in a unit of the store. A conversion is exact.
    /// - Throws: ``ReadingProblem`` for a unit that the quantity cannot have.
    func stored(_ number: Decimal, _ symbol: String) throws(ReadingProblem) -> (number: Decimal, unit: String) {
        let symbols = symbols
        if symbols.contains(symbol) { return (number, symbol) }
        guard let converted = MeasurementUnit.converted(number, symbol), symbols.contains(converted.unit) else {
            throw ReadingProblem(
                "\(name) in '\(symbol.prefix(32))' is not supported; the units are \(symbols.joined(separator: ", "))")
        }
        return converted
    }

    /// Returns the reason why no person can have a value; nil if it is possible.
    func problem(_ quantity: Quantity) -> HubText? {
        guard let number = quantity.number else { return nil }
        let possible = units.first { $0.unit.symbol == quantity.unit } ?? units.first
        guard let possible, !possible.possible.contains(number) else { return nil }
        return "\(HubText(label)) cannot be \(digits: String(quantity.text.prefix(32))) \(quantity.unit)"
    }

    // MARK: Declarations

    private static func pressure(
        _ name: String, _ title: String, _ code: FHIRCode, from lowest: (mmHg: Double, kPa: Double),
        otherCodes: [String] = []
    ) -> QuantityKind {
        QuantityKind(
            name, title, [(.mmHg, lowest.mmHg...600), (.kilopascals, lowest.kPa...80)],
            recordsUnit: lowest.mmHg > 0, code, otherCodes: otherCodes)
    }

    static let systolic = pressure(
        "systolic", "Systolic", FHIRCode(150021, "MDC_PRESS_BLD_NONINV_SYS", "8480-6", "Systolic blood pressure"),
        from: (5, 0.6))
    static let diastolic = pressure(
        "diastolic", "Diastolic", FHIRCode(150022, "MDC_PRESS_BLD_NONINV_DIA", "8462-4", "Diastolic blood pressure"),
        from: (5, 0.6))
    /// Devices without the mean send 0. The Personal Health Device guide specifies no LOINC code for it.
    static let meanArterialPressure = pressure(
        "meanArterialPressure", "Mean arterial pressure", FHIRCode(150023, "MDC_PRESS_BLD_NONINV_MEAN"), from: (0, 0),
        otherCodes: ["8478-0"])
    /// Home Assistant has no device class for blood pressure and pulse; it would convert the unit of `pressure`.
    static let pulseRate = QuantityKind(
        "pulseRate", "Pulse", [(.beatsPerMinute, 0...1000)], isUnknownAtZero: true,
        FHIRCode(149530, "MDC_PULS_OXIM_PULS_RATE", "8867-4", "Heart rate"))
    static let heartRate = QuantityKind(
        "heartRate", "Heart rate", [(.beatsPerMinute, 0...1000)],
        FHIRCode(147842, "MDC_ECG_HEART_RATE", "8867-4", "Heart rate"), otherCodes: ["149546", "149530"])
    static let glucose = QuantityKind(
        "glucose", "Glucose", [(.milligramsPerDecilitre, 1...5400), (.millimolesPerLitre, 0.05...300)],
        requiresUnit: true, recordsUnit: true, deviceClass: "blood_glucose_concentration", nil,
        otherCodes: ["41653-7", "15074-8", "2339-0", "2345-7", "14749-6"])
    static let weight = QuantityKind(
        "weight", "Weight", [(.kilograms, 0.2...1000), (.pounds, 0.4...2200)], deviceClass: "weight",
        FHIRCode(188736, "MDC_MASS_BODY_ACTUAL", "29463-7", "Body weight"), otherCodes: ["3141-9"])
    static let bmi = QuantityKind(
        "bmi", "Body mass index", label: "BMI", [(.kilogramsPerSquareMetre, 0...500)], isUnknownAtZero: true,
        FHIRCode(188752, "MDC_RATIO_MASS_BODY_LEN_SQ", "39156-5", "Body mass index (BMI) [Ratio]"))
    /// Scales that do not know the height send 0.
    static let height = QuantityKind(
        "height", "Height", [(.metres, 0...3), (.inches, 0...120)],
        FHIRCode(188740, "MDC_LEN_BODY_ACTUAL", "8302-2", "Body height"))
    static let bodyFat = QuantityKind(
        "bodyFat", "Body fat", [(.percent, 0...100)],
        FHIRCode(188748, "MDC_BODY_FAT", "41982-0", "Percentage of body fat Measured"))
    static let temperature = QuantityKind(
        "temperature", "Temperature", [(.celsius, 10...60), (.fahrenheit, 50...140)], deviceClass: "temperature",
        FHIRCode(150364, "MDC_TEMP_BODY", "8310-5", "Body temperature"), otherCodes: FHIRCode.sites.keys.sorted())
    static let spO2 = QuantityKind(
        "spO2", "Oxygen saturation", label: "SpO2", [(.percent, 1...100)],
        FHIRCode(
            150456, "MDC_PULS_OXIM_SAT_O2", "2708-6", "Oxygen saturation in Arterial blood",
            second: ("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry")))

    private static let byName = Dictionary(
        MeasurementKind.allCases.flatMap { $0.values.map { ($0.quantity.name, $0.quantity) } }
    ) { first, _ in first }

    static var all: [QuantityKind] { byName.values.sorted { $0.name < $1.name } }

    package static subscript(name: String) -> QuantityKind? { byName[name] }

    /// Returns the name of a quantity in a sentence.
    static func label(_ name: String) -> HubText { HubText(byName[name]?.label ?? name) }
}
