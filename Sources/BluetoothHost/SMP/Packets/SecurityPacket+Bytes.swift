import BluetoothModel

extension SecurityPacket {
    /// Parses a packet, beginning with its code.
    /// - Throws: ``Fault`` for an unknown code or a malformed packet.
    package init(_ view: ByteView) throws(Fault) {
        guard !view.isEmpty, let code = Code(rawValue: view[0]) else { throw .unknownCode }
        var reader = ByteReader(view.dropFirst(1))
        guard let packet = Self.parse(code, &reader), reader.isAtEnd else { throw .malformed(code) }
        self = packet
    }

    private static func parse(_ code: Code, _ reader: inout ByteReader) -> SecurityPacket? {
        switch code {
        case .pairingRequest: return PairingFeatures(&reader).map { .pairingRequest($0) }
        case .pairingResponse: return PairingFeatures(&reader).map { .pairingResponse($0) }
        case .confirm: return reader.reversed(16).map { .confirm($0) }
        case .random: return reader.reversed(16).map { .random($0) }
        case .failed: return reader.uint8().map { .failed(PairingFailureReason(rawValue: $0)) }
        case .encryptionInformation: return reader.key().map { .encryptionInformation($0) }
        case .centralIdentification:
            guard let diversifier = reader.uint16(), let randomNumber = reader.uint64() else { return nil }
            return .centralIdentification(diversifier: diversifier, randomNumber: randomNumber)
        case .identityInformation: return reader.key().map { .identityInformation($0) }
        case .identityAddress:
            guard let kind = reader.uint8().flatMap(BluetoothAddress.Kind.init(rawValue:)),
                let address = reader.bytes(6).flatMap({ BluetoothAddress(littleEndian: $0, kind: kind) }),
                // A private address is not an identity address.
                address.isIdentity
            else { return nil }
            return .identityAddress(address)
        case .signingInformation: return reader.key().map { .signingInformation($0) }
        case .securityRequest:
            return reader.uint8().map { .securityRequest(AuthenticationRequirements(rawValue: $0)) }
        case .publicKey:
            guard let x = reader.reversed(32), let y = reader.reversed(32) else { return nil }
            return .publicKey(P256Point(x: x, y: y))
        case .dhKeyCheck: return reader.reversed(16).map { .dhKeyCheck($0) }
        case .keypress: return reader.uint8().flatMap(Keypress.init(rawValue:)).map { .keypress($0) }
        }
    }

    /// The encoded packet, beginning with its code.
    var octets: [UInt8] {
        var writer = ByteWriter(capacity: 65)
        writer.uint8(code.rawValue)
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features): writer.append(features.octets)
        case .confirm(let value), .random(let value), .dhKeyCheck(let value): writer.append(value.reversed())
        case .failed(let reason): writer.uint8(reason.rawValue)
        case .encryptionInformation(let key), .identityInformation(let key), .signingInformation(let key):
            writer.append(key.littleEndian)
        case .centralIdentification(let diversifier, let randomNumber):
            writer.uint16(diversifier)
            writer.uint64(randomNumber)
        case .identityAddress(let address):
            writer.uint8(address.kind.rawValue)
            address.write(to: &writer)
        case .securityRequest(let requirements): writer.uint8(requirements.rawValue)
        case .publicKey(let point):
            writer.append(point.x.reversed())
            writer.append(point.y.reversed())
        case .keypress(let keypress): writer.uint8(keypress.rawValue)
        }
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads `length` octets and reverses their order.
    fileprivate mutating func reversed(_ length: Int) -> [UInt8]? { bytes(length).map { $0.array.reversed() } }

    fileprivate mutating func key() -> SecurityKey? { reversed(16).flatMap(SecurityKey.init(octets:)) }
}
