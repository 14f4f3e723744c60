import BluetoothModel
import Testing

@testable import BluetoothHost

@Suite struct SecurityPacketTests {
    /// One packet of each kind.
    static let samples = [
        "01 03 00 01 10 07 07", "02 04 01 2D 07 03 01", "03" + hex(16), "04" + hex(16), "05 04", "06" + hex(16),
        "07 3412 0102030405060708", "08" + hex(16), "09 00 665544332211", "09 01 6655443322C1", "0A" + hex(16), "0B 05",
        "0C" + hex(64), "0D" + hex(16), "0E 04",
    ]

    private static func hex(_ count: UInt8) -> String { (1...count).map { $0 }.hexText() }

    private func parse(_ bytes: [UInt8]) -> Result<SecurityPacket, SecurityPacket.Fault> {
        bytes.withByteView { view in
            do throws(SecurityPacket.Fault) { return .success(try SecurityPacket(view)) } catch {
                return .failure(error)
            }
        }
    }

    /// Keypress notifications are sent where both sides support them, and only during passkey entry: the capabilities
    /// of both, and the requirements of both, with 0x10 for keypresses and 0x04 for MITM protection.
    @Test(
        arguments: [
            (UInt8(2), UInt8(0), UInt8(0x14), UInt8(0x14), true), (2, 0, 0x14, 0x04, false), (2, 0, 0x04, 0x14, false),
            (3, 3, 0x14, 0x14, false), (1, 1, 0x1C, 0x1C, false),
        ])
    func keypressesRequirePasskeyEntry(
        _ central: UInt8, _ peripheral: UInt8, _ asked: UInt8, _ answered: UInt8, _ isTold: Bool
    ) throws {
        func features(_ capability: UInt8, _ requirements: UInt8) throws -> PairingFeatures {
            let octets: [UInt8] = [capability, 0, requirements, 16, 0, 0]
            return try #require(
                octets.withByteView { view in
                    var reader = ByteReader(view)
                    return PairingFeatures(&reader)
                })
        }
        let agreement = PairingAgreement(
            request: try features(central, asked), response: try features(peripheral, answered))
        #expect(agreement.hasKeypresses == isTold)
    }

    @Test(arguments: samples) func packetsRoundTrip(_ sample: String) throws {
        let bytes = octets(sample)
        let packet = try parse(bytes).get()
        #expect(packet.octets == bytes && packet.code.rawValue == bytes[0])
        // Every other length is wrong.
        for length in 1..<bytes.count {
            #expect(parse(Array(bytes.prefix(length))) == .failure(.malformed(packet.code)))
        }
        #expect(parse(bytes + [0]) == .failure(.malformed(packet.code)))
    }

    @Test func invalidPacketsAreRefused() {
        for (hex, code) in [
            ("01 05 00 01 10 07 07", SecurityPacket.Code.pairingRequest), ("01 03 02 01 10 07 07", .pairingRequest),
            ("01 03 00 01 06 07 07", .pairingRequest), ("02 03 00 01 11 07 07", .pairingResponse),
            ("09 02 665544332211", .identityAddress), ("09 01 665544332251", .identityAddress),
            ("09 01 665544332211", .identityAddress), ("0E 05", .keypress),
        ] {
            #expect(parse(octets(hex)) == .failure(.malformed(code)))
        }
        for hex in ["", "00", "0F", "FF 01 02"] { #expect(parse(octets(hex)) == .failure(.unknownCode)) }
    }

    @Test func reservedBitsArePreserved() throws {
        guard case .pairingRequest(let features) = try parse(octets("01 03 00 C1 10 F7 87")).get() else {
            Issue.record("it is no pairing request")
            return
        }
        #expect(features.requirements.rawValue == 0xC1 && features.checkedOctets == [0xC1, 0, 3])
        #expect(SecurityPacket.pairingRequest(features).octets == octets("01 03 00 C1 10 F7 87"))
        #expect(features.requirements.isBonding)
        #expect(!AuthenticationRequirements(rawValue: 3).isBonding)
    }

    @Test func valuesAreByteReversed() throws {
        let packet = try parse(octets("03" + Self.hex(16))).get()
        #expect(packet == .confirm(Array((1...16).reversed())))
        #expect("\(packet)" == "confirm")
        let identity = try parse(octets("09 01 6655443322C1")).get()
        #expect(identity == .identityAddress(BluetoothAddress(value: 0xC122_3344_5566, kind: .random)))
    }
}
