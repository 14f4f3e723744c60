import Foundation

extension HealthMeasurement {
    /// The international avoirdupois pound (NIST Special Publication 811, appendix B.8).
    private static let kilogramsPerPound = Decimal(sign: .plus, exponent: -8, significand: 45_359_237)

    /// Returns the measurement with a body mass index: that of the scale, else one computed from the weight and the
    /// person's height. A scale that does not know the height may send 0.
    /// - Parameter height: in metres; nil if unknown.
    func withBodyMassIndex(height: Decimal?) -> HealthMeasurement {
        var measurement = self
        measurement.quantities.removeAll { $0.name == "bmi" && ($0.isUnknown || $0.value == nil) }
        guard kind == .weight, measurement["bmi"] == nil, let height, let weight = self["weight"],
            let value = weight.value
        else { return measurement }
        // Exact, because a rounded index may be in another range.
        let kilograms = weight.unit == "lb" ? value * Self.kilogramsPerPound : value
        measurement.quantities.append(Quantity("bmi", kilograms / (height * height), unit: "kg/m²"))
        return measurement
    }
}
