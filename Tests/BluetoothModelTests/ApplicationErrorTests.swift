import BluetoothModel
import Testing

@Suite struct ApplicationErrorTests {
    @Test(
        arguments: [
            ("180D", 0x80, "control point not supported (0x80)"), ("1809", 0x80, "out of range (0x80)"),
            ("1808", 0x80, "procedure already in progress (0x80)"),
            ("181C", 0x80, "user data access not permitted (0x80)"),
            ("1805", 0x80, "data field ignored (0x80)"), ("181F", 0x81, "invalid CRC (0x81)"),
            ("180F", 0x80, "application error 0x80"), ("180D", 0x02, "read not permitted (0x02)"),
        ] as [(BluetoothUUID, UInt8, String)])
    func applicationErrorsHaveNamesOfTheirService(_ service: BluetoothUUID, _ code: UInt8, _ text: String) {
        #expect(ATTErrorCode(rawValue: code).description(in: service) == text)
    }
}
