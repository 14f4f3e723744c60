import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// One user's share of a connection.
final class AppleShare: KernelShare {
    let use: LinkUse<AppleLink>
    private let link: AppleLink

    init(_ link: AppleLink, user: RadioUser?) {
        self.link = link
        use = LinkUse(of: link, by: user)
    }

    deinit { use.dropped(ObjectIdentifier(self)) }

    var peripheral: PeripheralID { link.device.id }
    var mtu: Int { link.mtu }
    var parameters: ConnectionParameters? { nil }
    /// The security, which the system does not report.
    var security: LinkSecurity { LinkSecurity() }

    func maximumWriteLength(withResponse: Bool) -> Int { withResponse ? link.longestWrite : link.longestCommand }

    // MARK: Discovery

    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID {
        // CoreBluetooth has no faster way than separate discoveries.
        use.begin(timeout, completion) { $0.complete(.success(())) }
    }

    /// Returns the objects that CoreBluetooth has after a callback, in its order, with the identifiers of their
    /// attributes.
    private func found<Object: CBAttribute>(
        in parent: AttributeID?, _ read: () -> [Object]?
    ) -> [(id: AttributeID, object: Object)] {
        let objects = link.radio.queue.run { read() ?? [] }
        return Array(zip(link.table.note(objects, in: parent), objects)).map { (id: $0.0, object: $0.1) }
    }

    private func record(_ id: AttributeID, _ service: CBService) -> RemoteService {
        RemoteService(id: id, uuid: BluetoothUUID(service.uuid), isPrimary: service.isPrimary)
    }

    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let wanted = filter?.map(\.coreBluetooth)
            link.ask(.services) {
                $0.discoverServices(wanted)
            } _: { [self] result in
                operation.complete(
                    result.map { _ in
                        let object = link.object
                        return found(in: nil) { object.services }.map { record($0.id, $0.object) }
                            .filter { filter?.contains($0.uuid) ?? true }
                    })
            }
        }
    }

    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let object = link.table.service(service) else { return refuse(operation) }
            link.ask(.included(service)) {
                $0.discoverIncludedServices(nil, for: object)
            } _: { [self] result in
                operation.complete(
                    result.map { _ in
                        found(in: service) { object.includedServices }.map { record($0.id, $0.object) }
                    })
            }
        }
    }

    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let object = link.table.service(service) else { return refuse(operation) }
            let wanted = filter?.map(\.coreBluetooth)
            link.ask(.characteristics(service)) {
                $0.discoverCharacteristics(wanted, for: object)
            } _: { [self] result in
                operation.complete(
                    result.map { _ in
                        found(in: service) { object.characteristics }.map { id, characteristic in
                            RemoteCharacteristic(
                                id: id, uuid: BluetoothUUID(characteristic.uuid),
                                properties: CharacteristicProperties(
                                    rawValue: UInt16(truncatingIfNeeded: characteristic.properties.rawValue)))
                        }.filter { filter?.contains($0.uuid) ?? true }
                    })
            }
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let object = link.table.characteristic(characteristic) else { return refuse(operation) }
            link.ask(.descriptors(characteristic)) {
                $0.discoverDescriptors(for: object)
            } _: { [self] result in
                operation.complete(
                    result.map { _ in
                        found(in: characteristic) { object.descriptors }
                            .map { RemoteDescriptor(id: $0.id, uuid: BluetoothUUID($0.object.uuid)) }
                    })
            }
        }
    }

    private func refuse<Value>(_ operation: LinkOperation<Value>) {
        operation.complete(.failure(.att(.invalidHandle, handle: 0)))
    }

    // MARK: Values

    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let take: (Result<AppleLink.Answer, RadioError>) -> Void = { result in
                switch result {
                case .success(.bytes(let bytes)): bytes.withByteView { operation.complete(.success($0)) }
                case .success: [].withByteView { operation.complete(.success($0)) }
                case .failure(let error): operation.complete(.failure(error))
                }
            }
            if let characteristic = link.table.characteristic(attribute) {
                link.ask(.read(attribute), { $0.readValue(for: characteristic) }, take)
            } else if let descriptor = link.table.descriptor(attribute) {
                link.ask(.read(attribute), { $0.readValue(for: descriptor) }, take)
            } else {
                refuse(operation)
            }
        }
    }

    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let take: (Result<AppleLink.Answer, RadioError>) -> Void = { operation.complete($0.map { _ in }) }
            let data = Data(bytes)
            if let characteristic = link.table.characteristic(attribute) {
                link.ask(.write(attribute), { $0.writeValue(data, for: characteristic, type: .withResponse) }, take)
            } else if let descriptor = link.table.descriptor(attribute) {
                guard BluetoothUUID(descriptor.uuid) != 0x2902 else {
                    return operation.complete(
                        .failure(.unsupported("CoreBluetooth writes this descriptor; subscribe instead")))
                }
                link.ask(.write(attribute), { $0.writeValue(data, for: descriptor) }, take)
            } else {
                refuse(operation)
            }
        }
    }

    var canWriteWithoutResponse: Bool { isConnected && link.canWriteWithoutResponse }

    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let characteristic = link.table.characteristic(attribute) else { return refuse(operation) }
            guard bytes.count <= link.longestCommand else {
                let problem = "\(bytes.count) bytes exceed the maximum of one packet (\(link.longestCommand))"
                return operation.complete(.failure(.invalidArgument(problem)))
            }
            link.command(bytes, to: characteristic, operation)
        }
    }

    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let object = link.table.characteristic(characteristic) else { return refuse(operation) }
            let notifies = link.radio.queue.run { object.properties.contains(.notify) }
            // CoreBluetooth notifies if a characteristic offers both, and lets no program choose.
            guard kind == .any || (kind == .notifications) == notifies else {
                let offered = notifies ? "notifies" : "indicates"
                return operation.complete(
                    .failure(.unsupported("CoreBluetooth does not support the choice: it \(offered) here")))
            }
            link.subscriptions.subscribe(operation, to: characteristic, receive: receive)
        }
    }

    // MARK: The link

    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID {
        use.begin(timeout, completion) { operation in
            link.ask(.signalStrength) {
                $0.readRSSI()
            } _: { result in
                operation.complete(
                    result.flatMap { answer in
                        if case .number(let number) = answer, number != 127 { return .success(number) }
                        return .failure(.invalidResponse("the system did not report the signal strength"))
                    })
            }
        }
    }

    func unsupported(_ feature: String) -> RadioError { .unsupported("CoreBluetooth does not provide \(feature)") }

    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID {
        use.beginChannel(timeout, completion) { operation in
            link.hasChannels = true
            link.ask(.channel(psm)) {
                $0.openL2CAPChannel(psm)
            } _: { [link] result in
                // If the device refuses, the link continues; the reason is not reported, so there is no code for it.
                let result = result.mapError { $0 == .disconnected(.failedToEstablish) ? .channelRefused(.max) : $0 }
                operation.complete(
                    result.flatMap { answer in
                        guard case .channel(let channel) = answer else {
                            return .failure(.invalidResponse("the system did not open a channel"))
                        }
                        // The channel of a cancelled request is closed when its object is released.
                        return .success(AppleChannel(channel, peer: link.device.id, loop: link.radio.loop))
                    })
            }
        }
    }

    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID {
        use.begin(nil, completion) {
            $0.complete(.failure(.unsupported("CoreBluetooth pairs automatically when an attribute requires it")))
        }
    }
}
