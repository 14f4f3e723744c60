import CoreBluetooth
import CoreFoundation
import Testing

@Suite struct APISurfaceTests {
    @available(*, deprecated)
    @Test func everySymbolHasItsValue() {
        #expect(APIValues.numbers.count == 134)
        for (value, wanted, name) in APIValues.numbers { #expect(value == wanted, "\(name)") }
        for (value, wanted, name) in APIValues.texts { #expect(value == wanted, "\(name)") }
    }

    @Test func errorsAreStructsAndBridge() throws {
        func fail() throws { throw CBError(.connectionTimeout) }
        do { try fail() } catch CBError.connectionTimeout {} catch { Issue.record("another error") }
        let error: any Error = CBATTError(.readNotPermitted)
        #expect((error as? CBATTError)?.code == .readNotPermitted)
        #expect((error as NSError).domain == CBATTErrorDomain)
        #expect((error as NSError).code == 2)
        #expect(CBError.unknownDevice == .unkownDevice)
        // A code of an application has no name and is not lost.
        let own = CBATTError(_nsError: NSError(domain: CBATTErrorDomain, code: 0x80))
        #expect(own.errorCode == 0x80)
        #expect(own.code == .unlikelyError)
    }
}

@Suite struct CBUUIDTests {
    @Test func theThreeFormsAreEqual() {
        let short = CBUUID(string: "180d")
        let medium = CBUUID(string: "0000180D")
        let full = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
        #expect(short == medium)
        #expect(short == full)
        #expect(Set([short, medium, full]).count == 1)
        #expect(short.data == Data([0x18, 0x0D]))
        #expect(medium.data == Data([0, 0, 0x18, 0x0D]))
        #expect(full.data.count == 16)
        #expect(short.uuidString == "180D")
        #expect(full.uuidString == "0000180D-0000-1000-8000-00805F9B34FB")
        #expect(short.description == "Heart Rate")
    }

    @Test func everyMakerAgrees() throws {
        let text = "B0000000-1234-5678-9ABC-DEF012345678"
        let uuid = try #require(UUID(uuidString: text))
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: text))
        #expect(CBUUID(nsuuid: uuid).uuidString == text)
        #expect(CBUUID(data: CBUUID(string: text).data) == CBUUID(string: text))
        #expect(CBUUID() == CBUUID(data: Data(count: 16)))
        let foundation = try #require(
            CFUUIDCreateFromUUIDBytes(
                nil,
                CFUUIDBytes(
                    byte0: 0xB0, byte1: 0, byte2: 0, byte3: 0, byte4: 0x12, byte5: 0x34, byte6: 0x56, byte7: 0x78,
                    byte8: 0x9A, byte9: 0xBC, byte10: 0xDE, byte11: 0xF0, byte12: 0x12, byte13: 0x34, byte14: 0x56,
                    byte15: 0x78)))
        #expect(CBUUID(cfuuid: foundation) == CBUUID(string: text))
        #expect(CBUUID(string: text).copy() as? CBUUID == CBUUID(string: text))
    }
}
