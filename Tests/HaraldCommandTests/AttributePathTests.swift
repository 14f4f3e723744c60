import Harald
import Testing

@testable import HaraldCommand

@Suite struct AttributePathTests {
    @Test(arguments: ["180F/2A19", "battery/battery-level", "Battery Service/Battery Level", "0x180f/2a19"])
    func pathsAreParsed(_ text: String) throws {
        let reading = try #require(try readings(text).first)
        #expect(reading.names(service: "180F", characteristic: "2A19") && reading.descriptors == nil)
        #expect(!reading.names(service: "180D", characteristic: "2A19"))
        #expect(!reading.names(service: "180F", characteristic: "2A1A"))
        #expect(reading.services == ["180F"])
    }

    private func readings(_ text: String) throws -> [AttributePath.Reading] {
        guard case .readings(let readings, _) = try AttributePath(text) else { return [] }
        return readings
    }

    @Test(arguments: [
        "180F/2A19/2902", "battery/battery-level/client characteristic configuration",
    ])
    func threePartsSelectADescriptor(_ text: String) throws {
        let found = try readings(text)
        #expect(found == [.init(services: ["180F"], characteristics: ["2A19"], descriptors: [0x2902])])
        #expect(try AttributePath(text).isDescriptor)
    }

    @Test func twoPartsCanBeACharacteristicAndADescriptor() throws {
        // Two UUIDs are ambiguous; the reading with a service is the first.
        let numbers = try readings("2A19/2902")
        #expect(numbers.first?.services == ["2A19"] && numbers.last?.descriptors == [0x2902])
        #expect(try AttributePath("battery-level/client-characteristic-configuration").isDescriptor)
    }

    @Test func aCharacteristicAloneMatchesAnyService() throws {
        #expect(try readings("battery-level").first?.names(service: "FFF0", characteristic: "2A19") == true)
        #expect(try readings("2A19").first?.services == nil)
    }

    @Test func handlesAreParsed() throws {
        #expect(try AttributePath("#0x0012") == .handle(0x12))
        #expect(try AttributePath("#18") == .handle(18))
    }

    @Test(arguments: ["", "/", "180F/", "a/b/c", "1/2/3/4", "#", "#0", "#zz", "180F/no such thing", "nothing/2A19"])
    func invalidPathsAreUsageErrors(_ text: String) throws {
        let error = try #require(throws: ProgramError.self) { try AttributePath(text) }
        #expect(error.status == .usage)
    }
}
