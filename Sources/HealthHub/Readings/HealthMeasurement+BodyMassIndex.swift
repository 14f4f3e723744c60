#if Programs
import Foundation

extension HealthMeasurement {
    /// The measurement with a body mass index: that of the scale, else of the weight and the person's height.
    /// - Parameter height: in metres; nil where it is not known.
    func withBodyMassIndex(height: Decimal?) -> HealthMeasurement {
        guard kind == .weight, self["bmi"] == nil, let height, let weight = self["weight"]?.canonical else {
            return self
        }
        let metres = NSDecimalNumber(decimal: height).doubleValue
        // Hundredths, so that the text is short; the borders have tenths.
        let index = Decimal((weight / (metres * metres) * 100).rounded()) / 100
        var measurement = self
        measurement.quantities.append(Quantity("bmi", index, unit: "kg/m²"))
        return measurement
    }
}
#endif
