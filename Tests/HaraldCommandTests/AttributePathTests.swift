#if Programs
import Harald
import Testing

@testable import HaraldCommand

@Suite struct AttributePathTests {
    @Test(arguments: ["180F/2A19", "battery/battery-level", "Battery Service/Battery Level", "0x180f/2a19"])
    func pathsName(_ text: String) throws {
        let path = try AttributePath(text)
        #expect(path.names(service: "180F", characteristic: "2A19", attribute: 3))
        #expect(!path.names(service: "180D", characteristic: "2A19", attribute: 3))
        #expect(!path.names(service: "180F", characteristic: "2A1A", attribute: 3))
        #expect(path.services == ["180F"])
    }

    @Test func characteristicAloneIsInAnyService() throws {
        #expect(try AttributePath("battery-level").names(service: "FFF0", characteristic: "2A19", attribute: 3))
        #expect(try AttributePath("2A19").services == nil)
    }

    @Test func handlesName() throws {
        #expect(try AttributePath("#0x0012") == .handle(0x12))
        #expect(try AttributePath("#18") == .handle(18))
        #expect(try AttributePath("#18").names(service: "FFF0", characteristic: "FFF1", attribute: 18))
    }

    @Test(arguments: ["", "/", "180F/", "a/b/c", "#", "#0", "#zz", "180F/no such thing", "nothing/2A19"])
    func wrongPathsAreUsageErrors(_ text: String) throws {
        let error = try #require(throws: ProgramError.self) { try AttributePath(text) }
        #expect(error.status == .usage)
    }
}
#endif
