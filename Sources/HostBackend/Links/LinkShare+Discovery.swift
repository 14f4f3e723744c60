import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// Discovery of the device's attributes, with its log.
extension LinkShare {
    private var discoveryLog: DiscoveryLog {
        DiscoveryLog(log: link.log, loop: loop, metadata: link.link.metadata)
    }

    func discoverDatabase(timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void) -> OperationID {
        discoveryLog.run("all attributes", count: { nil }, completion: completion) { completion in
            OperationID(gatt.discoverDatabase(timeout: timeout, completion: completion))
        }
    }

    func discoverServices(
        _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        let link = link
        return discoveryLog.run("primary services", count: { $0.count }, completion: completion) { completion in
            OperationID(gatt.discoverServices(filter, timeout: timeout) { completion($0.map { link.note($0) }) })
        }
    }

    func discoverSecondaryServices(
        timeout: Duration?, completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        let link = link
        return discoveryLog.run("secondary services", count: { $0.count }, completion: completion) { completion in
            OperationID(gatt.discoverSecondaryServices(timeout: timeout) { completion($0.map { link.note($0) }) })
        }
    }

    var skippedAttributes: SkippedAttributes {
        let (first, count) = link.gatt.discoveryProblems
        return SkippedAttributes(first: first.map { SkippedAttribute($0) }, count: count)
    }

    func discoverIncludedServices(
        of service: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteService], RadioError>) -> Void
    ) -> OperationID {
        guard let service = link.service(service) else { return refuse(completion) }
        let link = link
        return discoveryLog.run(
            "services included by \(service.uuid)", at: .trace, count: { $0.count }, completion: completion
        ) { completion in
            OperationID(
                gatt.discoverIncludedServices(of: service, timeout: timeout) { result in
                    completion(result.map { link.note($0.map(\.service)) })
                })
        }
    }

    func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]?, timeout: Duration?,
        completion: @escaping (Result<[RemoteCharacteristic], RadioError>) -> Void
    ) -> OperationID {
        guard let service = link.service(service) else { return refuse(completion) }
        let link = link
        return discoveryLog.run(
            "characteristics of \(service.uuid)", count: { $0.count }, completion: completion
        ) { completion in
            OperationID(
                gatt.discoverCharacteristics(of: service, filter, timeout: timeout) { result in
                    completion(result.map { link.note($0) })
                })
        }
    }

    func discoverDescriptors(
        of characteristic: AttributeID, timeout: Duration?,
        completion: @escaping (Result<[RemoteDescriptor], RadioError>) -> Void
    ) -> OperationID {
        guard let characteristic = link.characteristic(characteristic) else { return refuse(completion) }
        return discoveryLog.run(
            "descriptors of \(characteristic.uuid)", at: .trace, count: { $0.count }, completion: completion
        ) { completion in
            OperationID(
                gatt.discoverDescriptors(of: characteristic, timeout: timeout) { result in
                    completion(
                        result.map { $0.map { RemoteDescriptor(id: AttributeID($0.handle), uuid: $0.uuid) } })
                })
        }
    }
}

extension SkippedAttribute {
    fileprivate init(_ problem: GATTDiscoveryProblem) {
        let kind: Kind =
            switch problem.kind {
            case .service: .service
            case .includedService: .includedService
            case .characteristic: .characteristic
            case .descriptor: .descriptor
            }
        self.init(kind: kind, attribute: AttributeID(problem.handle), reason: "\(problem.reason)")
    }
}
