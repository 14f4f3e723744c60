import BluetoothProfiles
import Foundation
import JSON

/// The codes of quantities in FHIR according to HL7's Personal Health Device guide: MDC (ISO/IEEE 11073-10101) for all
/// quantities, and LOINC for FHIR's vital signs and laboratory values.
package struct FHIRCode: Sendable, Equatable {
    package static let mdcSystem = "urn:iso:std:iso:11073:10101"
    package static let loincSystem = "http://loinc.org"
    package static let ucumSystem = "http://unitsofmeasure.org"

    package var mdc: Int
    /// The reference identifier of the MDC code.
    package var name: String
    package var loinc: (code: String, display: String)?
    /// A second LOINC code that the FHIR profile requires.
    package var secondLOINC: (code: String, display: String)?

    package static func == (left: Self, right: Self) -> Bool { left.mdc == right.mdc }

    init(
        _ mdc: Int, _ name: String, _ loinc: String? = nil, _ display: String = "",
        second: (code: String, display: String)? = nil
    ) {
        (self.mdc, self.name) = (mdc, name)
        self.loinc = loinc.map { ($0, display) }
        secondLOINC = second
    }

    /// Returns the code of a quantity; nil if it has none.
    ///
    /// Quantities of the kind `other` have none: the codes are those of a person's values, not of a room's temperature
    /// or of the pressure in a cuff during the measurement.
    /// - Parameters:
    ///   - unit: the symbol of the unit. Glucose in mg/dL and in mmol/L have different LOINC codes.
    ///   - fluid: the name of the fluid in which glucose was measured.
    package static func of(
        _ quantity: String, _ kind: MeasurementKind, unit: String = "", fluid: String? = nil
    ) -> FHIRCode? {
        guard kind != .other else { return nil }
        if let code = kind.values.first(where: { $0.quantity.name == quantity })?.code { return code }
        return quantity == "glucose" ? glucose(unit: unit, fluid: fluid) : QuantityKind[quantity]?.code
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
    static let sites = [
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

    private var all: [String] { [String(mdc)] + [loinc, secondLOINC].compactMap { $0?.code } }

    /// Returns the kind and the quantity of a code; nil for an unknown code. The quantity of a panel is empty.
    package static func meaning(system: String, code: String) -> (kind: MeasurementKind, quantity: String)? {
        // Only LOINC codes have a check digit after a hyphen.
        guard system == (code.contains("-") ? loincSystem : mdcSystem) else { return nil }
        return meanings[code]
    }

    /// The meanings of the codes. Those of a main quantity precede those of a quantity that several kinds have.
    private static let meanings: [String: (kind: MeasurementKind, quantity: String)] = {
        var meanings: [String: (kind: MeasurementKind, quantity: String)] = [:]
        for fluid in fluids.values where fluid.suffix != "ISF" { meanings[String(fluid.code)] = (.glucose, "glucose") }
        for isMain in [true, false] {
            for kind in MeasurementKind.allCases {
                for code in kind.panel?.all ?? [] { meanings[code] = (kind, "") }
                for value in kind.values where kind.mainQuantities.contains(value.quantity.name) == isMain {
                    let codes = ((value.code ?? value.quantity.code)?.all ?? []) + value.quantity.otherCodes
                    for code in codes where meanings[code] == nil { meanings[code] = (kind, value.quantity.name) }
                }
            }
        }
        meanings["55284-4"] = (.bloodPressure, "")
        return meanings
    }()
}
