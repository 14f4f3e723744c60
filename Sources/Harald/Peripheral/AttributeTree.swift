import BluetoothBackend
import BluetoothModel

/// The discovered attributes of a peripheral. It consists of values, so that objects made of them need no reference
/// cycle.
struct AttributeTree: Sendable {
    struct CharacteristicNode: Hashable, Sendable {
        var record: RemoteCharacteristic
        var descriptors: [RemoteDescriptor]?
    }

    struct ServiceNode: Hashable, Sendable {
        var record: RemoteService
        var included: [RemoteService]?
        /// Nil until the characteristics were discovered.
        var characteristics: [CharacteristicNode]?
        /// True if all characteristics were discovered, and not only those of some UUIDs.
        var isComplete = false
    }

    var services: [ServiceNode] = []
    /// True if all services were discovered, and not only those of some UUIDs.
    var isComplete = false

    mutating func merge(_ found: [RemoteService], complete: Bool) {
        if complete {
            services =
                found.map { record in services.first { $0.record == record } ?? ServiceNode(record: record) }
                + services.filter { !$0.record.isPrimary }
            isComplete = true
        } else {
            for record in found { add(record) }
            services.sort { $0.record.id.rawValue < $1.record.id.rawValue }
        }
    }

    mutating func add(_ record: RemoteService) {
        if !services.contains(where: { $0.record == record }) { services.append(ServiceNode(record: record)) }
    }

    mutating func setCharacteristics(_ found: [RemoteCharacteristic], of service: AttributeID, complete: Bool) {
        guard let index = index(of: service) else { return }
        var nodes = services[index].characteristics ?? []
        let known = nodes
        let fresh = found.map { record in
            known.first { $0.record == record } ?? CharacteristicNode(record: record)
        }
        if complete {
            nodes = fresh
            services[index].isComplete = true
        } else {
            nodes += fresh.filter { !known.contains($0) }
            nodes.sort { $0.record.id.rawValue < $1.record.id.rawValue }
        }
        services[index].characteristics = nodes
    }

    mutating func setDescriptors(_ found: [RemoteDescriptor], of characteristic: AttributeID) {
        for service in services.indices {
            guard let index = services[service].characteristics?.firstIndex(where: { $0.record.id == characteristic })
            else { continue }
            services[service].characteristics?[index].descriptors = found
        }
    }

    mutating func setIncluded(_ found: [RemoteService], of service: AttributeID) {
        guard let index = index(of: service) else { return }
        services[index].included = found
        for record in found { add(record) }
    }

    func index(of service: AttributeID) -> Int? { services.firstIndex { $0.record.id == service } }

    func service(_ id: AttributeID) -> ServiceNode? { services.first { $0.record.id == id } }

    func characteristic(_ id: AttributeID) -> CharacteristicNode? {
        for service in services {
            if let node = service.characteristics?.first(where: { $0.record.id == id }) { return node }
        }
        return nil
    }
}
