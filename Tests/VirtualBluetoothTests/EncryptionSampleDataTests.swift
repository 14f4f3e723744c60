import BluetoothCipher
import Testing

@testable import VirtualBluetooth

/// The sample data of Core 6.0, Vol 6, Part C, 1.
@Suite struct EncryptionSampleDataTests {
    private static let central = EncryptionShare(diversifier: 0xACBD_CEDF_E0F1_0213, vector: 0xBADC_AB24)
    private static let peripheral = EncryptionShare(diversifier: 0x0213_2435_4657_6879, vector: 0xDEAF_BABE)
    private static let longTermKey: [UInt8] = bytes("4C68384139F574D836BCF34E9DFB01BF").reversed()

    private static var session: EncryptionSession {
        EncryptionSession(longTermKey: longTermKey, central: central, peripheral: peripheral)
    }

    private static func block(_ hex: String) -> AESKey.Block { AESKey.Block(littleEndian: bytes(hex).reversed()) }

    @Test func sessionKey() {
        let key = AESKey(littleEndian: Self.longTermKey)
        let sessionKey = Self.block("99AD1B5226A37E3E058E3B8E27C2C666")
        #expect(key.encrypt(Self.block("0213243546576879ACBDCEDFE0F10213")) == sessionKey)
        // The session has that key: it encrypts alike.
        #expect(Self.session.key.encrypt(AESKey.Block()) == AESKey(sessionKey).encrypt(AESKey.Block()))
        #expect(Self.session.vector == 0xDEAF_BABE_BADC_AB24)
    }

    @Test func controlPackets() {
        let request = ControlPDU.encryptionRequest(random: 0xABCD_EF12_3456_7890, diversifier: 0x2474, Self.central)
        #expect(request.payload == bytes("03 9078563412EFCDAB 7424 1302F1E0DFCEBDAC 24ABDCBA"))
        let response = ControlPDU.encryptionResponse(Self.peripheral)
        #expect(response.payload == bytes("04 7968574635241302 BEBAAFDE"))
        #expect(ControlPDU.startRequest.payload == [0x05])
        let others: [ControlPDU] = [
            .startRequest, .startResponse, .pauseRequest, .pauseResponse, .rejection(.pinOrKeyMissing),
            .extendedRejection(3, .pinOrKeyMissing),
        ]
        for pdu in others + [request, response] {
            #expect(ControlPDU(LinkPDU(.control, payload: pdu.payload)) == pdu)
            #expect(ControlPDU(LinkPDU(.start, payload: pdu.payload)) == nil)
            #expect(ControlPDU(LinkPDU(.control, payload: pdu.payload + [0])) == nil)
            #expect(ControlPDU(LinkPDU(.control, payload: pdu.payload.dropLast())) == nil)
        }
        #expect(ControlPDU(LinkPDU(.control, payload: [0x02, 0x13])) == nil)
    }

    /// The direction, header and plaintext of a packet, and its encrypted form.
    private static let packets: [(LinkEnd.Role, UInt8, String, String)] = [
        (.central, 0x0F, "06", "9F CDA7F448"),
        (.peripheral, 0x07, "06", "A3 4C13A415"),
        (
            .central, 0x0E, "1700636465666768696A6B6C6D6E6F707131323334353637383930",
            "7A70D66415226DF26B17839A060405596BD6564F796B5B9CE6FF32 F75A6D33"
        ),
        (
            .peripheral, 0x06, "17003736353433323130414243444546474849 4A4B4C4D4E4F5051",
            "F38881E7BD94C9C369B9A66846DD4786AA8C39CE540D0DAE3ADCDF 89B96088"
        ),
    ]

    @Test func encryptedPackets() {
        let senders = [
            PacketCipher(Self.session, sender: .central), PacketCipher(Self.session, sender: .peripheral),
        ]
        let receivers = [
            PacketCipher(Self.session, sender: .central), PacketCipher(Self.session, sender: .peripheral),
        ]
        for (sender, header, clear, air) in Self.packets {
            var pdu = LinkPDU(.control, payload: bytes(clear))
            pdu.header = header
            senders[Int(sender.rawValue)].seal(&pdu)
            #expect(pdu.payload == bytes(air))
            // The sequence bits may change in transit, because a packet may be sent again.
            pdu.header ^= 0x1C
            #expect(receivers[Int(sender.rawValue)].open(&pdu))
            #expect(pdu.payload == bytes(clear))
        }
        #expect(senders.map(\.counter) == [2, 2])
    }

    @Test func alteredPacketsAreRefused() {
        for count in [1, 15, 16, 17, 27, 251, 300, 5000] {
            let clear = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            var sealed = LinkPDU(.start, payload: clear)
            PacketCipher(Self.session, sender: .central).seal(&sealed)
            #expect(sealed.payload.count == count + 4)
            var copy = sealed
            #expect(PacketCipher(Self.session, sender: .central).open(&copy))
            #expect(copy.payload == clear)
            // The other direction, another header, each changed byte, a missing byte, and a repeated packet.
            copy = sealed
            #expect(!PacketCipher(Self.session, sender: .peripheral).open(&copy))
            copy = sealed
            copy.header = LinkPDU.Kind.continuation.rawValue
            #expect(!PacketCipher(Self.session, sender: .central).open(&copy))
            for index in stride(from: 0, to: sealed.payload.count, by: count > 100 ? 97 : 1) {
                copy = sealed
                copy.payload[index] ^= 0x10
                #expect(!PacketCipher(Self.session, sender: .central).open(&copy))
            }
            copy = sealed
            copy.payload.removeLast()
            #expect(!PacketCipher(Self.session, sender: .central).open(&copy))
            let receiver = PacketCipher(Self.session, sender: .central)
            copy = sealed
            #expect(receiver.open(&copy))
            copy = sealed
            #expect(!receiver.open(&copy))
        }
        // Nothing to encrypt, nothing to check; and not even room for the check.
        let cipher = PacketCipher(Self.session, sender: .central)
        var empty = LinkPDU(.continuation, payload: [])
        cipher.seal(&empty)
        #expect(empty.payload.isEmpty)
        #expect(cipher.open(&empty))
        for count in 1...4 {
            var short = LinkPDU(.start, payload: [UInt8](repeating: 0, count: count))
            #expect(!cipher.open(&short))
        }
    }
}
