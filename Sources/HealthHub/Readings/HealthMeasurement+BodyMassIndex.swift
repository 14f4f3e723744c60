#if Programs
import Foundation

extension HealthMeasurement {
    /// Returns the measurement with a body mass index: that of the scale, else one computed from the weight and the
    /// person's height.
    /// - Parameter height: in metres; nil if unknown.
    func withBodyMassIndex(height: Decimal?) -> HealthMeasurement {
        guard kind == .weight, self["bmi"] == nil, let height, let weight = self["weight"]?.canonical else {
            return self
        }
        let metres = NSDecimalNumber(decimal: height).doubleValue
        // Rounded to hundredths to keep the text short; the borders have one decimal.
        let index = Decimal((weight / (metres * metres) * 100).rounded()) / 100
        var measurement = self
        measurement.quantities.append(Quantity("bmi", index, unit: "kg/m²"))
        return measurement
    }
}
#endif
