import BluetoothModel
import Testing

@Suite struct ByteViewTests {
    @Test func readsLittleEndianFieldsUntilTheBytesEnd() {
        let bytes: [UInt8] = [0x01, 0x02, 0x03, 0xFE]
        bytes.withByteView { view in
            var reader = ByteReader(view)
            #expect(reader.uint16() == 0x0201)
            #expect(reader.uint24() == nil)
            #expect(reader.uint8() == 3)
            #expect(reader.int8() == -2)
            #expect(reader.isAtEnd && reader.uint8() == nil)
        }
    }
}
