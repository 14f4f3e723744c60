import BluetoothModel

/// Learns the whole database of a server with as few requests as the MTU allows, and puts it into the client's cache.
///
/// Service by service and characteristic by characteristic, each would cost a request of its own and one more to hear
/// that there is nothing else. So characteristics are asked for across services, and descriptors across
/// characteristics: a request begins at the first handle that is not known yet and takes in whatever fits its response.
/// Only where a list ends is known for sure from nothing but an answer of "not found", or from what lies behind it.
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
    /// Whether there are no further characteristics for sure.
    private var hasAllCharacteristics = false
    /// What was looked at behind characteristics already, ascending.
    private var examined: [ClosedRange<UInt16>] = []
    /// Where descriptors may be that nobody has seen, ascending, and which of these ranges is next.
    private var gaps: [Gap] = []
    private var nextGap = 0

    /// Handles between a characteristic's value and what follows.
    private struct Gap {
        var range: ClosedRange<UInt16>
        /// Whether a value with a long UUID lies before it: one response has UUIDs of one length, so it ends there.
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
                    // A server with faults is asked service by service, where each fault belongs to something.
                    client.cache.entry.problemCount == 0
                else { return succeed() }
                self.services = services
                end = last.range.upperBound
                askForCharacteristics(from: first.range.lowerBound)
            }
        }
    }

    /// Whether the cache has all that a discovery step by step would ask for.
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
            // Where another entry would have fitted, the list has ended, or goes on with entries of another length: the
            // search for descriptors comes by there anyway, and meets the next declaration.
            let isFull = response.count + Int(response[0]) > client.bearer.mtu - 1
            if isFull { askForCharacteristics(from: last.valueHandle + 1) } else { askForDescriptors() }
        }
    }

    /// The entries of a response without a fault.
    private func usable<Element>(_ entries: DiscoveryResponse.Entries<Element>) throws(RadioError) -> [Element] {
        guard entries.problems.isEmpty, !entries.found.isEmpty else {
            throw .invalidResponse("the discovery met attributes out of order")
        }
        return entries.found
    }

    /// A value outside of its service, or behind the next declaration, belongs to something else.
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
                throw .invalidResponse("the discovery met a characteristic whose value is outside of its service")
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
            // Behind the last one that is known there may be others, in services that have none so far.
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

    // MARK: The end

    private func finish() {
        // Both lists are walked through once, however many services there are. A response that reached across several
        // gaps may tell again what was known.
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
                // Without a handle between the declaration and the first characteristic there is nothing included.
                // A service at the last handle that there is has nothing behind its declaration.
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
    }

    /// What was learned holds as long as nothing else is heard, so first it has to be sure that it would be.
    private func succeed() {
        guard let follower = client.follower else { return completion(.success(())) }
        follower.whenSettled { [self] in completion(client.isOpen ? .success(()) : .failure(.notConnected)) }
    }

    /// Asks, and hands on the response; nil is "not found". A server that does not answer as it should is asked step by
    /// step later on, where the error belongs to something.
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
    /// Learns all services, characteristics and descriptors with as few requests as possible: what is discovered step by
    /// step afterwards is known already. Included services are still asked for where a service has room for some.
    @discardableResult
    public func discoverDatabase(
        timeout: Duration? = nil, completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        DatabaseDiscovery(client: self, operation: operation, completion: completion).start()
        return operation.id
    }
}
