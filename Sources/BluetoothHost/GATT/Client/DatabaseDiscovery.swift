import BluetoothModel

/// Discovers the whole database of a server with as few requests as the MTU allows, and stores it in the client's
/// cache.
///
/// Discovering service by service and characteristic by characteristic costs at least one request for each, plus one to
/// learn that a list has ended. Here characteristics are requested across services, and descriptors across
/// characteristics: a request begins at the first unknown handle and covers whatever fits into its response. The end of
/// a list is certain only after Attribute Not Found, or from the attributes that follow it.
final class DatabaseDiscovery {
    private let client: GATTClient
    private let operation: ATTOperation
    private let completion: (Result<Void, RadioError>) -> Void
    private let generation: Int
    private var services: [GATTService] = []
    private var characteristics: [GATTCharacteristic] = []
    private var descriptors: [GATTDescriptor] = []
    /// The last handle of the last service.
    private var end: UInt16 = 0
    /// True once all characteristics are known.
    private var hasAllCharacteristics = false
    /// The handle ranges behind characteristics that were examined already, ascending.
    private var examined: [ClosedRange<UInt16>] = []
    /// The handle ranges that may contain unknown descriptors, ascending, and the index of the next one.
    private var gaps: [Gap] = []
    private var nextGap = 0

    /// The handles between a characteristic's value and the next known attribute.
    private struct Gap {
        var range: ClosedRange<UInt16>
        /// True if a value with a 128-bit UUID precedes the range. A response has UUIDs of one length, so it ends
        /// there.
        var isBehindLongUUID: Bool
    }

    init(client: GATTClient, operation: ATTOperation, completion: @escaping (Result<Void, RadioError>) -> Void) {
        self.client = client
        self.operation = operation
        self.completion = completion
        generation = client.cache.generation
    }

