import Foundation
import HealthHub
import Testing

@testable import HealthHubWeb

@Suite("The answer of a hub as text")
struct HubReplyTests {
    @Test(
        "The mean is in the unit of the reading",
        arguments: [
            ("6.1", "mmol/L", MeasurementKind.glucose, "mg/dL", 126.2, "7.0 mmol/L"),
            ("110", "mg/dL", .glucose, "mg/dL", 126.2, "126.2 mg/dL"),
            ("98.5", "°F", .temperature, "°C", 36.9, "98.4 °F"), ("70", "kg", .weight, "kg", 70.04, "70.0 kg"),
        ])
    func mean(value: String, unit: String, kind: MeasurementKind, canonical: String, mean: Double, text: String) throws
    {
        let name = kind.storedQuantities[0]
        let json = """
            {"results": [{"status": "stored", "person": "1", "judgement": {"sentence": "a sentence"}}],
            "states": {"1": {"summaries": {"\(kind.name)": {"unit": "\(canonical)",
            "periods": [{"days": 7, "count": 2, "mean": {"\(name)": \(mean)}}]}}}}}
            """
        let reply = try #require(HubReply(Data(json.utf8)))
        let measurement = HealthMeasurement(
            kind: kind, quantities: [Quantity(name, Decimal(string: value), unit: unit)])
        #expect(reply.text(of: reply.results[0], measurement) == "a sentence; mean of 7 days \(text)")
    }
}
