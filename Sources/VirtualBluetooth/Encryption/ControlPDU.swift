import BluetoothModel

/// The LL control PDUs of the encryption procedures (Core 6.0, Vol 6, Part B, 2.4.2.4 to 2.4.2.15).
enum ControlPDU: Equatable {
    /// LL_ENC_REQ.
    case encryptionRequest(random: UInt64, diversifier: UInt16, EncryptionShare)
    /// LL_ENC_RSP.
    case encryptionResponse(EncryptionShare)
    /// LL_START_ENC_REQ.
    case startRequest
    /// LL_START_ENC_RSP.
    case startResponse
    /// LL_PAUSE_ENC_REQ.
    case pauseRequest
    /// LL_PAUSE_ENC_RSP.
    case pauseResponse
    /// LL_REJECT_IND.
    case rejection(HCIStatus)
    /// LL_REJECT_EXT_IND with the rejected opcode; used if both sides have the feature.
    case extendedRejection(UInt8, HCIStatus)

    static let encryptionRequestOpcode: UInt8 = 0x03

    /// The payload of the PDU.
    var payload: [UInt8] {
        var writer = ByteWriter(capacity: 24)
        switch self {
        case .encryptionRequest(let random, let diversifier, let share):
            writer.uint8(Self.encryptionRequestOpcode)
            writer.uint64(random)
            writer.uint16(diversifier)
            writer.write(share)
        case .encryptionResponse(let share):
            writer.uint8(0x04)
            writer.write(share)
        case .startRequest: writer.uint8(0x05)
        case .startResponse: writer.uint8(0x06)
        case .pauseRequest: writer.uint8(0x0A)
        case .pauseResponse: writer.uint8(0x0B)
        case .rejection(let status): writer.append([0x0D, status.rawValue])
        case .extendedRejection(let opcode, let status): writer.append([0x11, opcode, status.rawValue])
        }
        return writer.bytes
    }

    /// Reads a PDU; nil for any other PDU and for a wrong length.
    init?(_ pdu: LinkPDU) {
        guard pdu.header & 3 == LinkPDU.Kind.control.rawValue else { return nil }
        guard let value = pdu.payload.withByteView({ Self.read($0) }) else { return nil }
        self = value
    }

    private static func read(_ payload: ByteView) -> ControlPDU? {
        var reader = ByteReader(payload)
        var value: ControlPDU?
        switch reader.uint8() {
        case encryptionRequestOpcode:
            guard let random = reader.uint64(), let diversifier = reader.uint16(), let share = reader.share() else {
                return nil
            }
            value = .encryptionRequest(random: random, diversifier: diversifier, share)
        case 0x04: value = reader.share().map { .encryptionResponse($0) }
        case 0x05: value = .startRequest
        case 0x06: value = .startResponse
        case 0x0A: value = .pauseRequest
        case 0x0B: value = .pauseResponse
        case 0x0D: value = reader.uint8().map { .rejection(HCIStatus(rawValue: $0)) }
        case 0x11:
            guard let opcode = reader.uint8(), let status = reader.uint8() else { return nil }
            value = .extendedRejection(opcode, HCIStatus(rawValue: status))
        default: return nil
        }
        return reader.isAtEnd ? value : nil
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ share: EncryptionShare) {
        uint64(share.diversifier)
        uint32(share.vector)
    }
}

extension ByteReader {
    fileprivate mutating func share() -> EncryptionShare? {
        guard let diversifier = uint64(), let vector = uint32() else { return nil }
        return EncryptionShare(diversifier: diversifier, vector: vector)
    }
}