    func start() {
        client.discoverServices(nil, for: operation) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let services):
                guard let first = services.first, let last = services.last, !isKnown(services),
                    // A server with faults is discovered service by service, so that each fault is attributed to its
                    // service.
                    client.cache.entry.problemCount == 0
                else { return succeed() }
                client.confirmHash()
                self.services = services
                end = last.range.upperBound
                askForCharacteristics(from: first.range.lowerBound)
            }
        }
    }

    /// Returns true if the cache has everything that a discovery step by step would request.
    private func isKnown(_ services: [GATTService]) -> Bool {
        let entry = client.cache.entry
        return services.allSatisfy { service in
            guard let characteristics = entry.characteristics[service.handle],
                entry.includedServices[service.handle] != nil
            else { return false }
            return characteristics.allSatisfy {
                $0.descriptorRange == nil || entry.descriptors[$0.valueHandle] != nil
            }
        }
    }

    // MARK: Characteristics

    private func askForCharacteristics(from handle: UInt16) {
        let asked = handle...end
        request(.readByType(asked, GATTType.characteristic)) { [self] response throws(RadioError) in
            let found = try response.map { response throws(RadioError) in
                try usable(try DiscoveryResponse.characteristics(response, asked: asked))
            }
            try checkValues(found ?? [])
            characteristics += found ?? []
            guard let response, let last = found?.last, last.valueHandle < end else {
                hasAllCharacteristics = true
                return askForDescriptors()
            }
            // If another entry would have fitted, the list has ended or continues with entries of another length. The
            // search for descriptors covers these handles anyway and finds the next declaration.
            let isFull = response.count + Int(response[0]) > client.bearer.mtu - 1
            if isFull { askForCharacteristics(from: last.valueHandle + 1) } else { askForDescriptors() }
        }
    }

    /// Returns the entries of a response; throws if there are none or some are faulty.
    /// - Throws: ``RadioError/invalidResponse(_:)`` if the attributes are out of order.
    private func usable<Element>(_ entries: DiscoveryResponse.Entries<Element>) throws(RadioError) -> [Element] {
        guard entries.problems.isEmpty, !entries.found.isEmpty else {
            throw .invalidResponse("the discovery received attributes out of order")
        }
        return entries.found
    }

    /// Throws if a value is outside its service or behind the next declaration, and so belongs to something else.
    private func checkValues(_ found: [GATTCharacteristic]) throws(RadioError) {
        var services = services[...]
        for (index, characteristic) in found.enumerated() {
            var bounded = characteristic
            services = services.drop { $0.range.upperBound < bounded.declarationHandle }
            bounded.endHandle = index + 1 < found.count ? found[index + 1].declarationHandle - 1 : end
            if let service = services.first, service.range.contains(bounded.declarationHandle) {
                bounded.endHandle = min(bounded.endHandle, service.range.upperBound)
            }
            guard bounded.isValueInside else {
                throw .invalidResponse("the discovery received a characteristic whose value is outside its service")
            }
        }
    }

    // MARK: Descriptors

    private func askForDescriptors() {
        findGaps()
        askForNextDescriptors()
    }

    private func findGaps() {
        gaps = []
        nextGap = 0
        var seen = examined[...]
        var services = services[...]
        var isBehindLongUUID = false
        for (index, characteristic) in characteristics.enumerated() {
            let isLast = index + 1 == characteristics.count
            var upper = isLast ? end : characteristics[index + 1].declarationHandle - 1
            services = services.drop { $0.range.upperBound < characteristic.declarationHandle }
            // Services after the last known characteristic may contain others.
            if hasAllCharacteristics || !isLast, let service = services.first,
                service.range.contains(characteristic.declarationHandle)
            {
                upper = min(upper, service.range.upperBound)
            }
            var lower = characteristic.valueHandle
            seen = seen.drop { $0.upperBound <= lower }
            while let range = seen.first, range.lowerBound <= lower &+ 1 {
                lower = range.upperBound
                seen.removeFirst()
            }
            if characteristic.uuid.attLength != 2 { isBehindLongUUID = true }
            guard lower < upper else { continue }
            gaps.append(Gap(range: lower + 1...upper, isBehindLongUUID: isBehindLongUUID))
            isBehindLongUUID = false
        }
    }

    private func askForNextDescriptors() {
        guard nextGap < gaps.count else { return finish() }
        var last = nextGap
        while last + 1 < gaps.count, !gaps[last + 1].isBehindLongUUID { last += 1 }
        let asked = gaps[nextGap].range.lowerBound...gaps[last].range.upperBound
        request(.findInformation(asked)) { [self] response throws(RadioError) in
            var reached = asked.upperBound
            if let response {
                let found = try usable(try DiscoveryResponse.descriptors(response, asked: asked))
                reached = found.last?.handle ?? reached
                if let next = found.first(where: isUnknownCharacteristic) {
                    descriptors += found.prefix { $0.handle < next.handle }
                    if next.handle > asked.lowerBound { examined.append(asked.lowerBound...next.handle - 1) }
                    return askForCharacteristics(from: next.handle)
                }
                descriptors += found
            }
            examined.append(asked.lowerBound...reached)
            while nextGap < gaps.count, gaps[nextGap].range.upperBound <= reached { nextGap += 1 }
            if nextGap < gaps.count, gaps[nextGap].range.lowerBound <= reached {
                gaps[nextGap].range = reached + 1...gaps[nextGap].range.upperBound
            }
            askForNextDescriptors()
        }
    }

    private func isUnknownCharacteristic(_ attribute: GATTDescriptor) -> Bool {
        attribute.uuid == GATTType.characteristic && attribute.handle > characteristics.last?.valueHandle ?? 0
    }

    // MARK: Completion

    private func finish() {
        // Both lists are traversed once for all services. A response that covers several gaps may repeat known
        // descriptors.
        var rest = characteristics[...]
        var all: [GATTDescriptor] = []
        for descriptor in descriptors.sorted(by: { $0.handle < $1.handle }) where descriptor.handle != all.last?.handle
        {
            all.append(descriptor)
        }
        var unassigned = all[...]
        client.cache.record(generation) { entry in
            for service in services {
                rest = rest.drop { $0.declarationHandle < service.range.lowerBound }
                let inside = rest.prefix { $0.declarationHandle <= service.range.upperBound }
                rest = rest.dropFirst(inside.count)
                let (found, problems) = GATTClient.bounded(Array(inside), by: service.range)
                entry.add(problems)
                entry.characteristics[service.handle] = found
                // Without a handle between the service declaration and the first characteristic there are no included
                // services. A service of a single handle contains nothing.
                if service.range.count == 1 || found.first?.declarationHandle == service.handle + 1 {
                    entry.includedServices[service.handle] = entry.includedServices[service.handle] ?? []
                }
                for characteristic in found {
                    guard let range = characteristic.descriptorRange else { continue }
                    unassigned = unassigned.drop { $0.handle < range.lowerBound }
                    let own = unassigned.prefix { $0.handle <= range.upperBound }
                    unassigned = unassigned.dropFirst(own.count)
                    entry.descriptors[characteristic.valueHandle] = Array(own)
                }
            }
        }
        succeed()
        client.confirmHashWhenIdle()
    }

    /// The cache is valid only while changes are reported, so the discovery completes after the follower has settled.
    private func succeed() {
        guard let follower = client.follower else { return completion(.success(())) }
        follower.whenSettled(for: operation, completion: completion)
    }

    /// Sends a request and passes on its response; nil for Attribute Not Found. After an ATT error or an invalid
    /// response the discovery ends successfully: later step-by-step discoveries report errors for the attributes
    /// concerned.
    private func request(
        _ request: ATTRequest, _ received: @escaping (ByteView?) throws(RadioError) -> Void
    ) {
        client.bearer.proceed(request, for: operation) { [self] result in
            do throws(RadioError) {
                switch result {
                case .success(let response): try received(response)
                case .failure(.att(.attributeNotFound, _)): try received(nil)
                case .failure(let error): throw error
                }
            } catch {
                switch error {
                case .att, .invalidResponse: completion(.success(()))
                default: completion(.failure(error))
                }
            }
        }
    }
}

extension GATTClient {
    /// Discovers all services, characteristics and descriptors with as few requests as possible. Later discoveries of
    /// single services and characteristics are answered from the cache. Included services are requested only for
    /// services that have room for an include declaration.
    @discardableResult
    package func discoverDatabase(
        timeout: Duration? = nil, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        DatabaseDiscovery(client: self, operation: operation, completion: completion).start()
        return operation.id
    }
}
