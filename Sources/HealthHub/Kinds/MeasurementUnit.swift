import BluetoothProfiles
import Foundation

/// A unit in which quantities are stored, with its conversion to the unit of the statistics.
package struct MeasurementUnit: Sendable {
    /// The symbol and the UCUM code.
    let unit: GATTUnit
    let canonical: GATTUnit
    private let zero, factor, divisor: Double
    /// The decimals that are usual in the unit.
    let decimals: Int

    /// - Parameters:
    ///   - factor: a number in this unit, minus `zero`, times `factor` / `divisor` is the number in `canonical`.
    private init(
        _ unit: GATTUnit, of canonical: GATTUnit? = nil, _ factor: Double = 1, dividedBy divisor: Double = 1,
        zero: Double = 0, decimals: Int = 1
    ) {
        (self.unit, self.canonical, self.decimals) = (unit, canonical ?? unit, decimals)
        (self.zero, self.factor, self.divisor) = (zero, factor, divisor)
    }

    /// The units, with the factors of NIST Special Publication 811, appendix B.8; 18.016 mg/dL of glucose equal 1
    /// mmol/L.
    static let all = [
        MeasurementUnit(.mmHg, decimals: 0), MeasurementUnit(.kilopascals, of: .mmHg, 7.500617),
        MeasurementUnit(.milligramsPerDecilitre, decimals: 0),
        MeasurementUnit(.millimolesPerLitre, of: .milligramsPerDecilitre, 18.016),
        MeasurementUnit(.kilograms), MeasurementUnit(.pounds, of: .kilograms, 0.45359237),
        MeasurementUnit(.metres, decimals: 2), MeasurementUnit(.inches, of: .metres, 0.0254),
        MeasurementUnit(.celsius), MeasurementUnit(.fahrenheit, of: .celsius, 5, dividedBy: 9, zero: 32),
        MeasurementUnit(.percent), MeasurementUnit(.beatsPerMinute, decimals: 0),
        MeasurementUnit(.kilogramsPerSquareMetre),
    ]

    private static let bySymbol = Dictionary(uniqueKeysWithValues: all.map { ($0.unit.symbol, $0) })

    /// The unit with this symbol; nil if no quantity is stored in it.
    static subscript(symbol: String) -> MeasurementUnit? { bySymbol[symbol] }

    /// Returns a number of this unit in the unit of the statistics.
    func canonical(_ number: Double) -> Double { (number - zero) * factor / divisor }

    /// Returns a number of the unit of the statistics in this unit.
    func number(_ canonical: Double) -> Double { canonical * divisor / factor + zero }

    // MARK: Units that are converted

    /// The units from which readings are converted when they arrive, exactly.
    private static let conversions: [String: (factor: Decimal, unit: GATTUnit)] = [
        "Pa": (Decimal(sign: .plus, exponent: -3, significand: 1), .kilopascals),
        // The format of glucose meters has concentrations in kg/L and mol/L.
        "kg/L": (100_000, .milligramsPerDecilitre), "g/L": (100, .milligramsPerDecilitre),
        "mol/L": (1000, .millimolesPerLitre),
        "g": (Decimal(sign: .plus, exponent: -3, significand: 1), .kilograms),
        // 14 pounds (Weights and Measures Act 1985, schedule 6).
        "st": (14, .pounds), "cm": (Decimal(sign: .plus, exponent: -2, significand: 1), .metres),
    ]

    /// Returns the number in a unit in which it is stored; nil for a unit that is not converted.
    static func converted(_ number: Decimal, _ symbol: String) -> (number: Decimal, unit: String)? {
        conversions[symbol].map { (number * $0.factor, $0.unit.symbol) }
    }

    /// UCUM codes with the same meaning as another one, and codes that differ from the symbol of a converted unit.
    private static let otherCodes = ["{beats}/min": "bpm", "1/min": "bpm", "[stone_av]": "st"]

    /// Returns the symbol of the unit with a UCUM code; nil for an unknown code.
    package static func symbol(ofUCUM code: String) -> String? {
        if let unit = all.first(where: { $0.unit.ucum == code }) { return unit.unit.symbol }
        return otherCodes[code] ?? (conversions[code] != nil && code != "st" ? code : nil)
    }
}
