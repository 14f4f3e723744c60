import BluetoothModel
import Testing

@testable import BluetoothHost

/// Operations that the server refuses for lack of security.
struct SecurityDemandTests {
    @Test func aRequestThatWasRefusedBeforeTheLinkWasEncryptedIsRepeatedWithoutADemand() {
        let side = OneSide()
        var demands = 0
        side.client.onSecurityDemand = { error, _, completion in
            demands += 1
            completion(.failure(error))
        }
        let read = Outcome<[UInt8]>(), write = Outcome<Void>()
        side.client.read(3, completion: read.view)
        side.client.securityChanged()
        side.link.receive("01 0A 0300 05")
        #expect(side.fake.take() == ["0A0300", "0A0300"] && demands == 0)
        side.link.receive("0B 01")
        #expect(read.value == [1])
        // Insufficient authentication on a link that has not changed meanwhile.
        side.client.write(3, [7], completion: write.callAsFunction)
        side.link.receive("01 12 0300 05")
        #expect(write.error == .att(.insufficientAuthentication, handle: 3) && demands == 1)
    }
}
