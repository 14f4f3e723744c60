import Explorer
import Testing

@testable import HaraldCommand

@Suite struct NumberEntryTests {
    @Test func numbersAndNamesAreLookedUp() throws {
        #expect(NumberEntry.lookUp("2A37").first?.line == "2A37    characteristic  Heart Rate Measurement")
        #expect(NumberEntry.lookUp("heart rate").contains { $0.number == "180D" && $0.kind == "service" })
        #expect(NumberEntry.lookUp("0x004C").contains { $0.space == .company && $0.name == "Apple, Inc." })
        #expect(
            NumberEntry.lookUp("272F").first?.line == "272F    unit            Celsius temperature (degree Celsius)")
        #expect(NumberEntry.lookUp("fahrenheit").contains { $0.number == "27AC" && $0.kind == "unit" })
        let belt = try #require(NumberEntry.lookUp("heart rate belt").first)
        #expect(
            belt.json == ["appearance": "0x0341", "kind": "appearance", "name": "Heart Rate Sensor: Heart Rate Belt"])
        #expect(NumberEntry.lookUp("0x0341").contains { $0.space == .appearance && $0.name.hasSuffix("Belt") })
        #expect(NumberEntry.lookUp("no such name at all").isEmpty)
    }
}
