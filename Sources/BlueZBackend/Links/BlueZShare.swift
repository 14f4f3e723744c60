import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// One user's share of a link of BlueZ.
final class BlueZShare: KernelShare {
    let use: LinkUse<BlueZLink>
    private let link: BlueZLink

    init(_ link: BlueZLink, user: RadioUser?) {
        self.link = link
        use = LinkUse(of: link, by: user)
    }

    deinit { use.dropped(ObjectIdentifier(self)) }

    var peripheral: PeripheralID { link.id }
    var mtu: Int { link.mtu }
    var parameters: ConnectionParameters? { nil }
    var security: LinkSecurity { link.security }

    /// BlueZ splits writes that are too long for one packet (Core 6.0, Vol 3, Part F, 3.2.9: 512 bytes).
    func maximumWriteLength(withResponse: Bool) -> Int { withResponse ? 512 : link.mtu - 3 }

    // MARK: Discovery

    /// Answers a discovery from BlueZ's objects: BlueZ discovers all attributes after each connection.
    private func discover<Value>(
        _ timeout: Duration?, _ completion: @escaping (Result<Value, RadioError>) -> Void,
        _ find: @escaping (RemoteDatabase) -> Value?
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            let link = link
            link.whenResolved {
                operation.complete(
                    find(link.database).map { .success($0) } ?? .failure(.att(.invalidHandle, handle: 0)))
            }
        }
    }

    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID {
        discover(timeout, completion) { _ in }
    }

    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        discover(timeout, completion) { database in
            database.services.map(\.record).filter { $0.isPrimary && filter?.contains($0.uuid) ?? true }
        }
    }

    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        discover(timeout, completion) { database in
            database.service(service).map { service in
                database.services.filter { service.included.contains($0.path) }.map(\.record)
            }
        }
    }

    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID {
        discover(timeout, completion) { database in
            guard database.service(service) != nil else { return nil }
            return database.characteristics(of: service).filter { filter?.contains($0.uuid) ?? true }
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID {
        discover(timeout, completion) { $0.characteristics[characteristic]?.descriptors.map(\.record) }
    }

    // MARK: Values

    /// Returns the object path, the interface and the handle of an attribute.
    private func place(_ attribute: AttributeID) -> (path: String, interface: String, handle: UInt16)? {
        let handle = UInt16(truncatingIfNeeded: attribute.rawValue)
        if let characteristic = link.database.characteristics[attribute] {
            return (characteristic.path, BlueZ.gattCharacteristic, handle)
        }
        return link.database.descriptorPaths[attribute].map { ($0, BlueZ.gattDescriptor, handle) }
    }

    /// Enqueues a request, and repeats it while another program's request is in progress.
    private func request<Value>(
        _ attribute: AttributeID, _ member: String, _ arguments: [BusValue], _ operation: LinkOperation<Value>,
        _ finish: @escaping ([BusValue]) -> Void
    ) {
        guard let place = place(attribute) else { return operation.complete(.failure(.att(.invalidHandle, handle: 0))) }
        let link = link
        var left = RemoteRequest.attempts
        func attempt(_ done: @escaping () -> Void) {
            guard !operation.isOver, link.isUp else { return done() }
            link.call(place.path, place.interface, member, arguments) { result in
                switch result {
                case .success(let answer):
                    done()
                    finish(answer)
                case .failure(let error) where error.kind == "InProgress" && left > 0:
                    left -= 1
                    link.after(RemoteRequest.pause) { attempt(done) }
                case .failure(let error) where error.isWithoutResponse:
                    // The end of the link follows, and ends this operation and those behind it.
                    link.after(RemoteRequest.endOfLink) {
                        done()
                        operation.complete(.failure(error.radioError(handle: place.handle)))
                    }
                case .failure(let error):
                    done()
                    operation.complete(.failure(error.radioError(handle: place.handle)))
                }
            }
        }
        link.queue.add { attempt($0) }
    }

    func read(
        _ attribute: AttributeID, timeout: Duration?, completion: @escaping (Result<ByteView, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            if attribute == RemoteDatabase.batteryLevel {
                let level = link.radio.client.objects[link.path, BlueZ.battery]?["Percentage"]?.integer
                return [UInt8(clamping: level ?? 0)].withByteView { operation.complete(.success($0)) }
            }
            request(attribute, "ReadValue", [.properties([:])], operation) { answer in
                (answer.first?.bytes ?? []).withByteView { operation.complete(.success($0)) }
            }
        }
    }

    func write(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID { write(bytes, to: attribute, at: 0, timeout: timeout, completion: completion) }

    func write(
        _ bytes: [UInt8], to attribute: AttributeID, at offset: Int, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            if attribute == RemoteDatabase.batteryLevel {
                return operation.complete(.failure(.att(.writeNotPermitted, handle: 0)))
            }
            // Descriptors have a single kind of write, and do not accept the option `type`.
            var options: [String: BusValue] =
                link.database.characteristics[attribute] == nil ? [:] : ["type": .string("request")]
            if offset > 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
            request(attribute, "WriteValue", [.bytes(bytes), .properties(options)], operation) { _ in
                operation.complete(.success(()))
            }
        }
    }

    var canWriteWithoutResponse: Bool { link.queue.hasRoom }

    func writeWithoutResponse(
        _ bytes: [UInt8], to attribute: AttributeID, timeout: Duration?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard bytes.count <= link.mtu - 3 else {
                let problem = "\(bytes.count) bytes exceed the maximum of one packet (\(link.mtu - 3))"
                return operation.complete(.failure(.invalidArgument(problem)))
            }
            if let socket = link.writer(for: attribute) { return socket.send(bytes) { operation.complete($0) } }
            if mayAcquire(attribute) { return acquire(attribute, bytes, operation) }
            command(bytes, attribute, operation)
        }
    }

    private func command(_ bytes: [UInt8], _ attribute: AttributeID, _ operation: LinkOperation<Void>) {
        let options: [String: BusValue] = ["type": .string("command")]
        request(attribute, "WriteValue", [.bytes(bytes), .properties(options)], operation) { _ in
            operation.complete(.success(()))
        }
    }

    /// Returns true if the write socket may be acquired. While a program holds it, BlueZ accepts no other write, so
    /// this is done only where there is no other kind of write.
    private func mayAcquire(_ attribute: AttributeID) -> Bool {
        guard let known = link.database.characteristics[attribute], !known.record.properties.contains(.write) else {
            return false
        }
        return link.hasProperty("WriteAcquired", at: known.path)
    }

    private func acquire(_ attribute: AttributeID, _ bytes: [UInt8], _ operation: LinkOperation<Void>) {
        let link = link
        guard let place = place(attribute) else { return operation.complete(.failure(.notConnected)) }
        link.queue.add { [weak self] done in
            // The next request in the queue uses the socket too: its value follows this one.
            if let socket = link.writer(for: attribute) {
                socket.send(bytes) { operation.complete($0) }
                return done()
            }
            link.call(place.path, place.interface, "AcquireWrite", [.properties([:])]) { result in
                defer { done() }
                if case .success(let answer) = result, case .descriptor(let descriptor)? = answer.first,
                    let socket = link.keep(descriptor, for: attribute)
                {
                    return socket.send(bytes) { operation.complete($0) }
                }
                guard let self else { return operation.complete(.failure(.notConnected)) }
                self.command(bytes, attribute, operation)
            }
        }
    }

    func subscribe(
        _ characteristic: AttributeID, kind: SubscriptionKind, timeout: Duration?,
        receive: @escaping (ByteView) -> Void, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in
            guard let known = link.database.characteristics[characteristic] else {
                return operation.complete(.failure(.att(.invalidHandle, handle: 0)))
            }
            if let problem = kind.problem(with: known.record.properties) {
                return operation.complete(.failure(.unsupported(problem)))
            }
            link.subscriptions.subscribe(operation, to: characteristic, receive: receive)
        }
    }

    // MARK: The link

    func readRSSI(timeout: Duration?, completion: @escaping (Result<Int, RadioError>) -> Void) -> OperationID {
        use.begin(timeout, completion) { operation in
            link.readRSSI(operation)
        }
    }

    func unsupported(_ feature: String) -> RadioError {
        .unsupported("BlueZ does not provide \(feature) over D-Bus; hci:N does")
    }

    func openChannel(
        psm: UInt16, timeout: Duration?, completion: @escaping (Result<any BackendChannel, RadioError>) -> Void
    ) -> OperationID {
        use.beginChannel(timeout, completion) { operation in link.openChannel(psm, operation) }
    }

    func pair(
        to level: LinkSecurity.Level, timeout: Duration?,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) -> OperationID {
        use.begin(timeout, completion) { operation in link.pair(operation, for: user) }
    }
}

extension SubscriptionKind {
    /// Returns the reason why BlueZ cannot do this; nil if it can. BlueZ notifies where the characteristic allows it,
    /// else it indicates.
    func problem(with properties: CharacteristicProperties) -> String? {
        switch self {
        case .any: nil
        case .notifications where properties.contains(.notify): nil
        case .notifications: "the characteristic supports indications only"
        case .indications where !properties.contains(.notify): nil
        case .indications: "BlueZ uses notifications if a characteristic supports both; hci:N supports the choice"
        }
    }
}
