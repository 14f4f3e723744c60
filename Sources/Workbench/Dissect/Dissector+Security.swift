import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// The security manager protocol (Core 6.0, Vol 3, Part H, 3). Keys are never shown.
extension Dissector {
    mutating func security(_ packet: ByteView, _ frame: Frame, _ result: inout Dissection) {
        result.layers.append("smp")
        let code = packet.isEmpty ? nil : SecurityPacket.Code(rawValue: packet[0])
        let name = code.map(Self.name) ?? (packet.isEmpty ? "SMP" : "SMP code 0x\([packet[0]].hexText())")
        result.summary = name
        if packet.count > 1, !Disclosure.shows(securityCode: packet[0]) {
            result.summary = Self.line(name, PacketLayout.concealed(packet.count - 1))
        }
        if frame.isCut { return }
        do throws(SecurityPacket.Fault) {
            let fields = Self.fields(try SecurityPacket(packet))
            if !fields.isEmpty { result.summary = Self.line(name, fields) }
            if code == .failed { result.fail("pairing failed: \(fields)") }
        } catch {
            switch error {
            case .unknownCode: result.fail("an unknown code")
            case .malformed: result.fail("malformed: wrong length (\(packet.count) octets), or an invalid field")
            }
        }
        if code == .pairingRequest || code == .failed { result.notes.append(.procedure(frame.link.index, name)) }
    }

    private static func name(_ code: SecurityPacket.Code) -> String {
        switch code {
        case .pairingRequest: "Pairing Request"
        case .pairingResponse: "Pairing Response"
        case .confirm: "Pairing Confirm"
        case .random: "Pairing Random"
        case .failed: "Pairing Failed"
        case .encryptionInformation: "Encryption Information"
        case .centralIdentification: "Central Identification"
        case .identityInformation: "Identity Information"
        case .identityAddress: "Identity Address Information"
        case .signingInformation: "Signing Information"
        case .securityRequest: "Security Request"
        case .publicKey: "Pairing Public Key"
        case .dhKeyCheck: "Pairing DHKey Check"
        case .keypress: "Keypress Notification"
        }
    }

    private static func fields(_ packet: SecurityPacket) -> String {
        switch packet {
        case .pairingRequest(let features), .pairingResponse(let features):
            "\(features.capability), \(requirements(features.requirements)), "
                + (features.hasOutOfBandData ? "has out-of-band data, " : "")
                + "key of up to \(features.maximumKeySize) octets, central sends \(keys(features.centralKeys)), "
                + "peripheral sends \(keys(features.peripheralKeys))"
        case .failed(let reason): "\(reason)"
        case .identityAddress(let address): "\(address) (\(address.kind))"
        case .securityRequest(let wish): requirements(wish)
        case .keypress(let keypress): "\(keypress)"
        case .confirm, .random, .encryptionInformation, .centralIdentification, .identityInformation,
            .signingInformation, .publicKey, .dhKeyCheck:
            ""
        }
    }

    private static func requirements(_ wish: AuthenticationRequirements) -> String {
        var words = [wish.isBonding ? "bonding" : "no bonding"]
        if wish.contains(.mitm) { words.append("MITM protection") }
        words.append(wish.contains(.secureConnections) ? "Secure Connections" : "legacy pairing")
        if wish.contains(.keypress) { words.append("keypresses") }
        return words.joined(separator: ", ")
    }

    private static func keys(_ keys: KeyDistribution) -> String {
        let names: [(KeyDistribution, String)] = [
            (.encryption, "encryption key"), (.identity, "identity"), (.signing, "signing key"),
        ]
        let words = names.filter { keys.contains($0.0) }.map(\.1)
        return words.isEmpty ? "no key" : words.joined(separator: " and ")
    }
}
