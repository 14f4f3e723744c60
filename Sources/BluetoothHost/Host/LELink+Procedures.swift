import BluetoothHCI
import BluetoothModel

extension LELink {
    /// Reads the link layer features of the peer, once per link.
    package func readRemoteFeatures(completion: @escaping (Result<LEFeatures, RadioError>) -> Void) {
        if let remoteFeatures { return completion(.success(remoteFeatures)) }
        run(procedures.features, .leReadRemoteFeatures, write: { $0.uint16(self.handle) }, completion: completion)
    }

    /// Reads the version of the peer's link layer.
    package func readRemoteVersion(completion: @escaping (Result<RemoteVersion, RadioError>) -> Void) {
        run(procedures.version, .readRemoteVersion, write: { $0.uint16(self.handle) }, completion: completion)
    }

    /// Reads the signal strength of the last packets from the peer in dBm, -127 to 20.
    package func readRSSI(completion: @escaping (Result<Int8, RadioError>) -> Void) {
        ask(.readRSSI, write: { $0.uint16(self.handle) }, completion: completion) { reader in
            guard reader.uint16() != nil, let value = reader.int8() else { return nil }
            return value == 127 ? .failure(.unsupported("the controller did not report the RSSI")) : .success(value)
        }
    }

    /// Reads the PHYs that the link uses.
    package func readPHY(completion: @escaping (Result<LinkPHY, RadioError>) -> Void) {
        guard knows(.leReadPHY) else {
            return completion(.failure(.unsupported("the controller has only the 1M PHY")))
        }
        ask(.leReadPHY, write: { $0.uint16(self.handle) }, completion: completion) { [self] reader in
            guard reader.uint16() != nil, let phy = reader.linkPHY() else { return nil }
            change(phy: phy)
            return .success(phy)
        }
    }

    /// Requests other PHYs, any of the given ones; empty sets leave the choice to the controllers. The result contains
    /// the PHYs after the procedure, which may be unchanged.
    package func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) {
        guard knows(.leSetPHY) else {
            return completion(.failure(.unsupported("the controller has only the 1M PHY")))
        }
        let handle = handle
        run(
            procedures.phy, .leSetPHY,
            write: {
                $0.uint16(handle)
                $0.uint8((transmit.isEmpty ? 1 : 0) | (receive.isEmpty ? 2 : 0))
                $0.uint8(transmit.bits)
                $0.uint8(receive.bits)
                $0.uint16(0)
            }, completion: completion)
    }

    /// Requests longer packets from the controller and the peer. ``LinkChange/dataLength`` is reported if the data
    /// length changes.
    ///
    /// - Parameters:
    ///   - octets: The maximum number of bytes in one packet, 27 to 251.
    ///   - time: The maximum duration of one packet in microseconds, 328 to 17040.
    package func setDataLength(
        octets: UInt16 = 251, time: UInt16 = 2120, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard knows(.leSetDataLength) else {
            return completion(.failure(.unsupported("the controller has no data length extension")))
        }
        let handle = handle
        ask(
            .leSetDataLength,
            write: {
                $0.uint16(handle)
                $0.uint16(octets)
                $0.uint16(time)
            }, completion: completion
        ) { _ in .success(()) }
    }

    /// Starts encryption with a long-term key, as central (Core 6.0, Vol 4, Part E, 7.8.24).
    ///
    /// - Parameters:
    ///   - key: 16 octets, least significant first.
    ///   - randomNumber: Identifies the key to the peer; 0 with LE Secure Connections.
    ///   - diversifier: Identifies the key to the peer; 0 with LE Secure Connections.
    package func startEncryption(
        key: [UInt8], randomNumber: UInt64 = 0, diversifier: UInt16 = 0,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard key.count == 16 else {
            return completion(.failure(.invalidArgument("a long-term key must have 16 octets")))
        }
        guard role == .central else {
            return completion(.failure(.invalidArgument("only the central starts encryption")))
        }
        let handle = handle
        run(
            procedures.encryption, .leEnableEncryption,
            write: {
                $0.uint16(handle)
                $0.uint64(randomNumber)
                $0.uint16(diversifier)
                $0.append(key)
            }, completion: completion)
    }

    func knows(_ opcode: HCIOpcode) -> Bool { host?.controller?.knows(opcode) ?? false }

    /// Runs a command whose result is an event.
    func run<Value>(
        _ queue: LinkProcedureQueue<Value>, _ opcode: HCIOpcode, write: @escaping (inout ByteWriter) -> Void,
        completion: @escaping (Result<Value, RadioError>) -> Void
    ) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        queue.run(
            // Proof of `unowned`: the queue belongs to the link, and both exist while the link runs its procedures.
            start: { [unowned self, unowned queue] in
                guard let host else { return }
                // Captured strongly, because the response may arrive after the link is deallocated.
                let queue = queue
                host.commands.run(opcode, .dispensable, of: self, write: write) { result in
                    if case .failure(let error) = result { queue.finish(.failure(error)) }
                }
            }, completion: completion)
    }

    /// Runs a command whose result is its return parameters.
    private func ask<Value>(
        _ opcode: HCIOpcode, write: (inout ByteWriter) -> Void,
        completion: @escaping (Result<Value, RadioError>) -> Void,
        parse: @escaping (inout ByteReader) -> Result<Value, RadioError>?
    ) {
        guard isOpen, let host else { return completion(.failure(.notConnected)) }
        host.commands.run(opcode, .dispensable, of: self, write: write) { [self] result in
            switch result {
            case .success(let parameters):
                // The link may have ended before the response.
                guard isUp else { return completion(.failure(.notConnected)) }
                var reader = ByteReader(parameters)
                completion(parse(&reader) ?? .failure(.faultyController("response to \(opcode) is too short")))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    // MARK: Changes of values

    func change(parameters: ConnectionParameters) {
        guard parameters != self.parameters else { return }
        self.parameters = parameters
        announce(.parameters)
    }

    func change(phy: LinkPHY) {
        guard phy != self.phy else { return }
        self.phy = phy
        announce(.phy)
    }

    func change(dataLength: LinkDataLength) {
        guard dataLength != self.dataLength else { return }
        self.dataLength = dataLength
        announce(.dataLength)
    }

    /// Sets the security of the link, from encryption events of the controller and the results of pairing.
    package func change(security: LinkSecurity) {
        guard security != self.security else { return }
        protection = security
        l2cap.securityChanged()
        announce(.security)
    }

    private func announce(_ change: LinkChange) {
        guard isUp, let host else { return }
        host.delegate?.host(host, link: self, changed: change)
    }
}

extension Set<PHY> {
    /// The bit mask of the PHYs, as in LE Set PHY: 1M, 2M, coded.
    var bits: UInt8 { reduce(0) { $0 | 1 << ($1.rawValue - 1) } }
}

extension ByteReader {
    /// Reads the PHYs of both directions, transmitter first.
    mutating func linkPHY() -> LinkPHY? {
        guard let transmit = uint8().flatMap(PHY.init(rawValue:)), let receive = uint8().flatMap(PHY.init(rawValue:))
        else { return nil }
        return LinkPHY(transmit: transmit, receive: receive)
    }
}
