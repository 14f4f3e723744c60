import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// One user's share of the link to the fake device.
final class FakeShare: KernelShare, RefusingLink {
    let use: LinkUse<FakeLink>
    private let link: FakeLink

    init(_ link: FakeLink, user: RadioUser?) {
        self.link = link
        use = LinkUse(of: link, by: user)
    }

    deinit { use.dropped(ObjectIdentifier(self)) }

    var peripheral: PeripheralID { FakeRadio.peerID }
    var security: LinkSecurity { link.security }
    var canWriteWithoutResponse: Bool { isConnected }

    func maximumWriteLength(withResponse: Bool) -> Int { withResponse ? 512 : mtu - 3 }

    func refusal<Value>(_ completion: @escaping (Result<Value, RadioError>) -> Void) -> OperationID {
        use.begin(nil, completion) { $0.complete(.failure(.unsupported("the fake device has no such feature"))) }
    }

    /// Sends a request whose response is available at once; a nil response becomes an error about the attribute.
    private func ask<Value>(
        _ timeout: Duration?, _ completion: @escaping (Result<Value, RadioError>) -> Void,
        _ answer: @escaping () -> Value?
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            link.ask { done in
                done()
                operation.complete(answer().map { .success($0) } ?? .failure(.att(.invalidHandle, handle: 0)))
            }
        }
    }

    private func attribute(_ id: AttributeID) -> PeerAttribute? { link.attribute(id) }

    // MARK: Discovery: an attribute's identifier is its UUID

    private func id(of uuid: BluetoothUUID) -> AttributeID {
        AttributeID(rawValue: uuid == PeerAttribute.service ? 0xFC00 : 0xFCFF)
    }

    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID {
        ask(timeout, completion) { () }
    }

    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        ask(timeout, completion) { [self] in
            [PeerAttribute.service, PeerAttribute.emptyService].filter { filter?.contains($0) ?? true }
                .map { RemoteService(id: id(of: $0), uuid: $0, isPrimary: true) }
        }
    }

    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID { ask(timeout, completion) { [] } }

    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID {
        ask(timeout, completion) { [self] in
            guard service == id(of: PeerAttribute.service) else { return nil }
            return PeerAttribute.allCases.filter { filter?.contains($0.uuid) ?? true }.map {
                RemoteCharacteristic(
                    id: AttributeID(rawValue: UInt32($0.rawValue)), uuid: $0.uuid, properties: $0.properties)
            }
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID { ask(timeout, completion) { [] } }

    // MARK: Values

    func read(
        _ id: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let (link, user) = (link, user)
            guard let attribute = attribute(id) else {
                return operation.complete(.failure(.att(.invalidHandle, handle: 0)))
            }
            let answer: ([UInt8]) -> Void = { $0.withByteView { operation.complete(.success($0)) } }
            link.ask { done in
                switch attribute {
                case .held:
                    link.radio.device.held.append { value in
                        done()
                        answer(value)
                    }
                    link.radio.events.append(.asked)
                case .refusing:
                    done()
                    operation.complete(.failure(.att(PeerAttribute.refusal, handle: attribute.rawValue)))
                case .secret where link.security.level == .none:
                    let pairing: LinkOperation<LinkSecurity> = link.pending.begin(timeout: nil) { result in
                        done()
                        switch result {
                        case .success: answer(link.radio.device.values[attribute] ?? [])
                        case .failure(let error): operation.complete(.failure(error))
                        }
                    }
                    link.pair(pairing, for: user)
                default:
                    done()
                    answer(link.radio.device.values[attribute] ?? [])
                }
            }
        }
    }

    func write(
        _ bytes: [UInt8], to id: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let radio = link.radio
            let attribute = attribute(id)
            link.ask { done in
                done()
                guard let attribute else { return operation.complete(.failure(.att(.invalidHandle, handle: 0))) }
                if attribute == .refusing {
                    return operation.complete(.failure(.att(PeerAttribute.refusal, handle: attribute.rawValue)))
                }
                radio.device.values[attribute] = bytes
                radio.events.append(.wrote(attribute, bytes))
                operation.complete(.success(()))
            }
        }
    }

    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { write(bytes, to: attribute, timeout: timeout, completion: completion) }

    func subscribe(
        _ id: AttributeID, kind: SubscriptionKind, timeout: Duration?, receive: @escaping (ByteView) -> Void,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let attribute = attribute(id), !attribute.properties.isDisjoint(with: [.notify, .indicate]) else {
                return operation.complete(.failure(.unsupported("the characteristic sends no values")))
            }
            link.subscriptions.subscribe(operation, to: id, receive: receive)
        }
    }

    // MARK: The link

    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID { use.begin(timeout, completion) { link.pair($0, for: user) } }
}
