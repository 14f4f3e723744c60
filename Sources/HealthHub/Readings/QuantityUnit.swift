import Foundation

/// The units and the possible values of the quantities.
enum QuantityUnit {
    /// A unit that is converted when a reading arrives, exactly.
    private struct Conversion {
        let unit: String
        let factor: Decimal
    }

    private static func conversion(_ unit: String, of name: String) -> Conversion? {
        switch (name, unit) {
        case ("systolic", "Pa"), ("diastolic", "Pa"), ("meanArterialPressure", "Pa"):
            Conversion(unit: "kPa", factor: Decimal(sign: .plus, exponent: -3, significand: 1))
        // The format of glucose meters has concentrations in kg/L and mol/L.
        case ("glucose", "kg/L"): Conversion(unit: "mg/dL", factor: 100_000)
        case ("glucose", "g/L"): Conversion(unit: "mg/dL", factor: 100)
        case ("glucose", "mol/L"): Conversion(unit: "mmol/L", factor: 1000)
        case ("weight", "g"): Conversion(unit: "kg", factor: Decimal(sign: .plus, exponent: -3, significand: 1))
        // 14 pounds (Weights and Measures Act 1985, schedule 6).
        case ("weight", "st"): Conversion(unit: "lb", factor: 14)
        case ("height", "cm"): Conversion(unit: "m", factor: Decimal(sign: .plus, exponent: -2, significand: 1))
        default: nil
        }
    }

    /// Returns the units that a quantity is stored in, the default unit first if it has one.
    private static func stored(_ name: String) -> [String] {
        switch name {
        case "systolic", "diastolic", "meanArterialPressure": ["mmHg", "kPa"]
        case "glucose": ["mg/dL", "mmol/L"]
        case "weight": ["kg", "lb"]
        case "height": ["m", "in"]
        case "bmi": ["kg/m²"]
        case "bodyFat", "spO2": ["%"]
        case "temperature": ["°C", "°F"]
        case "heartRate", "pulseRate": ["bpm"]
        default: []
        }
    }

    /// The unit of a quantity that was sent without one; nil if it must be sent. Glucose has two usual units.
    static func standard(_ name: String) -> String? { name == "glucose" ? nil : stored(name).first }

    /// Returns the value in a unit of the store. A conversion is exact.
    static func converted(_ value: Decimal, _ unit: String, of name: String) -> (value: Decimal, unit: String)? {
        if stored(name).contains(unit) { return (value, unit) }
        return conversion(unit, of: name).map { (value * $0.factor, $0.unit) }
    }

    /// Returns the reason why a unit is refused; nil if the quantity can have it.
    static func problem(_ unit: String, of name: String) -> String? {
        if stored(name).contains(unit) || conversion(unit, of: name) != nil { return nil }
        return "\(name) in '\(unit.prefix(32))' is not supported; the units are \(stored(name).joined(separator: ", "))"
    }

    /// Returns the reason why no person can have the value; nil if it is possible. The limits are far beyond those of
    /// people.
    static func problem(_ quantity: Quantity) -> String? {
        guard let number = quantity.number else { return nil }
        let possible: ClosedRange<Double>
        switch quantity.name {
        case "systolic", "diastolic": possible = quantity.unit == "kPa" ? 0.6...80 : 5...600
        // Devices without the mean send 0.
        case "meanArterialPressure": possible = quantity.unit == "kPa" ? 0...80 : 0...600
        case "glucose": possible = quantity.unit == "mmol/L" ? 0.05...300 : 1...5400
        case "weight": possible = quantity.unit == "lb" ? 0.4...2200 : 0.2...1000
        // Scales that do not know the height send 0.
        case "height": possible = quantity.unit == "in" ? 0...120 : 0...3
        case "bmi": possible = 0...500
        case "bodyFat": possible = 0...100
        case "temperature": possible = quantity.unit == "°F" ? 50...140 : 10...60
        case "spO2": possible = 1...100
        case "heartRate", "pulseRate": possible = 0...1000
        default: return nil
        }
        if possible.contains(number) { return nil }
        return "\(quantity.name) cannot be \(quantity.text.prefix(32)) \(quantity.unit)"
    }
}
