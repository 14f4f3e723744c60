import BluetoothBackend
import BluetoothModel

/// Checks, step by step, that the attributes discovered in an earlier run still exist. Confined to the loop.
///
/// If the link ends in the meantime, the requests find nothing, and the check completes with services as invalid; the
/// caller ignores the result of an ended link.
final class ServiceCheck {
    private let link: any PeripheralLink
    private var waiting: ArraySlice<CBService>
    private var invalid: [CBService] = []
    private let completion: (_ invalid: [CBService]) -> Void

    /// Starts a check, which is retained by its own requests until it is done.
    static func begin(
        _ services: [CBService], over link: any PeripheralLink, completion: @escaping (_ invalid: [CBService]) -> Void
    ) {
        let check = ServiceCheck(services, link, completion)
        link.discoverServices(nil, timeout: nil) { result in
            let found = (try? result.get()) ?? []
            check.invalid = services.filter { service in !found.contains { service.isThe($0) } }
            check.next()
        }
    }

    private init(
        _ services: [CBService], _ link: any PeripheralLink, _ completion: @escaping (_ invalid: [CBService]) -> Void
    ) {
        self.link = link
        waiting = CBService.reachable(from: services)[...]
        self.completion = completion
    }

    private func next() {
        guard let service = waiting.popFirst() else { return completion(invalid) }
        guard let id = service.attribute, !invalid.contains(where: { $0 === service }) else { return next() }
        checkIncluded(service, id) { [self] isIncluded in
            guard isIncluded else { return isWrong(service) }
            checkCharacteristics(service, id) { [self] isThere in isThere ? next() : isWrong(service) }
        }
    }

    private func isWrong(_ service: CBService) {
        invalid.append(service)
        next()
    }

    private func checkIncluded(_ service: CBService, _ id: AttributeID, _ done: @escaping (Bool) -> Void) {
        guard let known = service.includedServices else { return done(true) }
        link.discoverIncludedServices(of: id, timeout: nil) { result in
            let found = (try? result.get()) ?? []
            done(known.allSatisfy { service in found.contains { service.isThe($0) } })
        }
    }

    private func checkCharacteristics(_ service: CBService, _ id: AttributeID, _ done: @escaping (Bool) -> Void) {
        guard let known = service.characteristics else { return done(true) }
        link.discoverCharacteristics(of: id, nil, timeout: nil) { [self] result in
            let found = (try? result.get()) ?? []
            let isThere = known.allSatisfy { known in
                found.contains {
                    $0.id == known.attribute && $0.uuid == known.uuid.model
                        && UInt($0.properties.rawValue) == known.properties.rawValue
                }
            }
            if isThere { checkDescriptors(known[...], done) } else { done(false) }
        }
    }

    private func checkDescriptors(_ rest: ArraySlice<CBCharacteristic>, _ done: @escaping (Bool) -> Void) {
        guard let characteristic = rest.first else { return done(true) }
        guard let known = characteristic.descriptors, let id = characteristic.attribute else {
            return checkDescriptors(rest.dropFirst(), done)
        }
        link.discoverDescriptors(of: id, timeout: nil) { [self] result in
            let found = (try? result.get()) ?? []
            guard
                known.allSatisfy({ known in found.contains { $0.id == known.attribute && $0.uuid == known.uuid.model } }
                )
            else { return done(false) }
            checkDescriptors(rest.dropFirst(), done)
        }
    }
}

extension CBService {
    /// Returns true if a discovered service is this one.
    fileprivate func isThe(_ found: RemoteService) -> Bool {
        found.id == attribute && found.uuid == uuid.model && found.isPrimary == isPrimary
    }
}
