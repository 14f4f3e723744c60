import BluetoothModel
import Testing

@Suite struct BluetoothAddressTests {
    @Test func textIsMostSignificantFirstAndBytesAreNot() throws {
        let address = try #require(BluetoothAddress("E6:01:02:03:04:05", kind: .random))
        #expect(address.value == 0xE601_0203_0405)
        #expect(address.text == "E6:01:02:03:04:05" && "\(address)" == address.text)
        var writer = ByteWriter()
        address.write(to: &writer)
        #expect(writer.bytes == [0x05, 0x04, 0x03, 0x02, 0x01, 0xE6])
        #expect(writer.bytes.withByteView { BluetoothAddress(littleEndian: $0, kind: .random) } == address)
        #expect(BluetoothAddress("e6-01-02-03-04-05", kind: .random) == address)
        #expect(BluetoothAddress("00:00:00:00:00:0a", kind: .public)?.text == "00:00:00:00:00:0A")
    }

    @Test func aLiteralIsAPublicAddress() {
        let address: BluetoothAddress = "54:6c:0e:01:02:03"
        #expect(address == BluetoothAddress(value: 0x546C_0E01_0203, kind: .public))
        // Text from a variable still returns nil if it is invalid.
        #expect(BluetoothAddress(String("54:6C")) == nil)
    }

    @Test func aMalformedLiteralTraps() async {
        await #expect(processExitsWith: .failure) { _ = "54:6C:0E" as BluetoothAddress }
    }

    @Test(arguments: [
        "", "E6:01:02:03:04", "E6:01:02:03:04:0", "E6:01:02:03:04:05:", "E6:01:02:03:04:0G", "E60102030405",
        "E6.01.02.03.04.05", ":E6:01:02:03:04:0", "E6:01:02:03:04:+5",
    ])
    func otherTextIsNotAnAddress(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func onlySixBytesAreAnAddress() {
        for length in 0..<10 {
            let bytes = [UInt8](repeating: 1, count: length)
            #expect((bytes.withByteView { BluetoothAddress(littleEndian: $0, kind: .public) } != nil) == (length == 6))
        }
    }

    @Test func theTwoUpperBitsDetermineTheTypeOfARandomAddress() {
        func kind(_ text: String) -> BluetoothAddress.RandomKind? { BluetoothAddress(text, kind: .random)?.randomKind }
        #expect(kind("C0:00:00:00:00:00") == .staticAddress && kind("FF:00:00:00:00:00") == .staticAddress)
        #expect(kind("40:00:00:00:00:00") == .resolvablePrivate && kind("7F:00:00:00:00:00") == .resolvablePrivate)
        #expect(kind("3F:00:00:00:00:00") == .nonResolvablePrivate)
        #expect(kind("80:00:00:00:00:00") == .reserved)
        #expect(BluetoothAddress(value: 0, kind: .public).randomKind == nil)
        #expect(BluetoothAddress(value: 0, kind: .public).isIdentity)
        #expect(BluetoothAddress("C0:00:00:00:00:00", kind: .random)?.isIdentity == true)
        #expect(BluetoothAddress("40:00:00:00:00:00", kind: .random)?.isIdentity == false)
    }

    @Test func theKindIsPartOfTheAddress() {
        let bits: UInt64 = 0x4000_0000_0001
        let addresses = [BluetoothAddress(value: bits, kind: .random), BluetoothAddress(value: bits, kind: .public)]
        #expect(addresses[0] != addresses[1] && Set(addresses).count == 2)
        #expect(addresses[1] < addresses[0])
        #expect(BluetoothAddress(value: 0xFFFF_0000_0000_0001, kind: .public).value == 1)
    }

    @Test func onlyResolvableAddressesAreResolved() throws {
        let identity = BluetoothAddress(value: 0xC0DE, kind: .public)
        let known = try #require(BluetoothAddress("4A:00:00:00:00:01", kind: .random))
        let stranger = try #require(BluetoothAddress("4A:00:00:00:00:02", kind: .random))
        let fixed = try #require(BluetoothAddress("CA:00:00:00:00:01", kind: .random))
        var asked: [BluetoothAddress] = []
        let resolver: AddressResolver = { address in
            asked.append(address)
            return address == known ? identity : nil
        }
        #expect(known.resolved(by: resolver) == identity)
        #expect(stranger.resolved(by: resolver) == stranger)
        #expect(fixed.resolved(by: resolver) == fixed)
        #expect(known.resolved(by: nil) == known)
        #expect(asked == [known, stranger])
    }
}
