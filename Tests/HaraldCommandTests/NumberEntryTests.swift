#if Programs
import Testing

@testable import HaraldCommand

@Suite struct NumberEntryTests {
    @Test func numbersAndNamesAreLookedUp() {
        #expect(NumberEntry.lookUp("2A37").first?.line == "2A37    characteristic  Heart Rate Measurement")
        #expect(NumberEntry.lookUp("heart rate").contains { $0.number == "180D" && $0.kind == "service" })
        #expect(NumberEntry.lookUp("0x004C").contains { $0.isCompany && $0.name == "Apple, Inc." })
        #expect(NumberEntry.lookUp("no such name at all").isEmpty)
    }
}
#endif
