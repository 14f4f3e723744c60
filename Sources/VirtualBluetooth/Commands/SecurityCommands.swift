import BluetoothHCI
import BluetoothModel

extension Command {
    /// Random numbers, AES, and the encryption of links (Core 6.0, Vol 4, Part E, 7.8.22 to 7.8.26).
    ///
    /// Nothing is encrypted on a virtual air. The keys of both hosts are compared, and a link whose keys differ ends
    /// as it would on real air.
    static let security: [Command] = [
        .complete(.leEncrypt, 32, returns: 16, features: .encryption) { controller, reader in
            guard let key = reader.bytes(16), let block = reader.bytes(16) else { return nil }
            // HCI has the least significant byte first, AES the most significant.
            let result = controller.encrypt(key.array.reversed(), block.array.reversed())
            guard result.count == 16 else { return .complete(.hardwareFailure) }
            return .values { $0.append(result.reversed()) }
        },
        .complete(.leRand, 0, returns: 8) { controller, _ in
            let number = controller.generator.next()
            return .values { $0.uint64(number) }
        },
        .status(.leEnableEncryption, 28...28, features: .encryption) { $0.enableEncryption(&$1) },
        .complete(.leLongTermKeyRequestReply, 18, returns: 2, echo: 2, features: .encryption) { controller, reader in
            guard let handle = reader.uint16(), let key = reader.bytes(16)?.array else { return nil }
            return controller.answerKeyRequest(handle, key: key)
        },
        .complete(.leLongTermKeyRequestNegativeReply, 2, returns: 2, echo: 2, features: .encryption) {
            controller, reader in
            guard let handle = reader.uint16() else { return nil }
            return controller.answerKeyRequest(handle, key: nil)
        },
    ]
}

extension VirtualController {
    fileprivate func enableEncryption(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16(), let random = reader.uint64(), let diversifier = reader.uint16(),
            let key = reader.bytes(16)?.array
        else { return nil }
        guard let end = linkTable[handle] else { return .status(.unknownConnection) }
        guard end.role == .central, case .none = end.link.procedure else { return .status(.commandDisallowed) }
        guard end.link.bothSupport(.encryption) else { return .status(.unsupportedRemoteFeature) }
        return .accepted { end.link.startEncryption(key: key, random: random, diversifier: diversifier) }
    }

    fileprivate func answerKeyRequest(_ handle: UInt16, key: [UInt8]?) -> CommandAnswer? {
        guard let end = linkTable[handle] else { return .complete(.unknownConnection) }
        guard end.role == .peripheral, case .keyRequest(let wanted) = end.link.procedure else {
            return .complete(.commandDisallowed)
        }
        return .values {
            $0.uint16(handle)
        } then: {
            end.link.finishEncryption(key: key, wanted: wanted)
        }
    }
}

extension VirtualLink {
    fileprivate func startEncryption(key: [UInt8], random: UInt64, diversifier: UInt16) {
        begin(.keyRequest(key: key))
        perform(from: central) { [unowned self] in
            guard peripheral.controller.wants(.longTermKeyRequest) else {
                // A host that does not want to be asked has no key.
                return finishEncryption(key: nil, wanted: key)
            }
            peripheral.controller.send(.longTermKeyRequest) { buffer in
                buffer.uint16(peripheral.handle)
                buffer.uint64(random)
                buffer.uint16(diversifier)
            }
        }
    }

    /// The peripheral's host gave its key, or has none.
    fileprivate func finishEncryption(key: [UInt8]?, wanted: [UInt8]) {
        endProcedure()
        perform(from: peripheral) { [unowned self] in
            guard let key else {
                // Encryption that was paused for a new key cannot go on with the old one.
                if isEncrypted { return end(reason: .pinOrKeyMissing) }
                return central.controller.sendEncryptionChange(central, status: .pinOrKeyMissing, isOn: false)
            }
            guard key == wanted else { return end(reason: .micFailure) }
            let isRefresh = isEncrypted
            isEncrypted = true
            for end in ends {
                if isRefresh {
                    end.controller.sendEncryptionKeyRefresh(end)
                } else {
                    end.controller.sendEncryptionChange(end, status: .success, isOn: true)
                }
            }
        }
    }
}
