import BluetoothCipher
import BluetoothHCI
import BluetoothModel

extension Command {
    /// Random numbers, AES, and link encryption (Core 6.0, Vol 4, Part E, 7.8.22 to 7.8.26).
    static let security: [Command] = [
        .complete(.leEncrypt, 32, returns: 16, features: .encryption) { _, reader in
            guard let key = reader.bytes(16), let block = reader.bytes(16) else { return nil }
            let result = AESKey(littleEndian: key.unsafeBytes).encrypt(AESKey.Block(littleEndian: block.unsafeBytes))
            return .values { $0.append(result.littleEndian) }
        },
        .complete(.leRand, 0, returns: 8) { controller, _ in
            let number = controller.generator.next()
            return .values { $0.uint64(number) }
        },
        .status(.leEnableEncryption, 28...28, features: .encryption) { $0.enableEncryption(&$1) },
        .complete(.leLongTermKeyRequestReply, 18, returns: 2, echo: 2, features: .encryption) { controller, reader in
            guard let handle = reader.uint16(), let key = reader.bytes(16)?.array else { return nil }
            return controller.answerKeyRequest(handle) { $0.receiveKey(key) }
        },
        .complete(.leLongTermKeyRequestNegativeReply, 2, returns: 2, echo: 2, features: .encryption) {
            controller, reader in
            guard let handle = reader.uint16() else { return nil }
            return controller.answerKeyRequest(handle) { $0.refuseKey() }
        },
    ]
}

extension VirtualController {
    fileprivate func enableEncryption(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16(), let random = reader.uint64(), let diversifier = reader.uint16(),
            let key = reader.bytes(16)?.array
        else { return nil }
        guard let end = linkTable[handle] else { return .status(.unknownConnection) }
        guard end.role == .central, !end.holdsData else { return .status(.commandDisallowed) }
        // If the host never read the peer's features, the controller has to try.
        if end.knowsPeerFeatures, !end.link.bothSupport(.encryption) { return .status(.unsupportedRemoteFeature) }
        return .accepted { end.link.startEncryption(key: key, random: random, diversifier: diversifier) }
    }

    /// Passes the answer of the peripheral's host to its link, which accepts one answer per request.
    fileprivate func answerKeyRequest(_ handle: UInt16, _ answer: @escaping (VirtualLink) -> Bool) -> CommandAnswer? {
        guard let end = linkTable[handle] else { return .complete(.unknownConnection) }
        guard case .askingHost = end.encryption else { return .complete(.commandDisallowed) }
        return .values {
            $0.uint16(handle)
        } then: {
            _ = answer(end.link)
        }
    }
}
