import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// One user's share of a link.
final class LinkShare: KernelShare {
    let use: LinkUse<HostLink>
    let link: HostLink
    /// The number of the share among those of the link, which its operations carry.
    let number: UInt16
    // Direct references for reads and writes: an indirect access would retain and release every object on the way.
    private let client: GATTClient
    let loop: RadioLoop

    init(_ link: HostLink, number: UInt16, user: RadioUser?) {
        use = LinkUse(of: link, by: user)
        self.link = link
        self.number = number
        client = link.gatt
        loop = link.loop
    }

    deinit { release {} }

    var peripheral: PeripheralID { link.id }
    var mtu: Int { link.gatt.mtu }
    var parameters: ConnectionParameters? { link.link.parameters }
    var security: LinkSecurity { link.link.security }

    func maximumWriteLength(withResponse: Bool) -> Int {
        withResponse ? link.gatt.maximumWriteLength : link.gatt.maximumWriteCommandLength
    }

    func release(completion: @escaping () -> Void) {
        end(.disconnected(.localHostTerminated), completion: completion)
    }

    private func end(_ error: RadioError, completion: @escaping () -> Void) {
        if !use.isReleased { gatt.abandonAll(of: number, error) }
        use.release(ObjectIdentifier(self), error, completion: completion)
    }

    /// The client, with the caller set for the next call.
    var gatt: GATTClient {
        client.caller = number
        return client
    }

    /// Releases the share because the link does not meet the user's policy: the observer receives the end of the link.
    func revoke(_ error: RadioError) {
        guard !use.isReleased else { return }
        let observer = observer
        end(error) {}
        observer?.linkDisconnected(error)
    }

    func cancel(_ operation: OperationID) {
        if operation.rawValue > 1 << 63 { return link.pending.cancel(operation) }
        gatt.cancel(operation.att)
    }

    // MARK: Values

    /// Fails an operation on an attribute that was not discovered on this link, or that is void since the device
    /// changed.
    func refuse<Value>(_ completion: @escaping (Result<Value, RadioError>) -> Void) -> OperationID {
        completion(.failure(.att(.invalidHandle, handle: 0)))
        return OperationID(rawValue: 0)
    }

    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID {
        OperationID(gatt.read(attribute.handle, timeout: timeout, completion: completion))
    }

    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        OperationID(gatt.write(attribute.handle, bytes, timeout: timeout, completion: completion))
    }

    func write(
        _ bytes: [UInt8], to attribute: AttributeID, at offset: Int, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        OperationID(gatt.write(attribute.handle, bytes, at: offset, timeout: timeout, completion: completion))
    }

    var canWriteWithoutResponse: Bool { gatt.canWriteCommand }

    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        OperationID(gatt.writeCommand(attribute.handle, bytes, timeout: timeout, completion: completion))
    }

    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { link.subscribe($0, to: characteristic, kind: kind, receive: receive) }
    }

    var rawFrames: (any RawFrames)? { link.frames }

    func holdConfirmation() -> (() -> Void)? {
        client.holdConfirmation()
    }

    // MARK: The link

    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID {
        timed(timeout, completion) { link, completion in link.readRSSI { completion($0.map(Int.init)) } }
    }

    func readPHY(timeout: Duration?, completion: @escaping (Result<LinkPHY, RadioError>) -> Void) -> OperationID {
        timed(timeout, completion) { link, completion in link.readPHY(completion: completion) }
    }

    func setPHY(
        transmit: Set<PHY>, receive: Set<PHY>, timeout: Duration?,
        completion: @escaping (Result<LinkPHY, RadioError>) -> Void
    ) -> OperationID {
        timed(timeout, completion) { link, completion in
            link.setPHY(transmit: transmit, receive: receive, completion: completion)
        }
    }

    var dataLength: LinkDataLength? { isConnected ? link.link.dataLength : nil }

    func setDataLength(
        _ octets: UInt16, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        timed(timeout, completion) { link, completion in
            // The time on air on LE 1M, at 8 µs per octet. The 14 further octets are the preamble (1), access address
            // (4), header (2), MIC (4) and CRC (3) (Core 6.0, Vol 6, Part B, 2.1).
            link.setDataLength(octets: octets, time: (octets + 14) * 8, completion: completion)
        }
    }

    func updateParameters(
        _ request: ConnectionParametersRequest, timeout: Duration?,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) -> OperationID {
        timed(timeout, completion) { link, completion in link.updateParameters(request, completion: completion) }
    }

    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID {
        use.beginChannel(timeout, completion) { open(psm, for: $0, raisesSecurity: true) }
    }

    /// Opens a channel. If the peer refuses it because the link is not secure enough, secures the link and tries once
    /// more.
    private func open(_ psm: UInt16, for operation: LinkOperation<any BackendChannel>, raisesSecurity: Bool) {
        let (link, user) = (link, user)
        let request = link.link.l2cap.openChannel(psm: psm) { [weak self] result in
            switch result {
            case .success(let channel): operation.complete(.success(HostChannel(channel, peer: link.id)))
            case .failure(let error):
                guard raisesSecurity, error.demandsSecurity, !operation.isOver else {
                    return operation.complete(.failure(error))
                }
                operation.onAbandon = { link.pairingAbandoned() }
                link.raiseSecurity(after: error, for: user) { result in
                    if case .failure(let error) = result { return operation.complete(.failure(error)) }
                    guard let self, !operation.isOver else { return operation.complete(.failure(.cancelled)) }
                    self.open(psm, for: operation, raisesSecurity: false)
                }
            }
        }
        operation.onAbandon = { link.link.l2cap.cancel(request) }
    }

    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID {
        let (link, user) = (link, user)
        return timed(timeout, completion) { _, completion in
            link.pair(to: level, for: user, completion: completion)
        } abandoned: {
            link.pairingAbandoned()
        }
    }

    /// Adds a timeout and a cancellation to a controller procedure; a later result is ignored.
    private func timed<Value>(
        _ timeout: Duration?, _ completion: @escaping (Result<Value, RadioError>) -> Void,
        _ start: (LELink, @escaping (Result<Value, RadioError>) -> Void) -> Void,
        abandoned: @escaping () -> Void = {}
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            operation.onAbandon = abandoned
            start(link.link) { operation.complete($0) }
        }
    }
}

extension OperationID {
    /// Creates the identifier from that of the stack.
    init(_ operation: LinkOperationID) { self.init(rawValue: operation.rawValue) }

    var att: LinkOperationID { LinkOperationID(rawValue: rawValue) }
}
