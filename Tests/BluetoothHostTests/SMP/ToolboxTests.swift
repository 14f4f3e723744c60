import BluetoothModel
import Testing

@testable import BluetoothHost

/// The sample data of Core 6.0, Vol 3, Part H, Appendix D, of RFC 4493, and of Vol 3, Part C, 10.4.
@Suite struct ToolboxTests {
    private let u = octets("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
    private let v = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    private let secret = octets("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
    private let n1 = octets("d5cb8454d177733effffb2ec712baeab")
    private let n2 = octets("a6e8e7cc25a75f6e216583f7ff3dc4cf")
    private let a1 = octets("0056123737bfce"), a2 = octets("00a713702dcfc1")

    @Test func confirmValue() {
        #expect(SecurityToolbox.f4(u, v, n1, 0) == octets("f2c916f107a9bd1cf1eda1bea974872d"))
    }

    @Test func keysOfSecureConnections() {
        let keys = SecurityToolbox.f5(secret, n1, n2, a1, a2)
        #expect(keys.macKey == octets("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(keys.longTermKey == octets("6986791169d7cd23980522b594750a38"))
    }

    @Test func check() {
        let value = SecurityToolbox.f6(
            octets("2965f176a1084a02fd3f6a20ce636e20"), n1, n2, octets("12a3343bb453bb5408da42d20c2d0fc8"),
            octets("010102"), a1, a2)
        #expect(value == octets("e3c473989cd0e8c5d26c0b09da958f61"))
    }

    @Test func comparedNumber() { #expect(SecurityToolbox.g2(u, v, n1, n2) == 798_938_554) }

    @Test func legacyConfirmValue() {
        let value = SecurityToolbox.c1(
            SecurityToolbox.wide(0), octets("5783d52156ad6f0e6388274ec6702ee0"), request: octets("07071000000101"),
            response: octets("05000800000302"), central: BluetoothAddress(value: 0xA1A2_A3A4_A5A6, kind: .random),
            peripheral: BluetoothAddress(value: 0xB1B2_B3B4_B5B6, kind: .public))
        #expect(value == octets("1e1e3fef878988ead2a74dc5bef13b86"))
    }

    @Test func shortTermKey() {
        let key = SecurityToolbox.s1(
            SecurityToolbox.wide(0), octets("000f0e0d0c0b0a091122334455667788"),
            octets("010203040506070899aabbccddeeff00"))
        #expect(key == octets("9a1fe1f0e8b0f49b5b4216ae796da062"))
    }

    @Test func resolvableAddress() throws {
        let key = try #require(SecurityKey(octets: octets("ec0234a357c8ad05341010a60a397d9b")))
        #expect(SecurityToolbox.ah(key, 0x708194) == 0x0DFBAA)
        let own = BluetoothAddress(value: 0x7081_940D_FBAA, kind: .random)
        #expect(own.isResolved(by: key))
        #expect(!BluetoothAddress(value: 0x7081_940D_FBAB, kind: .random).isResolved(by: key))
        #expect(!BluetoothAddress(value: 0x7081_940D_FBAA, kind: .public).isResolved(by: key))
        for _ in 0..<50 {
            let made = BluetoothAddress.resolvable(with: key)
            #expect(made.randomKind == .resolvablePrivate && made.isResolved(by: key))
        }
    }

    @Test func linkKeys() {
        let key = octets("ec0234a357c8ad05341010a60a397d9b")
        #expect(SecurityToolbox.h6(key, octets("6c656272")) == octets("2d9ae102e76dc91ce8d3a9e280b16399"))
        #expect(
            SecurityToolbox.h7(octets("000000000000000000000000746d7031"), key)
                == octets("fb173597c6a3c0ecd2998c2a75a57011"))
    }

    @Test(arguments: [
        ("", "bb1d6929e95937287fa37d129b756746"),
        ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
        (
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
            "dfa66747de9ae63030ca32611497c827"
        ),
        (
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52ef"
                + "f69f2445df4f9b17ad2b417be66c3710", "51f0bebf7e3b9d92fc49741779363cfe"
        ),
    ]) func messageAuthenticationCode(message: String, code: String) {
        let key = octets("2b7e151628aed2a6abf7158809cf4f3c")
        #expect(SecurityToolbox.cmac(key, octets(message)) == octets(code))
    }

    @Test func keyAgreement() throws {
        let a = try #require(
            P256KeyPair(privateKey: octets("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")))
        let b = try #require(
            P256KeyPair(privateKey: octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")))
        #expect(a.point.x == u)
        #expect(a.point.y == octets("dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"))
        #expect(b.point.x == octets("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"))
        #expect(b.point.y == octets("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"))
        #expect(a.secret(with: b.point) == secret && b.secret(with: a.point) == secret)
        #expect(a.point == .debug)
    }

    @Test func aPointOffTheCurveIsRefused() {
        let pair = P256KeyPair(from: SecurityRandom.system)
        let zero = [UInt8](repeating: 0, count: 32)
        for point in [
            P256Point(x: u, y: v), P256Point(x: zero, y: zero), P256Point(x: u, y: zero),
            P256Point(x: zero.map { ~$0 }, y: zero),
        ] {
            #expect(pair.secret(with: point) == nil)
        }
    }

    @Test func signatures() {
        #expect(signature("3c4fcf098815f7aba6d2ae2816157e2b", "", 0) == octets("00000000b3a8594127ebc2c0"))
        #expect(
            signature("505e42df9691ec72d31fcdfbeb641b61", "d212001337", 1) == octets("01000000f1871e933c900ff2"))
    }

    private func signature(_ key: String, _ message: String, _ counter: UInt32) -> [UInt8] {
        SecurityKey(littleEndian: octets(key)).map {
            AttributeSignature.make($0, message: octets(message), counter: counter)
        } ?? []
    }

    @Test func keysAreShortenedAtTheMostSignificantEnd() throws {
        let key = try #require(SecurityKey(octets: Array(1...16)))
        #expect(key.masked(to: 7).octets == [0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 14, 15, 16])
        #expect(key.masked(to: 16) == key && key.littleEndian == Array((1...16).reversed()))
        #expect(try #require(SecurityKey(octets: [UInt8](repeating: 0xAA, count: 16))).isDegenerate())
        #expect(!key.isDegenerate(size: 7))
    }

    @Test func descriptionsOfKeysHideTheirOctets() throws {
        let key = try #require(SecurityKey(octets: [UInt8](repeating: 0xA5, count: 16)))
        var bond = Bond(
            localAddress: address(1), peerAddress: address(2),
            strength: KeyStrength(isAuthenticated: true, isSecureConnections: true))
        bond.localKey = LongTermKey(key: key)
        bond.peerIdentityKey = key
        bond.localSigningKey = SigningKey(key: key)
        var dumped = ""
        dump(bond, to: &dumped)
        for text in ["\(bond)", String(reflecting: bond), "\(key)", dumped, "\(LongTermKey(key: key))"] {
            #expect(!text.contains("165") && !text.lowercased().contains("a5a5"))
        }
        #expect("\(SecurityQuestion.display(passkey: 4711))\(SecurityAnswer.passkey(4711))".contains("4711") == false)
    }
}
