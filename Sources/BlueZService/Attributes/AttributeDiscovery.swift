import BluetoothBackend
import BluetoothModel

/// A service of a device, with its contents.
struct FoundService: Hashable {
    struct Characteristic: Hashable {
        var id: AttributeID
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        /// The bits of the extended properties (Core 6.0, Vol 3, Part G, 3.3.3.1); 0 without them.
        var extended: UInt8 = 0
        var descriptors: [RemoteDescriptor] = []
    }

    var id: AttributeID
    var uuid: BluetoothUUID
    var isPrimary: Bool
    var included: [AttributeID] = []
    var characteristics: [Characteristic] = []
}

/// The discovery of all attributes of a device, one after the other. Confined to the loop.
final class AttributeDiscovery {
    private static let time = Duration.seconds(30)

    private let link: any PeripheralLink
    private let completion: (Result<[FoundService], RadioError>) -> Void
    private var services: [FoundService] = []
    /// The steps that are left. A step calls ``next(_:)`` when it is done.
    private var steps: [(AttributeDiscovery) -> Void] = []

    private init(_ link: any PeripheralLink, _ completion: @escaping (Result<[FoundService], RadioError>) -> Void) {
        self.link = link
        self.completion = completion
    }

    /// Discovers all attributes; completes with the services in the order of their handles.
    static func run(
        over link: any PeripheralLink, completion: @escaping (Result<[FoundService], RadioError>) -> Void
    ) {
        let discovery = AttributeDiscovery(link, completion)
        discovery.steps = [
            { discovery in
                discovery.link.discoverDatabase(timeout: time) { discovery.next($0) }
            },
            { discovery in
                discovery.link.discoverServices(nil, timeout: time) { discovery.found($0) }
            },
            { discovery in
                discovery.link.discoverSecondaryServices(timeout: time) { discovery.found($0) }
            },
        ]
        discovery.next(.success(()))
    }

    private func next(_ result: Result<Void, RadioError>) {
        if case .failure(let error) = result { return completion(.failure(error)) }
        guard !steps.isEmpty else {
            return completion(.success(services.sorted { $0.id.rawValue < $1.id.rawValue }))
        }
        steps.removeFirst()(self)
    }

    private func found(_ result: Result<[RemoteService], RadioError>) {
        for service in (try? result.get()) ?? [] where !services.contains(where: { $0.id == service.id }) {
            let index = services.count
            services.append(FoundService(id: service.id, uuid: service.uuid, isPrimary: service.isPrimary))
            steps.append { discovery in
                discovery.link.discoverIncludedServices(of: service.id, timeout: Self.time) { result in
                    discovery.services[index].included = ((try? result.get()) ?? []).map(\.id)
                    discovery.found(result)
                }
            }
            steps.append { $0.discoverCharacteristics(of: index) }
        }
        next(result.map { _ in })
    }

    private func discoverCharacteristics(of index: Int) {
        link.discoverCharacteristics(of: services[index].id, nil, timeout: Self.time) { [self] result in
            let found = (try? result.get()) ?? []
            services[index].characteristics = found.map {
                FoundService.Characteristic(id: $0.id, uuid: $0.uuid, properties: $0.properties)
            }
            for number in found.indices { steps.append { $0.discoverDescriptors(of: number, in: index) } }
            next(result.map { _ in })
        }
    }

    private func discoverDescriptors(of number: Int, in index: Int) {
        let characteristic = services[index].characteristics[number]
        link.discoverDescriptors(of: characteristic.id, timeout: Self.time) { [self] result in
            let found = (try? result.get()) ?? []
            services[index].characteristics[number].descriptors = found
            if characteristic.properties.contains(.extendedProperties),
                let descriptor = found.first(where: { $0.uuid == 0x2900 })
            {
                steps.append { $0.readExtendedProperties(descriptor.id, of: number, in: index) }
            }
            next(result.map { _ in })
        }
    }

    /// Reads the extended properties, which are left out if the device refuses.
    private func readExtendedProperties(_ descriptor: AttributeID, of number: Int, in index: Int) {
        link.read(descriptor, timeout: Self.time) { [self] result in
            if case .success(let value) = result, !value.isEmpty {
                services[index].characteristics[number].extended = value[0]
            }
            next(.success(()))
        }
    }
}
