import Testing

@testable import BluetoothTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if os(Linux)
@Suite(.timeLimit(.minutes(2))) struct HCIUserSocketTests {
    @Test func theSocketAddressHasTheKernelsLayout() {
        let bytes = HCIUserSocket.address(index: 0x0102).withPointer { pointer, length in
            Array(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
        }
        let expected = [31, 0x0102, 1] as [UInt16]
        #expect(bytes == expected.withUnsafeBytes { Array($0) })
    }

    @Test(arguments: [
        (EPERM, "setcap cap_net_admin"), (EBUSY, "btmgmt -i hci3 power off"), (EUSERS, "another program"),
        (ENODEV, "plug the adapter in"), (ERFKILL, "rfkill unblock bluetooth"), (EAFNOSUPPORT, "no Bluetooth"),
        (ETIMEDOUT, "does not respond"), (EINVAL, "open failed"),
    ])
    func everyErrorHasARemedy(_ code: Int32, _ words: String) {
        let text = "\(HCIUserSocket.failure(code, index: 3))"
        #expect(text.contains(words) && text.contains("hci"), "\(text)")
    }

    @Test func aMissingAdapterIsAnError() async {
        for _ in 0..<200 {
            await #expect(throws: TransportError.self) { _ = try await TestChannel.open("hci:997") }
        }
        // No other test has sockets of this family.
        #expect(socketCount(family: 31, type: SystemCall.rawSocket) == 0)
    }
}
#endif
