import BluetoothBackend
import BluetoothModel

/// After a reconnection, repeats the earlier discovery and keeps the attributes that still exist.
///
/// With a valid cache in the backend this costs one request or none.
final class Rediscovery {
    private let old: AttributeTree
    private var tree = AttributeTree()
    /// The services that the device has changed since the beginning.
    private var changed: Set<AttributeID> = []
    private let link: any PeripheralLink
    private static let timeout = Duration.seconds(10)

    init(tree: AttributeTree, link: any PeripheralLink) {
        old = tree
        self.link = link
    }

    /// Drops services that the device has changed, also from results that are on their way.
    func drop(_ services: [AttributeID]) {
        changed.formUnion(services)
        tree.services.removeAll { changed.contains($0.record.id) }
        tree.isComplete = false
    }

    func run(completion: @escaping (Result<AttributeTree, RadioError>) -> Void) {
        let primary = old.services.filter(\.record.isPrimary)
        guard !primary.isEmpty else { return completion(.success(AttributeTree())) }
        let filter = old.isComplete ? nil : Array(Set(primary.map(\.record.uuid)))
        link.discoverServices(filter, timeout: Self.timeout) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let found):
                tree.merge(found.filter { !changed.contains($0.id) }, complete: old.isComplete && changed.isEmpty)
                secondary(primary, completion)
            }
        }
    }

    /// Discovers the secondary services again where one of them is included by no other service.
    private func secondary(
        _ primary: [AttributeTree.ServiceNode], _ completion: @escaping (Result<AttributeTree, RadioError>) -> Void
    ) {
        let included = Set(old.services.flatMap { $0.included ?? [] })
        let goOn = { [self] in self.included(old.services.filter { $0.included != nil }[...], completion) }
        guard old.services.contains(where: { !$0.record.isPrimary && !included.contains($0.record) }) else {
            return goOn()
        }
        link.discoverSecondaryServices(timeout: Self.timeout) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let found):
                for record in found { tree.add(record) }
                goOn()
            }
        }
    }

    private func included(
        _ rest: ArraySlice<AttributeTree.ServiceNode>,
        _ completion: @escaping (Result<AttributeTree, RadioError>) -> Void
    ) {
        guard let service = rest.first else {
            return characteristics(old.services.filter { $0.characteristics != nil }[...], completion)
        }
        guard tree.services.contains(where: { $0.record == service.record }) else {
            return included(rest.dropFirst(), completion)
        }
        link.discoverIncludedServices(of: service.record.id, timeout: Self.timeout) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let found):
                tree.setIncluded(found, of: service.record.id)
                included(rest.dropFirst(), completion)
            }
        }
    }

    private func characteristics(
        _ rest: ArraySlice<AttributeTree.ServiceNode>,
        _ completion: @escaping (Result<AttributeTree, RadioError>) -> Void
    ) {
        guard let service = rest.first else { return completion(.success(tree)) }
        guard tree.services.contains(where: { $0.record == service.record }) else {
            return characteristics(rest.dropFirst(), completion)
        }
        let known = service.characteristics ?? []
        let filter = service.isComplete ? nil : Array(Set(known.map(\.record.uuid)))
        link.discoverCharacteristics(of: service.record.id, filter, timeout: Self.timeout) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let found):
                tree.setCharacteristics(found, of: service.record.id, complete: service.isComplete)
                let wanted = known.filter { $0.descriptors != nil && found.contains($0.record) }
                descriptors(wanted[...]) { [self] error in
                    if let error { return completion(.failure(error)) }
                    characteristics(rest.dropFirst(), completion)
                }
            }
        }
    }

    private func descriptors(
        _ rest: ArraySlice<AttributeTree.CharacteristicNode>, _ completion: @escaping (RadioError?) -> Void
    ) {
        guard let characteristic = rest.first else { return completion(nil) }
        link.discoverDescriptors(of: characteristic.record.id, timeout: Self.timeout) { [self] result in
            switch result {
            case .failure(let error): completion(error)
            case .success(let found):
                tree.setDescriptors(found, of: characteristic.record.id)
                descriptors(rest.dropFirst(), completion)
            }
        }
    }
}
