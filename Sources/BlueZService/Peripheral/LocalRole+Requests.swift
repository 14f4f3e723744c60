import BluetoothBackend
import BluetoothModel
import SystemBus

/// The requests of centrals, which clients answer. Each waits for its own client only.
extension LocalRole: LocalDeviceDelegate {
    /// The longest value of an attribute (Core 6.0, Vol 3, Part F, 3.2.9).
    private static let longestValue = 512

    func localDevice(connected central: PeripheralID) {
        if let device { adapter?.connected(central, to: device) }
    }

    func localDevice(disconnected central: PeripheralID, _ error: RadioError) {
        forEachAttribute { unsubscribe(central, from: $0) }
        adapter?.disconnected(central, error)
    }

    func localDevice(security: LinkSecurity, of central: PeripheralID) { adapter?.devices[central]?.updateBond() }

    func localDeviceIsReadyToUpdate() {}

    func localDevice(advertisingEnded error: RadioError) {
        // Without power the advertisements stay, as with the kernel, and continue when the adapter is ready again. The
        // adapter may report its new state later.
        if case .radio = error { return }
        if adapter?.isPowered == true { advertisements.releaseAll() }
    }

    /// The options of a request, for a client.
    private func options(_ central: PeripheralID, offset: Int) -> BusValue {
        var options: [String: BusValue] = ["link": .string("LE")]
        if let path = adapter?.devices[central]?.path { options["device"] = .path(path) }
        if offset > 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        if let length = device?.maximumUpdateLength(for: central) {
            // An update has three octets beside its value. The longest value fits into the MTU that BlueZ has.
            options["mtu"] = .uint16(length >= Self.longestValue ? 517 : UInt16(clamping: length + 3))
        }
        return .properties(options)
    }

    // MARK: Values

    func localDevice(read request: LocalReadRequest) {
        guard let attribute = attribute(request.attribute) else { return request.respond(.failure(.invalidHandle)) }
        attribute.call("ReadValue", [options(request.central, offset: request.offset)]) { result in
            switch result {
            case .success(let values):
                guard let value = values.first?.bytes else { return request.respond(.failure(.requestNotSupported)) }
                request.respond(.success(Array(value.prefix(Self.longestValue))))
            case .failure(let error):
                request.respond(.failure(ATTErrorCode(error, refused: .readNotPermitted)))
            }
        }
    }

    func localDevice(write request: LocalWriteRequest) {
        write(LocalWriteRequest.joined(request.parts)[...], of: request)
    }

    /// Writes one part after the other, until a client refuses one.
    private func write(_ parts: ArraySlice<LocalWriteRequest.Part>, of request: LocalWriteRequest) {
        guard let part = parts.first else { return request.respond?(.success(())) ?? () }
        guard let attribute = attribute(part.attribute) else { return request.respond?(.failure(.invalidHandle)) ?? () }
        let done: (Result<Void, BusError>) -> Void = { [weak self] result in
            switch result {
            case .success:
                guard let self else { return request.respond?(.failure(.unlikelyError)) ?? () }
                write(parts.dropFirst(), of: request)
            case .failure(let error):
                request.respond?(.failure(ATTErrorCode(error, refused: .writeNotPermitted)))
            }
        }
        if part.offset == 0, attribute.takesWritesFromSocket {
            attribute.withWriteSocket(on: loop, options(request.central, offset: 0)) { result in
                done(
                    result.flatMap { $0.send(part.value) ? .success(()) : .failure(.failed("socket full")) })
            }
        } else {
            let options = options(request.central, offset: part.offset)
            attribute.call("WriteValue", [.bytes(part.value), options]) { done($0.map { _ in }) }
        }
    }

    // MARK: Subscriptions

    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {
        guard let attribute = attribute(characteristic) else { return }
        let isFirst = attribute.subscribers.isEmpty
        attribute.subscribers[central] = kind
        guard isFirst else { return }
        attribute.startUpdates(on: loop, options(central, offset: 0)) { [weak self, weak attribute] value, then in
            guard let self, let attribute else { return }
            update(value, of: characteristic, attribute, then: then)
        }
    }

    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {
        if let attribute = attribute(characteristic) { unsubscribe(central, from: attribute) }
    }

    private func unsubscribe(_ central: PeripheralID, from attribute: ServedAttribute) {
        guard attribute.subscribers.removeValue(forKey: central) != nil, attribute.subscribers.isEmpty else { return }
        attribute.stopUpdates()
    }

    /// Sends a value that a client announces to the subscribers.
    func update(
        _ value: [UInt8], of id: AttributeID, _ attribute: ServedAttribute, then: @escaping () -> Void = {}
    ) {
        guard let device, !attribute.subscribers.isEmpty else { return then() }
        device.updateEach(Array(value.prefix(Self.longestValue)), of: id, for: nil) { outcomes in
            for (central, outcome) in outcomes where attribute.subscribers[central] == .indications {
                // A confirmed indication is announced once for each central.
                if case .success = outcome { attribute.call("Confirm") }
            }
            then()
        }
    }
}

extension LocalWriteRequest {
    /// Returns the parts of a write with those joined that continue the value of the part before them, as a client
    /// writes a long value in pieces.
    static func joined(_ parts: [Part]) -> [Part] {
        var result: [Part] = []
        for part in parts {
            if let last = result.last, last.attribute == part.attribute, part.offset == last.offset + last.value.count {
                result[result.count - 1].value += part.value
            } else {
                result.append(part)
            }
        }
        return result
    }
}
