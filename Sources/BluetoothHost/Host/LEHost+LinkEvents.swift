import BluetoothHCI
import BluetoothModel

extension LEHost {
    /// Handles LE Read Remote Features Page 0 Complete (7.7.65.4).
    func remoteFeaturesRead(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16() else { return false }
        guard let link = links[handle] else { return true }
        guard status == 0 else {
            link.procedures.features.finish(.failure(.controller(HCIStatus(rawValue: status))))
            return true
        }
        guard let bits = reader.uint64() else { return false }
        let features = LEFeatures(rawValue: bits)
        link.remoteFeatures = features
        link.procedures.features.finish(.success(features))
        return true
    }

    /// Handles Read Remote Version Information Complete (7.7.12).
    func remoteVersionRead(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16() else { return false }
        guard let link = links[handle] else { return true }
        guard status == 0 else {
            link.procedures.version.finish(.failure(.controller(HCIStatus(rawValue: status))))
            return true
        }
        guard let version = reader.uint8(), let company = reader.uint16(), let subversion = reader.uint16() else {
            return false
        }
        link.procedures.version.finish(
            .success(
                RemoteVersion(
                    version: version, company: CompanyIdentifier(rawValue: company), subversion: subversion)))
        return true
    }

    /// Handles LE PHY Update Complete (7.7.65.12).
    func phyUpdated(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16() else { return false }
        guard let link = links[handle] else { return true }
        guard status == 0 else {
            link.procedures.phy.finish(.failure(.controller(HCIStatus(rawValue: status))))
            return true
        }
        guard let phy = reader.linkPHY() else { return false }
        link.change(phy: phy)
        link.procedures.phy.finish(.success(phy))
        return true
    }

    /// Handles LE Data Length Change (7.7.65.7).
    func dataLengthChanged(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let handle = reader.uint16(), let transmitOctets = reader.uint16(), let transmitTime = reader.uint16(),
            let receiveOctets = reader.uint16(), let receiveTime = reader.uint16()
        else { return false }
        links[handle]?.change(
            dataLength: LinkDataLength(
                transmitOctets: transmitOctets, transmitTime: transmitTime, receiveOctets: receiveOctets,
                receiveTime: receiveTime))
        return true
    }

    /// Handles Encryption Change (7.7.8); version 2 contains the size of the key.
    func encryptionChanged(_ parameters: ByteView, hasKeySize: Bool) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16(), let enabled = reader.uint8() else {
            return false
        }
        var keySize: UInt8 = 16
        if hasKeySize {
            guard let size = reader.uint8() else { return false }
            keySize = size
        }
        guard let link = links[handle] else { return true }
        encryptionEnded(
            on: link, HCIStatus(rawValue: status), isEncrypted: enabled != 0, keySize: hasKeySize ? keySize : nil)
        return true
    }

    /// Handles Encryption Key Refresh Complete (7.7.39).
    func encryptionKeyRefreshed(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let status = reader.uint8(), let handle = reader.uint16() else { return false }
        guard let link = links[handle] else { return true }
        encryptionEnded(on: link, HCIStatus(rawValue: status), isEncrypted: true, keySize: nil)
        return true
    }

    /// Updates the security of a link. The security manager knows the level of the key; without one, the key counts as
    /// unauthenticated.
    private func encryptionEnded(on link: LELink, _ status: HCIStatus, isEncrypted: Bool, keySize: UInt8?) {
        guard status == .success else {
            link.procedures.encryption.finish(.failure(.controller(status)))
            securityManager?.encryptionChanged(on: link, status)
            return
        }
        var security = link.security
        if let known = securityManager?.security(of: link, isEncrypted: isEncrypted, keySize: keySize) {
            security = known
        } else {
            security.level = isEncrypted ? max(.encrypted, security.level) : .none
            security.keySize = isEncrypted ? keySize ?? max(16, security.keySize) : 0
        }
        link.change(security: security)
        link.procedures.encryption.finish(.success(security))
        securityManager?.encryptionChanged(on: link, status)
    }

    /// Handles LE Long Term Key Request (7.7.65.5).
    func longTermKeyRequested(_ parameters: ByteView) -> Bool {
        var reader = ByteReader(parameters)
        guard let handle = reader.uint16(), let randomNumber = reader.uint64(), let diversifier = reader.uint16()
        else { return false }
        guard let link = links[handle] ?? binder.bind(handle: handle) else {
            refuseLongTermKey(handle)
            return true
        }
        guard let longTermKeyProvider else {
            let key = securityManager?.longTermKey(
                on: link, randomNumber: randomNumber, diversifier: diversifier)
            answerLongTermKey(handle, key?.littleEndian)
            return true
        }
        var isAnswered = false
        let request = LongTermKeyRequest(link: link, randomNumber: randomNumber, diversifier: diversifier)
        longTermKeyProvider(request) { key in
            guard !isAnswered else { return }
            isAnswered = true
            guard link.isUp, let host = link.host else { return }
            host.answerLongTermKey(handle, key)
        }
        return true
    }

    private func answerLongTermKey(_ handle: UInt16, _ key: [UInt8]?) {
        guard let key, key.count == 16 else { return refuseLongTermKey(handle) }
        commands.run(
            .leLongTermKeyRequestReply, .dispensable, of: links[handle],
            write: {
                $0.uint16(handle)
                $0.append(key)
            }
        ) { _ in }
    }

    private func refuseLongTermKey(_ handle: UInt16) {
        commands.run(
            .leLongTermKeyRequestNegativeReply, .dispensable, of: links[handle], write: { $0.uint16(handle) }
        ) { _ in }
    }
}
