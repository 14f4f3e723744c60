import BluetoothModel
import Testing

@testable import BluetoothHost

/// Each request of the client as octets, and back through the server's parser.
@Suite struct ATTRequestTests {
    static let traces: [(ATTRequest, String)] = [
        (.exchangeMTU(517), "02 0502"),
        (.findInformation(1...0xFFFF), "04 0100 FFFF"),
        (.findByTypeValue(1...0xFFFF, type: 0x2800, value: "180D"), "06 0100 FFFF 0028 0D18"),
        (
            .findByTypeValue(1...0xFFFF, type: 0x2800, value: "12345678-9ABC-DEF0-1122-334455667788"),
            "06 0100 FFFF 0028 8877665544332211F0DEBC9A78563412"
        ),
        (.readByType(0x10...0x20, "2803"), "08 1000 2000 0328"),
        (.read(0x1234), "0A 3412"), (.readBlob(0x1234, offset: 22), "0C 3412 1600"),
        (.readMultiple([3, 5]), "0E 0300 0500"), (.readByGroupType(1...0xFFFF, "2800"), "10 0100 FFFF 0028"),
        (.write(3, [1, 2]), "12 0300 0102"), (.write(3, []), "12 0300"),
        (.prepareWrite(3, offset: 18, part: [7, 8, 9][1...]), "16 0300 1200 0809"),
        (.executeWrite(true), "18 01"), (.executeWrite(false), "18 00"),
        (.readMultipleVariable([3, 5, 7]), "20 0300 0500 0700"),
    ]

    @Test(arguments: 0..<Self.traces.count) func isBuilt(_ index: Int) {
        let (request, text) = Self.traces[index]
        var writer = ByteWriter()
        request.encode(into: &writer)
        #expect(writer.bytes == octets(text))
        writer.withByteView { packet in
            #expect(ATTIncomingRequest(request.opcode, packet) != nil)
        }
    }

    /// Too short and, where the length is fixed, too long.
    @Test(arguments: [
        "02", "0205", "02050200", "04", "04010000", "040100FFFF00", "06", "060100FFFF", "060100FFFF00", "08010000",
        "080100FFFF00", "080100FFFF00112233", "0A", "0A01", "0A010000", "0C0100", "0C01001600FF", "0E", "0E0100",
        "0E01000200FF", "100100FFFF", "100100FFFF00000000", "12", "1201", "16", "16010000", "18", "1802", "180100",
        "20", "200100",
    ])
    func malformedIsAnsweredWithInvalidPDU(_ text: String) {
        let side = OneSide()
        #expect(side.answer(to: text) == "01" + text.prefix(2) + "000004")
    }

    @Test func unknownRequestsAreNotSupportedAndUnknownCommandsIgnored() {
        let side = OneSide()
        #expect(side.answer(to: "2A 0102") == "012A000006")
        #expect(side.answer(to: "22") == "0122000006")
        side.link.receive("40 0102")
        side.link.receive("C2 0102")
        side.link.receive("D2 0300 01 00000000 0011223344556677")
        #expect(side.fake.take().isEmpty)
        #expect(side.link.faults.count(of: .ignoredCommand) == 3)
        side.link.receive("")
        #expect(side.link.faults.count(of: .malformedAttribute) == 1)
    }

    @Test func unexpectedResponsesAndConfirmationsAreCounted() {
        let side = OneSide()
        for text in ["0B0102", "010A030001", "03 0502", "13", "1E", "2101000102", "19"] { side.link.receive(text) }
        #expect(side.fake.take().isEmpty)
        #expect(side.link.faults.count(of: .unexpectedResponse) == 7)
        #expect(side.link.att.mtu == 23)
    }
}
