import BluetoothProfiles
import Foundation
import JSON

/// The codes of quantities in FHIR according to HL7's Personal Health Device guide: MDC (ISO/IEEE 11073-10101) for all
/// quantities, and LOINC for FHIR's vital signs and laboratory values.
package struct FHIRCode: Sendable, Equatable {
    /// The system of MDC codes.
    package static let mdcSystem = "urn:iso:std:iso:11073:10101"
    /// The system of LOINC codes.
    package static let loincSystem = "http://loinc.org"
    /// The system of UCUM units.
    package static let ucumSystem = "http://unitsofmeasure.org"

    /// The MDC code.
    package var mdc: Int
    /// The reference identifier of the MDC code.
    package var name: String
    /// The LOINC code and its display text.
    package var loinc: (code: String, display: String)?
    /// A second LOINC code that the FHIR profile requires.
    package var secondLOINC: (code: String, display: String)?

    package static func == (left: Self, right: Self) -> Bool { left.mdc == right.mdc }

    private init(
        _ mdc: Int, _ name: String, _ loinc: String? = nil, _ display: String = "",
        second: (code: String, display: String)? = nil
    ) {
        (self.mdc, self.name) = (mdc, name)
        self.loinc = loinc.map { ($0, display) }
        secondLOINC = second
    }

    /// The code of the blood pressure panel.
    package static let bloodPressure = FHIRCode(
        150020, "MDC_PRESS_BLD_NONINV", "85354-9", "Blood pressure panel with all children optional")

    /// Returns the code of a quantity; nil if it has none.
    ///
    /// Quantities of the kind `other` have none: the codes are those of a person's values, not of a room's temperature
    /// or of the pressure in a cuff during the measurement.
    /// - Parameters:
    ///   - unit: the symbol of the unit. Glucose in mg/dL and in mmol/L have different LOINC codes.
    ///   - fluid: the name of the fluid in which glucose was measured.
    package static func of(
        _ quantity: String, _ kind: ReadingKind, unit: String = "", fluid: String? = nil
    ) -> FHIRCode? {
        switch (quantity, kind) {
        case (_, .other): nil
        case ("systolic", _): FHIRCode(150021, "MDC_PRESS_BLD_NONINV_SYS", "8480-6", "Systolic blood pressure")
        case ("diastolic", _): FHIRCode(150022, "MDC_PRESS_BLD_NONINV_DIA", "8462-4", "Diastolic blood pressure")
        // The guide specifies no LOINC code for the mean.
        case ("meanArterialPressure", _): FHIRCode(150023, "MDC_PRESS_BLD_NONINV_MEAN")
        case ("pulseRate", .bloodPressure): FHIRCode(149546, "MDC_PULS_RATE_NON_INV", "8867-4", "Heart rate")
        case ("pulseRate", _): FHIRCode(149530, "MDC_PULS_OXIM_PULS_RATE", "8867-4", "Heart rate")
        case ("heartRate", _): FHIRCode(147842, "MDC_ECG_HEART_RATE", "8867-4", "Heart rate")
        case ("weight", _): FHIRCode(188736, "MDC_MASS_BODY_ACTUAL", "29463-7", "Body weight")
        case ("bmi", _): FHIRCode(188752, "MDC_RATIO_MASS_BODY_LEN_SQ", "39156-5", "Body mass index (BMI) [Ratio]")
        case ("height", _): FHIRCode(188740, "MDC_LEN_BODY_ACTUAL", "8302-2", "Body height")
        case ("bodyFat", _): FHIRCode(188748, "MDC_BODY_FAT", "41982-0", "Percentage of body fat Measured")
        case ("temperature", _): FHIRCode(150364, "MDC_TEMP_BODY", "8310-5", "Body temperature")
        case ("spO2", _):
            FHIRCode(
                150456, "MDC_PULS_OXIM_SAT_O2", "2708-6", "Oxygen saturation in Arterial blood",
                second: ("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"))
        case ("glucose", .continuousGlucose): FHIRCode(160212, "MDC_CONC_GLU_ISF")
        case ("glucose", _): glucose(unit: unit, fluid: fluid)
        default: nil
        }
    }

    /// The codes of glucose by the name of the fluid (Glucose Service 1.0.1, 3.1.1.5).
    private static let fluids: [String: (code: Int, suffix: String)] = [
        "capillary whole blood": (160184, "CAPILLARY_WHOLEBLOOD"), "capillary plasma": (160188, "CAPILLARY_PLASMA"),
        "venous whole blood": (160192, "VENOUS_WHOLEBLOOD"), "venous plasma": (160196, "VENOUS_PLASMA"),
        "arterial whole blood": (160200, "ARTERIAL_WHOLEBLOOD"), "arterial plasma": (160204, "ARTERIAL_PLASMA"),
        "undetermined whole blood": (160364, "UNDETERMINED_WHOLEBLOOD"),
        "undetermined plasma": (160368, "UNDETERMINED_PLASMA"), "interstitial fluid": (160212, "ISF"),
        "control solution": (160208, "CONTROL"),
    ]

    /// Returns the code for a type of sample. LOINC codes name their sample too: one is added only if it is the same.
    private static func glucose(unit: String, fluid: String?) -> FHIRCode {
        let (code, suffix) = fluids[fluid?.lowercased() ?? ""] ?? (160364, "UNDETERMINED_WHOLEBLOOD")
        let name = "MDC_CONC_GLU_\(suffix)"
        return switch (unit, suffix) {
        case ("mmol/L", _) where suffix.hasSuffix("WHOLEBLOOD"):
            FHIRCode(code, name, "15074-8", "Glucose [Moles/volume] in Blood")
        // A glucometer measures capillary blood, also if it shows the concentration in plasma.
        case ("mg/dL", _) where suffix.hasPrefix("CAPILLARY"):
            FHIRCode(code, name, "41653-7", "Glucose [Mass/volume] in Capillary blood by Glucometer")
        case ("mg/dL", _) where suffix.hasSuffix("WHOLEBLOOD"):
            FHIRCode(code, name, "2339-0", "Glucose [Mass/volume] in Blood")
        default: FHIRCode(code, name)
        }
    }

    /// Returns the name of the fluid in the codings of glucose; nil if none has one.
    static func fluid(_ codings: [JSONValue]) -> String? {
        let names = codings.filter { $0["system"]?.string == mdcSystem }.compactMap { coding in
            fluids.first { String($0.value.code) == coding["code"]?.string }?.key
        }
        return names.first { $0 == HealthMeasurement.controlSolution } ?? names.first
    }

    /// The sites of measurement in codes of LOINC for a body temperature.
    private static let sites = [
        "8328-7": "armpit", "8331-1": "mouth", "8332-9": "rectum", "8333-7": "tympanum",
    ]

    /// Returns the site of measurement of a body temperature, as a thermometer names it; nil if it is not known.
    static func site(of observation: JSONValue) -> String? {
        let code = observation["code"]?["coding"]?.elements.compactMap { $0["code"]?.string.flatMap { sites[$0] } }
            .first
        let site = observation["bodySite"]
        let texts = [site?["text"]?.string] + (site?["coding"]?.elements ?? []).map { $0["display"]?.string }
        let names = Set(TemperatureSite.names.values)
        return code ?? texts.compactMap { $0?.lowercased() }.first(where: names.contains)
    }

    /// The codings of the code.
    package var codings: JSONValue {
        var codings: [JSONValue] = [
            ["system": .string(Self.mdcSystem), "code": .string(String(mdc)), "display": .string(name)]
        ]
        for loinc in [loinc, secondLOINC].compactMap({ $0 }) {
            codings.append(
                ["system": .string(Self.loincSystem), "code": .string(loinc.code), "display": .string(loinc.display)])
        }
        return .array(codings)
    }

    /// Returns the kind and the quantity of a code; nil for an unknown code.
    package static func meaning(system: String, code: String) -> (kind: ReadingKind, quantity: String)? {
        guard let meanings = [mdcSystem: byMDC, loincSystem: byLOINC][system] else { return nil }
        return meanings[code]
    }

    private static let byMDC: [String: (ReadingKind, String)] = {
        var meanings: [String: (ReadingKind, String)] = [
            "150020": (.bloodPressure, ""), "150021": (.bloodPressure, "systolic"),
            "150022": (.bloodPressure, "diastolic"), "150023": (.bloodPressure, "meanArterialPressure"),
            "149546": (.heartRate, "heartRate"), "149530": (.heartRate, "heartRate"),
            "147842": (.heartRate, "heartRate"), "188736": (.weight, "weight"), "188752": (.weight, "bmi"),
            "188740": (.weight, "height"), "188748": (.bodyComposition, "bodyFat"),
            "150364": (.temperature, "temperature"), "150456": (.oxygenSaturation, "spO2"),
            "160212": (.continuousGlucose, "glucose"),
        ]
        for code in [160184, 160188, 160192, 160196, 160200, 160204, 160364, 160368, 160208] {
            meanings[String(code)] = (.glucose, "glucose")
        }
        return meanings
    }()

    private static let byLOINC: [String: (ReadingKind, String)] = [
        "85354-9": (.bloodPressure, ""), "55284-4": (.bloodPressure, ""), "8480-6": (.bloodPressure, "systolic"),
        "8462-4": (.bloodPressure, "diastolic"), "8478-0": (.bloodPressure, "meanArterialPressure"),
        "8867-4": (.heartRate, "heartRate"), "29463-7": (.weight, "weight"), "39156-5": (.weight, "bmi"),
        "3141-9": (.weight, "weight"), "8302-2": (.weight, "height"), "41982-0": (.bodyComposition, "bodyFat"),
        "8310-5": (.temperature, "temperature"), "8328-7": (.temperature, "temperature"),
        "8331-1": (.temperature, "temperature"), "8332-9": (.temperature, "temperature"),
        "8333-7": (.temperature, "temperature"),
        "2708-6": (.oxygenSaturation, "spO2"), "59408-5": (.oxygenSaturation, "spO2"), "41653-7": (.glucose, "glucose"),
        "15074-8": (.glucose, "glucose"), "2339-0": (.glucose, "glucose"), "2345-7": (.glucose, "glucose"),
        "14749-6": (.glucose, "glucose"),
    ]
}

/// Converts between unit symbols and UCUM codes.
package enum FHIRUnit {
    private static let pairs: [(symbol: String, ucum: String)] = [
        ("mmHg", "mm[Hg]"), ("kPa", "kPa"), ("mg/dL", "mg/dL"), ("mmol/L", "mmol/L"), ("kg", "kg"), ("lb", "[lb_av]"),
        ("m", "m"), ("in", "[in_i]"), ("kg/m²", "kg/m2"), ("%", "%"), ("°C", "Cel"), ("°F", "[degF]"), ("bpm", "/min"),
    ]

    /// Returns the UCUM code of a symbol; nil for an unknown symbol.
    package static func ucum(_ symbol: String) -> String? { pairs.first { $0.symbol == symbol }?.ucum }

    /// Returns the symbol of a UCUM code; nil for an unknown code.
    package static func symbol(_ ucum: String) -> String? {
        if let symbol = pairs.first(where: { $0.ucum == ucum })?.symbol { return symbol }
        // Units that are converted when a reading arrives.
        return switch ucum {
        case "{beats}/min", "1/min": "bpm"
        case "[stone_av]": "st"
        case "g", "Pa", "cm", "g/L", "kg/L", "mol/L": ucum
        default: nil
        }
    }
}
